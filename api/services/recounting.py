"""Use case: an invoice held against its texts, row by row: tokens counted anew, what explains a difference, what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from api.services.comparing.lengths import NO_TEXT, Length, TextLengths
from api.services.comparing.overheads import overhead_of
from api.services.comparing.question import OfferToCompare, Sample
from api.services.comparing.tokens import LONG_CHARACTERS, ChosenTokenizer, Counts, choose_tokenizer, scripts_of
from api.services.pricing import PricedUsage, RowPricer, UsageToPrice
from economics.errors import PermillionError
from economics.money import Exact
from economics.recount import EXPLAINED, Explanation, Recount, explain_input, explain_output
from economics.usage import complete_usage
from tokenizers_registry.counting import TokenCounter

YIELD_AFTER = 100
"""After so many rows, other requests get their turn."""


@dataclass(frozen=True, slots=True)
class BilledText:
    """One row of an invoice: the usage that was billed, and the texts it was billed for."""

    billed: UsageToPrice
    input_text: str
    output_text: str | None = None
    system_text: str | None = None

    def texts(self) -> Iterator[str]:
        """What is counted."""
        return self.sample.texts()

    @property
    def sample(self) -> Sample:
        """The texts as a sample of one query."""
        return Sample("", self.input_text, self.output_text, system_text=self.system_text)


@dataclass(frozen=True, slots=True)
class Side:
    """Input or output: billed and counted, and what explains the difference."""

    billed: int
    counted: Recount
    explained_by: Explanation

    @property
    def difference(self) -> int:
        """Tokens billed above those counted."""
        return self.billed - self.counted.tokens


@dataclass(frozen=True, slots=True)
class RecountedRow:
    """The answer to one row; `recounted` is its bill with counted tokens, None where such a usage has no price."""

    priced: PricedUsage
    tokenizer: ChosenTokenizer | None = None
    frame_tokens: int | None = None
    given: Side | None = None
    output: Side | None = None
    recounted: Exact | None = None
    warnings: Sequence[str] = ()
    error: PermillionError | None = None

    @property
    def explained(self) -> bool:
        """Whether nothing is left to ask the vendor."""
        return all(side is None or side.explained_by in EXPLAINED for side in (self.given, self.output))

    @property
    def cost_difference(self) -> Exact | None:
        """Money billed above the recount."""
        total = self.priced.total
        return None if total is None or self.recounted is None else total - self.recounted


async def recount(
    rows: Sequence[BilledText | PricedUsage], pricer: RowPricer, counter: TokenCounter
) -> list[RecountedRow]:
    """Row i answers row i; what could not be read stays the error it is."""
    priced = [row if isinstance(row, PricedUsage) else pricer.price(row.billed) for row in rows]
    chosen = [_tokenizer_of(each, counter) for each in priced]
    counts = await _counts(rows, chosen, counter)
    answers: list[RecountedRow] = []
    for index, (row, bill, tokenizer) in enumerate(zip(rows, priced, chosen, strict=True), start=1):
        answers.append(_recounted(row, bill, tokenizer, counts, pricer))
        if index % YIELD_AFTER == 0:
            await asyncio.sleep(0)
    return answers


def _tokenizer_of(priced: PricedUsage, counter: TokenCounter) -> ChosenTokenizer | PermillionError:
    if priced.error is not None:
        return priced.error
    assert priced.resolved is not None
    try:
        return choose_tokenizer(priced.resolved.offer, OfferToCompare(priced.row_id, priced.name), counter)
    except PermillionError as error:
        return error


async def _counts(
    rows: Sequence[BilledText | PricedUsage],
    chosen: Sequence[ChosenTokenizer | PermillionError],
    counter: TokenCounter,
) -> Counts:
    """Each text by the tokenizer of its own offer only."""
    wanted: dict[str, dict[str, None]] = {}
    for row, tokenizer in zip(rows, chosen, strict=True):
        if isinstance(row, BilledText) and isinstance(tokenizer, ChosenTokenizer):
            wanted.setdefault(tokenizer.tokenizer, {}).update(dict.fromkeys(row.texts()))
    answers = await asyncio.gather(*(counter.count(list(texts), [name]) for name, texts in wanted.items()))
    found: dict[str, dict[str, int | PermillionError]] = {}
    for texts, counted in zip(wanted.values(), answers, strict=True):
        for text, count in zip(texts, counted, strict=True):
            found.setdefault(text, {}).update(count)
    long = [text for text in found if len(text) > LONG_CHARACTERS]
    return Counts(found, await scripts_of(long, counter))


def _recounted(
    row: BilledText | PricedUsage,
    priced: PricedUsage,
    tokenizer: ChosenTokenizer | PermillionError,
    counts: Counts,
    pricer: RowPricer,
) -> RecountedRow:
    if isinstance(tokenizer, PermillionError) or isinstance(row, PricedUsage):
        return RecountedRow(priced, error=tokenizer if isinstance(tokenizer, PermillionError) else priced.error)
    try:
        return _held_against(row, priced, tokenizer, TextLengths(tokenizer, counts), pricer)
    except PermillionError as error:
        return RecountedRow(priced, tokenizer, error=error)


def _held_against(
    row: BilledText, priced: PricedUsage, tokenizer: ChosenTokenizer, lengths: TextLengths, pricer: RowPricer
) -> RecountedRow:
    assert priced.resolved is not None
    usage = complete_usage(row.billed.usage)
    if "input_tokens" not in usage:
        raise PermillionError("invalid-usage", "the billed input_tokens are missing", pointer="/billed/input_tokens")
    system = NO_TEXT if row.system_text is None else lengths.of(row.system_text)
    text = system.followed_by(lengths.of(row.input_text))
    answer = None if row.output_text is None else lengths.of(row.output_text)
    extra = overhead_of(row.sample, tokenizer, priced.resolved.offer.model, 1, lengths.count)
    frame = None if extra.frame is None else extra.frame.standing + extra.frame.new
    given = _given(usage, text, frame)
    output = None if answer is None else _output(usage, answer)
    again = _usage_of(usage, given.counted.tokens + (frame or 0), answer)
    recounted = pricer.price(replace(row.billed, usage=again)).total
    warnings = [
        *priced.warnings,
        *tokenizer.warnings,
        *lengths.warnings(text, answer),
        *(("frame_unknown",) if frame is None else ()),
        *(("output_not_recounted",) if answer is None else ()),
        *(("recount_not_priced",) if recounted is None else ()),
    ]
    return RecountedRow(priced, tokenizer, frame, given, output, recounted, list(dict.fromkeys(warnings)))


def _given(usage: Mapping[str, Decimal | int], text: Length, frame: int | None) -> Side:
    """The input: the texts, and what else the bill says was sent, sound and pictures."""
    other = sum(int(usage.get(meter, 0)) for meter in ("input_audio_tokens", "input_image_tokens"))
    counted = _with(text, other)
    cached = sum(int(usage.get(meter, 0)) for meter in ("cache_read_tokens", "cache_write_tokens"))
    billed = int(usage["input_tokens"])
    return Side(billed, counted, explain_input(billed, counted, frame, cached))


def _output(usage: Mapping[str, Decimal | int], answer: Length) -> Side:
    """The output: the text of the answer, and sound."""
    counted = _with(answer, int(usage.get("output_audio_tokens", 0)))
    billed = int(usage.get("output_tokens", 0))
    return Side(billed, counted, explain_output(billed, counted, int(usage.get("reasoning_tokens", 0))))


def _with(text: Length, other: int) -> Recount:
    low, high = (None if end is None else end + other for end in text.ends)
    return Recount(text.tokens + other, low, high)


def _usage_of(usage: Mapping[str, Decimal | int], input_tokens: int, answer: Length | None) -> dict[str, Decimal | int]:
    """What was billed with the counted tokens in place of its own; cache, reasoning and the rest as billed."""
    again = {**usage, "input_tokens": input_tokens}
    if answer is not None:
        beside = int(usage.get("reasoning_tokens", 0)) + int(usage.get("output_audio_tokens", 0))
        again["output_tokens"] = answer.tokens + beside
    return again
