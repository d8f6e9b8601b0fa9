"""The shape of a replica that serves most within limits, where none is stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from economics.errors import PermillionError
from hardware.throughput.physics.model.shapes import candidate_shapes
from hardware.throughput.question import ThroughputEstimate, ThroughputQuestion

Estimated = ThroughputEstimate | PermillionError


def alternatives(question: ThroughputQuestion) -> list[ThroughputQuestion]:
    """The question for each shape that its operating point allows, and last as it was asked.

    At full load an estimator's own choice stands. Under a limit, or for a stated concurrency, another shape is best: a wide one answers each
    query sooner, a narrow one serves more of them.

    >>> from hardware.accelerators.accelerator import shipped_accelerator
    >>> from hardware.architectures.architecture import shipped_architecture
    >>> asked = ThroughputQuestion(
    ...     shipped_architecture("llama-3.3-70b"), shipped_accelerator("h100-sxm"), 4, 1000, 500, tpot_limit_ms=30
    ... )
    >>> [each.parallelism.text for each in alternatives(asked) if each.parallelism]
    ['tp1', 'tp2', 'tp4']
    """
    limited = question.tpot_limit_ms or question.ttft_limit_ms or question.concurrency
    if question.parallelism is not None or not limited:
        return [question]
    shapes = candidate_shapes(question.architecture, question.accelerator_count)
    return [*(replace(question, parallelism=shape) for shape in shapes), question]


def most_of(questions: Sequence[ThroughputQuestion], answers: Sequence[Estimated]) -> Estimated:
    """The answer with the most output tokens a second; where all refuse, that nothing fits, else what the widest shape lacks."""
    best: ThroughputEstimate | None = None
    for question, answer in zip(questions, answers, strict=True):
        if isinstance(answer, PermillionError):
            continue
        if best is None or answer.output_tokens_per_s.value > best.output_tokens_per_s.value:
            best = _chosen(question, answer) if len(questions) > 1 else answer
    if best is not None:
        return best
    as_asked, widest = answers[-1], answers[max(len(answers) - 2, 0)]
    fits = isinstance(as_asked, PermillionError) and as_asked.pointer != "/accelerator_count"
    return widest if fits else as_asked


def _chosen(question: ThroughputQuestion, answer: ThroughputEstimate) -> ThroughputEstimate:
    if question.parallelism is None:
        return answer
    said = f"parallelism not stated: {question.parallelism.text} of each engine serves most within the limits"
    return replace(answer, assumptions=(*answer.assumptions, said))
