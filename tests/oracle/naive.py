"""What a request costs, worked out the slow and obvious way: fractions, plain loops, a flat list of rows.

Written from `contract.md` (usage, context), `pricing.md` and the promises of the docstrings, not from the engine, with which
it shares no code: agreement of the two is evidence, a difference is a defect in one of them. Nothing here is fast or clever.

The rules, in the order they are applied:
1. The context is closed: an unknown key or value is refused, stated defaults are filled in, contradictions are refused.
2. A child is part of its parent and is charged once; children above their parent and negative counts are refused.
3. A row holds if its period and its schedule hold the instant and all its conditions are met. A token row that does not
   mention a mode (batch, region, …) holds in the default mode only; a fee holds in all modes unless it says otherwise.
4. Where a token meter has no row of its own in a context that a factor covers, it has the rows of the same context with the
   factor's keys at their defaults, times the factor.
5. Of one meter, the highest tier whose lower bound the whole input reaches; in it, the highest whose lower bound the whole
   output reaches; in that, the row with the most conditions, then the one on a schedule. Beyond that row's upper bound the meter
   is not sold, nor where no output bound of the input tier is reached.
6. Each unit is charged under the nearest of its meter, the parent, the grandparent that has a rate.
7. Of a meter whose row names a least quantity, any request is charged for at least that, if it is charged for any of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from fractions import Fraction
from typing import TypedDict
from zoneinfo import ZoneInfo

PARENT_OF = {
    "input_tokens": None,
    "cache_read_tokens": "input_tokens",
    "cache_read_audio_tokens": "cache_read_tokens",
    "cache_write_tokens": "input_tokens",
    "cache_write_5m_tokens": "cache_write_tokens",
    "cache_write_1h_tokens": "cache_write_tokens",
    "cache_write_12h_tokens": "cache_write_tokens",
    "input_audio_tokens": "input_tokens",
    "input_image_tokens": "input_tokens",
    "output_tokens": None,
    "reasoning_tokens": "output_tokens",
    "citation_tokens": "output_tokens",
    "output_audio_tokens": "output_tokens",
}
ALSO_PART_OF = {"cache_read_audio_tokens": "input_audio_tokens"}
"""What is in two siblings at once, with the one that is charged for it only where neither it nor the first has a rate."""
FEES = (
    "input_characters",
    "audio_seconds",
    "images",
    "pages",
    "annotated_pages",
    "requests",
    "web_searches",
    "file_searches",
    "storage_token_hours",
)
MODES = ("processing", "service_tier", "speed", "data_residency", "zone", "inference_geo", "region", "deployment")
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Conditions = Mapping[str, Sequence[str]]
Number = Fraction | int


class NaiveRow(TypedDict):
    """One rate as a dict; `min_input` None is the base tier, `search_unit` is `call`, `prompt`, `unique_query` or None."""

    provider: str
    model: str
    book: str
    meter: str
    rate: Fraction
    per: int
    currency: str
    when: Conditions
    min_input: int | None
    min_inclusive: bool
    max_input: int | None
    min_output: int | None
    output_inclusive: bool
    schedule: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    search_unit: str | None
    least: Fraction | None


class NaiveFactor(TypedDict):
    """A factor on the token rates of one model in one book."""

    provider: str
    model: str
    book: str
    factor: Fraction
    when: Conditions
    valid_from: datetime | None
    valid_to: datetime | None


class NaiveGap(TypedDict):
    """A context in which the offer is sold at a price nobody knows."""

    when: Conditions
    valid_from: datetime | None
    valid_to: datetime | None


class NaiveHours(TypedDict):
    """A schedule; days off are ISO dates in its time zone, no weekdays means every day."""

    timezone: str
    windows: Sequence[tuple[time, time]]
    weekdays: Sequence[str]
    days_off: Sequence[str]


class NaiveKey(TypedDict):
    """A context key of a provider."""

    values: Sequence[str]
    default: str | None
    synonyms: Mapping[str, str]
    undecided: Sequence[str]


@dataclass
class NaiveSeller:
    """What holds for all offers of a provider."""

    keys: Mapping[str, NaiveKey] = field(default_factory=dict)
    contradictions: Sequence[Conditions] = ()
    schedules: Mapping[str, NaiveHours] = field(default_factory=dict)


@dataclass
class NaiveAnswer:
    """A total with its lines (`quantity` and `cost` by meter), or every reason why there is none."""

    total: Fraction = Fraction(0)
    quantities: dict[str, Number] = field(default_factory=dict)
    costs: dict[str, Fraction] = field(default_factory=dict)
    refusals: set[str] = field(default_factory=set)


class Refused(Exception):  # noqa: N818 - it is an answer
    """A reason to refuse, as the slug of its problem."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


@dataclass
class Question:
    """One offer at one instant in one context, with all the rows that exist of it."""

    rows: Sequence[NaiveRow]
    factors: Sequence[NaiveFactor]
    seller: NaiveSeller
    context: Mapping[str, str]
    as_of: datetime
    gaps: Sequence[NaiveGap] = ()


def price(
    rows: Sequence[NaiveRow],
    factors: Sequence[NaiveFactor],
    seller: NaiveSeller,
    offer: tuple[str, str, str],
    context: Mapping[str, str],
    as_of: datetime,
    usage: Mapping[str, Number],
    queries: Sequence[str] | None = None,
    served: Mapping[str, str] | None = None,
    gaps: Sequence[NaiveGap] = (),
) -> NaiveAnswer:
    """The exact cost of `usage`, or the slugs of everything that is wrong with the question.

    `offer` is provider, model, book; `rows` and `factors` may be of many offers. What was `served` is billed, key by key, in place
    of what was requested; a request outside the vocabulary is refused all the same.
    """
    try:
        for name, value in context.items():  # asked for, whether or not it was served
            known(seller, name, value, "may be undecided" if served and name in served else "")
        resolved = resolve(seller, {**context, **(served or {})})
    except Refused as refused:
        return NaiveAnswer(refusals={refused.slug})
    q = Question(
        [r for r in rows if (r["provider"], r["model"], r["book"]) == offer],
        [f for f in factors if (f["provider"], f["model"], f["book"]) == offer],
        seller,
        resolved,
        as_of,
        gaps,
    )
    answer = NaiveAnswer()
    answer.refusals |= offer_refusals(q)
    try:
        used = complete(usage)
    except Refused as refused:
        answer.refusals.add(refused.slug)
    if answer.refusals:
        return answer
    prompt = (used.get("input_tokens", 0), used.get("output_tokens", 0))
    if "requests" not in used and any(r["meter"] == "requests" and may_hold(q, r) for r in q.rows):
        used["requests"] = 1
    if queries is not None:
        if "web_searches" in used:
            return NaiveAnswer(refusals={"invalid-usage"})
        used["web_searches"] = count_searches(queries, rate_of(q, "web_searches", prompt))
    used_rates: dict[str, tuple[NaiveRow, Fraction]] = {}
    for meter, quantity in slices(used).items():
        for charged in claimants(meter):
            rate = rate_of(q, charged, prompt)
            if rate is not None:
                break
        if rate is None and charged == "requests" and counts_requests(q):
            continue
        if rate is None:
            answer.refusals.add(why_not(q, charged))
            continue
        answer.quantities[charged] = answer.quantities.get(charged, 0) + quantity
        used_rates[charged] = rate
    charge(answer, used_rates, used["requests"] if used.get("requests", 0) != 0 else 1)
    answer.total = sum(answer.costs.values(), Fraction(0))
    return answer


def charge(answer: NaiveAnswer, rates: Mapping[str, tuple[NaiveRow, Fraction]], calls: Number) -> None:
    """The cost of each meter, raised to the least that so many calls are charged for."""
    for meter, (row, factor) in rates.items():
        if row["least"] is not None and answer.quantities[meter] < row["least"] * calls:
            answer.quantities[meter] = row["least"] * calls
        answer.costs[meter] = answer.quantities[meter] * row["rate"] * factor / row["per"]


def counts_requests(q: Question) -> bool:
    """Whether the number of requests matters although they have no fee: some price has a least quantity a request."""
    return any(row["least"] is not None for meter in {r["meter"] for r in q.rows} for row in rows_of(q, meter)[0])


# --- context -----------------------------------------------------------------------------------------------------------


def resolve(seller: NaiveSeller, given: Mapping[str, str]) -> dict[str, str]:
    """The context with synonyms replaced and defaults filled in."""
    resolved: dict[str, str] = {}
    for name, value in given.items():
        resolved[name] = known(seller, name, value)
    for name, key in seller.keys.items():
        if name not in resolved and key["default"] is not None:
            resolved[name] = key["default"]
    for combination in seller.contradictions:
        if all(name in resolved and resolved[name] in values for name, values in combination.items()):
            raise Refused("contradictory-context")
    return resolved


def known(seller: NaiveSeller, name: str, value: str, undecided: str = "") -> str:
    """The value in the vendor's own spelling."""
    if name not in seller.keys:
        raise Refused("unknown-context")
    key = seller.keys[name]
    meant = key["synonyms"].get(value, value)
    if meant in key["undecided"]:
        if not undecided:
            raise Refused("context-required")
    elif meant not in key["values"]:
        raise Refused("unknown-context")
    return meant


# --- usage -------------------------------------------------------------------------------------------------------------


def complete(given: Mapping[str, Number]) -> dict[str, Number]:
    """The usage with left-out parents as the sum of their children."""
    used = dict(given)
    for meter, quantity in used.items():
        if meter not in PARENT_OF and meter not in FEES:
            raise Refused("unknown-meter")
        if quantity < 0:
            raise Refused("invalid-usage")
    for parent in ("cache_read_tokens", "input_audio_tokens", "cache_write_tokens", "input_tokens", "output_tokens"):
        total = in_parts(used, parent)  # lower levels first
        if total is not None and parent not in used:
            used[parent] = total
        if total is not None and total > used[parent]:
            raise Refused("invalid-usage")
    return used


def in_parts(used: Mapping[str, Number], whole: str) -> Number | None:
    """How many units of a meter are in the parts given of it, those in two parts counted once; None if no part is given."""
    parts = [meter for meter in used if whole in (PARENT_OF.get(meter), ALSO_PART_OF.get(meter))]
    twice = [meter for meter in used if meter in ALSO_PART_OF and {PARENT_OF[meter], ALSO_PART_OF[meter]} <= set(parts)]
    return sum(used[part] for part in parts) - sum(used[meter] for meter in twice) if parts else None


def claimants(meter: str) -> list[str]:
    """The meters that a unit of `meter` is charged under, the first that has a rate, ending at the root."""
    path = [meter]
    if meter in ALSO_PART_OF:
        path += [str(PARENT_OF[meter]), ALSO_PART_OF[meter]]
    while PARENT_OF.get(path[-1]) is not None:
        path.append(str(PARENT_OF[path[-1]]))
    return path


def slices(used: Mapping[str, Number]) -> dict[str, Number]:
    """The part of each meter that belongs to none of its children: they add up to the roots."""
    own: dict[str, Number] = {}
    for meter, quantity in used.items():
        rest = quantity - (in_parts(used, meter) or 0)
        if rest != 0:
            own[meter] = rest
    return own


def count_searches(queries: Sequence[str], rate: tuple[NaiveRow, Fraction] | None) -> int:
    """How many searches the vendor charges for."""
    unit = None if rate is None else rate[0]["search_unit"]
    if unit == "unique_query":
        seen: list[str] = []
        for query in queries:
            if query not in seen:
                seen.append(query)
        return len(seen)
    if unit == "prompt":
        return min(len(queries), 1)
    return len(queries)


# --- which rows hold ---------------------------------------------------------------------------------------------------


def in_period(row: NaiveRow | NaiveFactor | NaiveGap, as_of: datetime) -> bool:
    """Whether the instant lies in `[valid_from, valid_to)`."""
    if row["valid_from"] is not None and as_of < row["valid_from"]:
        return False
    return row["valid_to"] is None or as_of < row["valid_to"]


def in_hours(hours: NaiveHours, as_of: datetime) -> bool:
    """Whether the instant lies in a window that began on this day or on the day before, by the wall clock there."""
    wall = as_of.astimezone(ZoneInfo(hours["timezone"])).replace(tzinfo=None)
    for day in (wall.date() - timedelta(days=1), wall.date()):
        if day.isoformat() in hours["days_off"]:
            continue
        if hours["weekdays"] and WEEK[day.weekday()] not in hours["weekdays"]:
            continue
        for opens, closes in hours["windows"]:
            start, end = datetime.combine(day, opens), datetime.combine(day, closes)
            if end <= start:
                end += timedelta(days=1)
            if start <= wall < end:
                return True
    return False


def in_force(q: Question, row: NaiveRow) -> bool:
    """Whether the row exists at the instant, whatever the context."""
    if not in_period(row, q.as_of):
        return False
    return row["schedule"] is None or in_hours(q.seller.schedules[row["schedule"]], q.as_of)


def met(conditions: Conditions, context: Mapping[str, str]) -> bool:
    """Whether every condition is said in the context, with one of its values."""
    return all(name in context and context[name] in values for name, values in conditions.items())


def may_hold(q: Question, row: NaiveRow) -> bool:
    """Whether the row is a price now unless a key that the request left out says otherwise."""
    unsaid = all(name not in q.context or q.context[name] in values for name, values in row["when"].items())
    return in_force(q, row) and unsaid


def holds(q: Question, row: NaiveRow, context: Mapping[str, str]) -> bool:
    """Whether the row is a price in this context."""
    if not met(row["when"], context):
        return False
    if row["meter"] in FEES:
        return True
    return all(name in row["when"] for name in unusual_modes(q, context))


def unusual_modes(q: Question, context: Mapping[str, str]) -> dict[str, str]:
    """The modes of the context that are not what the vendor does by default."""
    return {name: value for name, value in context.items() if name in MODES and value != q.seller.keys[name]["default"]}


def factor_of(q: Question) -> NaiveFactor | None:
    """The factor that covers this context, if any."""
    covering = [f for f in q.factors if in_period(f, q.as_of) and met(f["when"], q.context)]
    assert len(covering) < 2, "which of two factors holds is not said anywhere"
    return covering[0] if covering else None


def without(q: Question, factor: NaiveFactor) -> dict[str, str]:
    """The context with the factor's keys at their defaults."""
    plain = {name: value for name, value in q.context.items() if name not in factor["when"]}
    for name in factor["when"]:
        default = q.seller.keys[name]["default"]
        if default is not None:
            plain[name] = default
    return plain


def rows_of(q: Question, meter: str) -> tuple[list[NaiveRow], Fraction]:
    """The rows of a meter that hold, and the factor on them."""
    of_meter = [row for row in q.rows if row["meter"] == meter and in_force(q, row)]
    own = [row for row in of_meter if holds(q, row, q.context)]
    factor = factor_of(q)
    if own or factor is None or meter in FEES:
        return own, Fraction(1)
    return [row for row in of_meter if holds(q, row, without(q, factor))], factor["factor"]


Bound = tuple[int, int]


def bound_of(row: NaiveRow) -> tuple[Bound, Bound]:
    """Where the tier starts, by input and by output."""
    return start_of(row["min_input"], row["min_inclusive"]), start_of(row["min_output"], row["output_inclusive"])


def start_of(least: int | None, inclusive: bool) -> Bound:
    """A bound as the number of tokens in it and, for equal ones, the stricter wording."""
    return (-1, 0) if least is None else (least, 0 if inclusive else 1)


def beyond(bound: Bound, tokens: Number) -> bool:
    """Whether so many tokens are enough for a bound."""
    least, strict = bound
    return tokens > least if strict else tokens >= least


def specificity(row: NaiveRow) -> tuple[int, int]:
    """More conditions first, then a schedule."""
    return len(row["when"]), 0 if row["schedule"] is None else 1


def winners(rows: Sequence[NaiveRow]) -> list[NaiveRow]:
    """The most specific of some rows: one, unless the book is ambiguous."""
    best = max(specificity(row) for row in rows)
    return [row for row in rows if specificity(row) == best]


def rate_of(q: Question, meter: str, lengths: tuple[Number, Number]) -> tuple[NaiveRow, Fraction] | None:
    """The one row that prices the meter for a prompt and an answer of those lengths, and the factor on it."""
    rows, factor = rows_of(q, meter)
    prompt, answer = lengths
    for part, length in enumerate((prompt, answer)):  # the input decides first
        rows = [row for row in rows if beyond(bound_of(row)[part], length)]
        if not rows:
            return None
        highest = max(bound_of(row)[part] for row in rows)
        rows = [row for row in rows if bound_of(row)[part] == highest]
    (row,) = winners(rows)
    if row["max_input"] is not None and prompt > row["max_input"]:
        return None
    return row, factor


# --- why there is no price ---------------------------------------------------------------------------------------------


def offer_refusals(q: Question) -> set[str]:
    """What is wrong with the offer as a whole in this context."""
    meters = {row["meter"] for row in q.rows}
    for meter in meters:
        rows, _ = rows_of(q, meter)
        for bound in {bound_of(row) for row in rows}:
            if len(winners([row for row in rows if bound_of(row) == bound])) > 1:
                return {"ambiguous-price"}
    tokens = [meter for meter in meters if meter not in FEES]
    if tokens:
        sold = any(rows_of(q, meter)[0] for meter in tokens)
        return set() if sold else {why_not(q, "input_tokens")}
    sold = any(rows_of(q, meter)[0] for meter in meters)
    return set() if sold else {why_not(q, meter) for meter in meters}


def why_not(q: Question, meter: str) -> str:
    """`context-required`, `not-offered` or `missing-price`.

    A key that the caller left out and that a row in force asks for comes first. Then: not offered if the price holds but not
    for this length, or if no row of the meter was ever sold in the mode asked for; else nothing is known at the instant.
    """
    of_meter = [row for row in q.rows if row["meter"] == meter]
    factor = factor_of(q)
    contexts = [q.context] if factor is None or meter in FEES else [q.context, without(q, factor)]
    for row in of_meter:
        for context in contexts:
            left_out = {name: values[0] for name, values in row["when"].items() if name not in context}
            if left_out and in_force(q, row) and holds(q, row, {**context, **left_out}):
                return "context-required"
    if rows_of(q, meter)[0]:
        return "not-offered"
    if of_meter and not any(sold_in_mode(q, row) for row in of_meter):
        known_gap = any(in_period(gap, q.as_of) and met(gap["when"], q.context) for gap in q.gaps)
        return "missing-price" if known_gap else "not-offered"
    return "missing-price"


def sold_in_mode(q: Question, row: NaiveRow) -> bool:
    """Whether the row, at any time, is a price in the modes asked for, by itself or through a factor."""
    for name, value in unusual_modes(q, q.context).items():
        if row["meter"] in FEES:
            if name in row["when"] and value not in row["when"][name]:
                return False
        elif value not in row["when"].get(name, ()):
            covered = any(value in factor["when"].get(name, ()) for factor in q.factors)
            usual = name not in row["when"] or q.seller.keys[name]["default"] in row["when"][name]
            if not (covered and usual):
                return False
    return True


# --- how a number is shown ---------------------------------------------------------------------------------------------


def shown(value: Fraction) -> str:
    """All digits where the decimal ends, else 28 significant ones, half to even; never an exponent."""
    sign, value = ("-", -value) if value < 0 else ("", value)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    places = 0
    if rest == 1:
        while (value * 10**places).denominator != 1:
            places += 1
        digits = int(value * 10**places)
    else:
        while value * 10**places < 10**27:
            places += 1
        while value * Fraction(10) ** places >= 10**28:
            places -= 1
        digits = round(value * Fraction(10) ** places)  # Fraction rounds half to even
    if places <= 0:
        return f"{sign}{digits * 10**-places}"
    text = str(digits).rjust(places + 1, "0")
    whole, part = text[:-places], text[-places:].rstrip("0")
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
