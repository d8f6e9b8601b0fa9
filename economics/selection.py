"""Which of an offer's rows hold in a context, and why none does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from economics.context import MODE_KEYS, Context
from economics.errors import PermillionError
from economics.meters import is_token_meter
from economics.periods import format_instant
from economics.prices import Conditions, PriceRow, Unpriced, Uplift


def select_rows(
    rows: Iterable[PriceRow], context: Context, defaults: Context, on: frozenset[str]
) -> dict[str, list[PriceRow]]:
    """By meter the rows that hold in `context`, one a tier, highest tier first.

    Args:
        rows: those whose period holds the instant.
        context: resolved by the vocabulary, whose `defaults` those are.
        on: names of the schedules that apply.

    Raises:
        PermillionError: `ambiguous-price` where two rows of one tier are equally specific, and none is more so.
    """
    best: dict[tuple[str, tuple[int, bool, int, bool]], PriceRow] = {}
    for row in sorted(rows, key=_specificity, reverse=True):
        if not matches(row, context, defaults, on):
            continue
        slot = (row.meter, row.tier.rank)
        rival = best.setdefault(slot, row)
        if rival is not row and _specificity(row) == _specificity(rival):
            raise PermillionError(
                "ambiguous-price", f"two prices of {row.meter} hold equally; say more of the context or mend the book"
            )
    chosen: dict[str, list[PriceRow]] = {}
    for (meter, _), row in sorted(best.items(), key=lambda item: item[0][1], reverse=True):
        chosen.setdefault(meter, []).append(row)
    return chosen


def _specificity(row: PriceRow) -> tuple[int, bool]:
    return (len(row.conditions), row.schedule is not None)


def satisfied(conditions: Conditions, context: Context) -> bool:
    """Whether the context has one of the values of each condition."""
    return all(context.get(name) in values for name, values in conditions.items())


def matches(row: PriceRow, context: Context, defaults: Context, on: frozenset[str]) -> bool:
    """Whether `row` holds: schedule and conditions; a token rate also mentions every mode that is not the default."""
    if row.schedule is not None and row.schedule not in on:
        return False
    if not satisfied(row.conditions, context):
        return False
    if not is_token_meter(row.meter):
        return True
    return all(
        name in row.conditions or value == defaults.get(name) for name, value in context.items() if name in MODE_KEYS
    )


def lacking(row: PriceRow, context: Context, defaults: Context, on: frozenset[str]) -> Conditions:
    """The conditions of `row` on keys the context does not say, if the row would hold with them; else none."""
    unsaid = {name: values for name, values in row.conditions.items() if name not in context}
    said = {**context, **{name: values[0] for name, values in unsaid.items()}}
    return unsaid if unsaid and matches(row, said, defaults, on) else {}


def without_uplift(context: Context, uplift: Uplift, defaults: Context) -> Context:
    """The context whose rates `uplift` multiplies: its keys at their defaults, or unsaid."""
    kept = {name: value for name, value in context.items() if name not in uplift.conditions}
    return kept | {name: value for name, value in defaults.items() if name in uplift.conditions}


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question of an offer for whose meters there may be no rate.

    Args:
        rows: all rows of the offer, of any time.
        uplifts: all uplifts of the offer.
        current: the rows whose period holds the instant.
        contexts: the request's context, and the one it is read in under an uplift.
        defaults: of the vocabulary.
        on: schedules that apply.
        next_change: when the next row begins or ends, None for never.
        unpriced: contexts in which the model is sold now at a price nobody states.
    """

    rows: Sequence[PriceRow]
    uplifts: Sequence[Uplift]
    current: Sequence[PriceRow]
    contexts: tuple[Context, Context]
    defaults: Context
    on: frozenset[str]
    next_change: datetime | None
    unpriced: Sequence[Unpriced] = ()


def why_not(meter: str, asked: Unanswered) -> PermillionError:
    """Why `meter` has no rate: a context key left out, a mode or length not sold, or a time without a known price."""
    contexts = asked.contexts if is_token_meter(meter) else asked.contexts[:1]
    of_meter = [row for row in asked.current if row.meter == meter]
    missing: dict[str, set[str]] = {}
    for row in of_meter:
        for context in contexts:
            for name, values in lacking(row, context, asked.defaults, asked.on).items():
                missing.setdefault(name, set()).update(values)
    if missing:
        name = min(missing)
        named = ", ".join(sorted(missing[name]))
        return PermillionError(
            "context-required", f"the price depends on {name}; say one of {named}", pointer="/context"
        )
    modes = {k: v for k, v in contexts[0].items() if k in MODE_KEYS and v != asked.defaults.get(k)}
    named = " and ".join(f"{k}={v}" for k, v in sorted(modes.items()))
    ever = [row for row in asked.rows if row.meter == meter]
    sold = [row for row in ever if _sold_in(row, modes, asked)]
    if ever and not sold:
        gap = next((gap for gap in asked.unpriced if satisfied(gap.conditions, contexts[0])), None)
        if gap is not None:
            return PermillionError(
                "missing-price", f"this model is sold with {named}, but at a price no source states ({gap.source})"
            )
        return PermillionError(
            "not-offered", f"this model is not sold with {named}; the standard price is not used instead"
        )
    with_mode = f" with {named}" if named else ""
    if any(matches(row, context, asked.defaults, asked.on) for row in of_meter for context in contexts):
        answer = " and an answer" if any(row.tier.min_output_tokens is not None for row in of_meter) else ""
        return PermillionError("not-offered", f"{meter} is not sold for a prompt{answer} of this length{with_mode}")
    starts = [row.period.valid_from for row in sold if row.period.valid_from is not None]
    later = [start for start in starts if asked.next_change is not None and start >= asked.next_change]
    hint = f"; the first known one starts at {format_instant(min(later))}" if later else ""
    return PermillionError("missing-price", f"no price of {meter}{with_mode} is known at this instant{hint}")


def _sold_in(row: PriceRow, modes: Mapping[str, str], asked: Unanswered) -> bool:
    """Whether `row`, at whatever time, is a price of the requested modes, directly or through an uplift."""
    if not is_token_meter(row.meter):
        return all(value in row.conditions.get(name, (value,)) for name, value in modes.items())
    lifted = {
        name for uplift in asked.uplifts for name, values in uplift.conditions.items() if modes.get(name) in values
    }
    return all(
        value in row.conditions.get(name, ())
        or (name in lifted and asked.defaults.get(name) in row.conditions.get(name, (asked.defaults.get(name),)))
        for name, value in modes.items()
    )
