"""The estimator of this package: measured rows, else measured neighbors moved by physics, else physics with learned residuals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from economics.errors import PermillionError
from hardware.throughput.estimating.anchoring import Anchoring
from hardware.throughput.estimating.anchors import NOTHING, Excluded
from hardware.throughput.estimating.answering import answer
from hardware.throughput.estimating.evaluating import base
from hardware.throughput.estimating.limiting import limited_clients
from hardware.throughput.estimating.planning import Plan, plans
from hardware.throughput.estimating.points import kind_of, physics_points
from hardware.throughput.estimating.residuals.learned import Learned, shipped_learned
from hardware.throughput.measurements.row import MeasuredRow
from hardware.throughput.question import ThroughputEstimate, ThroughputQuestion

#: Questions that are evaluated as one array: more would only need more memory.
BLOCK = 1_000


class PermillionEstimator:
    """Estimates throughput and latency.

    Args:
        learned: constants, residuals and bands of a fit; the shipped ones where left out.
        measured: rows that may answer or anchor; none: physics only.
    """

    def __init__(self, learned: Learned | None = None, measured: Iterable[MeasuredRow] = ()) -> None:
        self.learned = learned or shipped_learned()
        self.anchoring = Anchoring(self.learned, measured)

    @property
    def estimator(self) -> str:
        """Short name."""
        return "permillion"

    def estimate(self, question: ThroughputQuestion) -> ThroughputEstimate:
        """The answer to one question.

        Raises:
            PermillionError: `infeasible`, `unsupported-format`, `not-for-cost`, `invalid-fields`.
        """
        found = self.estimate_many([question])[0]
        if isinstance(found, PermillionError):
            raise found
        return found

    def estimate_many(
        self, questions: Sequence[ThroughputQuestion], excluded: Sequence[Excluded] | None = None
    ) -> list[ThroughputEstimate | PermillionError]:
        """Answers in the order of the questions; a refusal stands in its place. `excluded` rows do not anchor."""
        found: list[ThroughputEstimate | PermillionError] = []
        for start in range(0, len(questions), BLOCK):
            block = slice(start, start + BLOCK)
            found += self._block(questions[block], excluded[block] if excluded else None)
        return found

    def _block(
        self, questions: Sequence[ThroughputQuestion], excluded: Sequence[Excluded] | None
    ) -> list[ThroughputEstimate | PermillionError]:
        answers: dict[int, ThroughputEstimate | PermillionError] = {}
        candidates: list[Plan] = []
        owner: list[int] = []
        for number, question in enumerate(questions):
            try:
                found = plans(question, self.learned.constants)
            except PermillionError as refusal:
                answers[number] = refusal
                continue
            candidates += found
            owner += [number] * len(found)
        if candidates:
            places, chosen = self._contenders(candidates, owner)
            kept = [candidates[place] for place in places]
            without = [excluded[number] if excluded else NOTHING for number in chosen]
            for number, plan, found_one in zip(chosen, kept, self._answers(kept, without), strict=True):
                answers[number] = _better(answers.get(number), found_one, plan)
        return [answers[number] for number in range(len(questions))]

    def _contenders(self, candidates: Sequence[Plan], owner: Sequence[int]) -> tuple[list[int], list[int]]:
        """Of each question's plans those that are estimated, by place, and whose they are.

        Of closed loops under a limit all: a wide replica answers each user sooner, a narrow one serves more, and only the estimates
        tell which serves most within the limit. Else the one with the most tokens a second by physics.
        """
        if len(set(owner)) == len(owner):
            return list(range(len(owner))), list(owner)
        points = physics_points(candidates, self.learned.constants)
        rates = base(points, self.learned.constants)["throughput"][:, 0] * [plan.replicas for plan in candidates]
        best: dict[int, int] = {}
        for place, number in enumerate(owner):
            if number not in best or rates[place] > rates[best[number]]:
                best[number] = place
        places = [
            place for place, number in enumerate(owner) if _is_limited(candidates[place]) or best[number] == place
        ]
        return places, [owner[place] for place in places]

    def _answers(
        self, chosen: Sequence[Plan], without: Sequence[Excluded]
    ) -> list[ThroughputEstimate | PermillionError]:
        open_ended = [
            number
            for number, plan in enumerate(chosen)
            if kind_of(plan) in ("closed", "pools") and plan.question.concurrency is None
        ]
        clients: dict[int, float] = {}
        answers: dict[int, ThroughputEstimate | PermillionError] = {}
        if open_ended:
            found = limited_clients(
                [chosen[number] for number in open_ended],
                self.learned,
                self.anchoring,
                [without[number] for number in open_ended],
            )
            for number, each in zip(open_ended, found, strict=True):
                if isinstance(each, PermillionError):
                    answers[number] = each
                else:
                    clients[number] = each
        standing = [number for number in range(len(chosen)) if number not in answers]
        if standing:
            points = physics_points(
                [chosen[number] for number in standing],
                self.learned.constants,
                [clients.get(number) for number in standing],
            )
            excluded = [without[number] for number in standing]
            answers |= dict(zip(standing, answer(points, self.learned, self.anchoring, excluded), strict=True))
        return [answers[number] for number in range(len(chosen))]


def _is_limited(plan: Plan) -> bool:
    question = plan.question
    limits = (question.tpot_limit_ms, question.ttft_limit_ms)
    return kind_of(plan) == "closed" and question.concurrency is None and limits != (None, None)


def _better(
    before: ThroughputEstimate | PermillionError | None, other: ThroughputEstimate | PermillionError, plan: Plan
) -> ThroughputEstimate | PermillionError:
    """The answer with more tokens a second; of refusals the later: wider replicas come later and are quicker for one user."""
    if before is None or isinstance(before, PermillionError):
        pipelined = plan.shape.pipeline > 1 and isinstance(other, PermillionError)
        return before if pipelined and before is not None else other
    if isinstance(other, PermillionError):
        return before
    return other if other.output_tokens_per_s.value > before.output_tokens_per_s.value else before
