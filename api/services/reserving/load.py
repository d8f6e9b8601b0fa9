"""The load of a question in the units of its rule."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from api.services.reserving.question import NOTHING, CapacityQuestion, refused
from economics.capacity.sizing import Dimension, Weights
from economics.money import Exact, exact
from providers.capacity_rules import CapacityRule

WHOLE: Final = exact(1)
DEFAULT_HOURS: Final = exact(730)


def peak_of(asked: CapacityQuestion) -> Exact | None:
    """The stated peak, else the highest load of the profile."""
    if asked.peak_queries is not None or not asked.profile:
        return asked.peak_queries
    peak = asked.profile[0].queries
    for period in asked.profile[1:]:
        if peak < period.queries:
            peak = period.queries
    return peak


def weights_of(asked: CapacityQuestion, rule: CapacityRule | None) -> Weights:
    """The stated weights, else the rule's; an input counts as 1, cached input as input."""

    def weight(stated: Exact | None, published: Decimal | None, default: Exact) -> Exact:
        if stated is not None:
            return stated
        return default if published is None else Exact(published)

    if asked.per_unit is not None and asked.output_weight is None and asked.query.output:
        raise refused("say what an output counts as: output_weight, 1 if as much as an input", "output_weight")
    of_input = weight(asked.input_weight, None if rule is None else rule.input_weight, WHOLE)
    return Weights(
        of_input,
        weight(asked.cached_input_weight, None if rule is None else rule.cached_input_weight, of_input),
        weight(asked.output_weight, None if rule is None else rule.output_weight, WHOLE),
    )


def dimensions_of(
    asked: CapacityQuestion, rule: CapacityRule | None, peak: Exact | None, per_query: Exact
) -> list[Dimension]:
    """What the units carry: the weighted load, or each cap; none where only units were stated."""
    per_unit = asked.per_unit if rule is None else Exact(rule.per_unit)
    found: list[Dimension] = []
    if per_unit is not None:
        if peak is None or not peak:
            raise refused("sizing needs the load at its peak: peak_queries or profile", "peak_queries")
        found.append(Dimension("weighted load", per_query * peak, per_unit))
    for place, cap in enumerate(asked.caps):
        need = cap.need
        if need is None:
            sent = {"input": asked.query.input, "output": asked.query.output}.get(cap.dimension)
            if sent is None or peak is None:
                raise refused("say what is needed of this dimension at the peak: need", f"caps/{place}/need")
            need = sent * peak
        found.append(Dimension(cap.dimension, need, cap.per_unit))
    if found and not any(dimension.need for dimension in found):
        raise refused("nothing is needed: give the input and output of a query", "input_per_query")
    return found


def hours_of(asked: CapacityQuestion) -> Exact:
    """Hours of the month: those of the profile, as stated, or 730."""
    if not asked.profile:
        return DEFAULT_HOURS if asked.hours_per_month is None else asked.hours_per_month
    hours = NOTHING
    for period in asked.profile:
        hours += period.hours
    if not hours:
        raise refused("the profile has no hours", "profile")
    if asked.hours_per_month is not None and asked.hours_per_month != hours:
        raise refused("the hours of the profile are not hours_per_month; leave that out, or add idle hours", "profile")
    return hours


def window_of(asked: CapacityQuestion, rule: CapacityRule | None) -> str:
    """What loads are counted by: the rule's window, or the one stated; minutes where nothing is counted."""
    if rule is not None:
        if asked.window not in (None, rule.window):
            raise refused(f"the rule counts by {rule.window}", "window")
        return rule.window
    if asked.window is None:
        if asked.peak_queries is not None or asked.profile or asked.caps:
            raise refused("say whether loads are per minute or per second", "window")
        return "minute"
    return asked.window
