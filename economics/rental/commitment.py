"""Commitments: their price an hour, what paying in advance costs, from which use on they pay, what longer ones imply.

A commitment is paid for every hour of its term. `hardware.md` §6 (2026-11): p4d at 32.77 on demand is 20.18 for one year
and 12.50 for three: it pays above 62 % and 38 % of use.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from economics.money import ZERO, Exact, add, multiply
from economics.ownership.capital import monthly_rate
from economics.ownership.precision import capital_recovery_factor, rounded
from economics.ownership.profile import refused
from economics.rental.terms import RentalTerms


@dataclass(frozen=True, slots=True)
class Commitment:
    """One committed unit: what it is paid a month, and the interest on what is paid in advance."""

    paid_per_month: Exact
    upfront_interest_per_month: Exact


def committed_price(upfront: Decimal, monthly: Decimal, months: int, hours_per_month: Decimal) -> Exact:
    """Price an hour over the term: `(upfront + monthly · months) / (hours · months)`.

    >>> committed_price(Decimal(8760), Decimal(730), 12, Decimal(730)).to_decimal()
    Decimal('2')
    """
    return Exact(add(upfront, multiply(monthly, Decimal(months)))) / multiply(hours_per_month, Decimal(months))


def upfront_interest(upfront: Decimal, wacc: Decimal, months: int) -> Exact:
    """What a month of having paid in advance costs: `upfront · (CRF(r, n) − 1 / n)`, r the effective monthly rate.

    Three years in advance at 10 % cost 15.4 % more than the same in monthly payments. To 28 significant digits.

    >>> round(upfront_interest(Decimal(36), Decimal("0.10"), 36).to_decimal(), 4)
    Decimal('0.1543')
    """
    if not upfront or not wacc:
        return Exact(ZERO)
    level = Exact(upfront) * capital_recovery_factor(monthly_rate(wacc, "effective"), months)
    return rounded(level - Exact(upfront) / Decimal(months))


def implied_price(shorter: Exact, shorter_months: int, longer: Exact, longer_months: int) -> Exact:
    """Price an hour of the months by which the longer term is longer: difference of total payments / extra hours.

    One year at 0.62 of on-demand and three at 0.38 make years two and three 0.26 each.

    Raises:
        PermillionError: `invalid-fields` where the shorter term is not shorter.

    >>> implied_price(Exact(Decimal("0.62")), 12, Exact(Decimal("0.38")), 36).to_decimal()
    Decimal('0.26')
    """
    extra = longer_months - shorter_months
    if extra <= 0:
        raise refused("shorter_term_months", "is below term_months")
    return (longer * Decimal(longer_months) - shorter * Decimal(shorter_months)) / Decimal(extra)


def commitment_of(terms: RentalTerms) -> Commitment:
    """What a committed unit of `terms` is paid.

    Raises:
        PermillionError: `invalid-fields` where its price is stated twice or not at all, or a term is missing.
    """
    parts = (terms.upfront_per_unit, terms.monthly_price_per_unit)
    if (terms.price_per_unit_hour is None) == (parts == (None, None)):
        raise refused("price_per_unit_hour", "of a commitment: give it, or upfront_per_unit and monthly_price_per_unit")
    if terms.price_per_unit_hour is not None:
        paid = Exact(terms.price_per_unit_hour) * terms.hours_per_month
        share = terms.upfront_ratio or ZERO
        whole = multiply(multiply(terms.price_per_unit_hour, terms.hours_per_month), Decimal(terms.term_months or 0))
        if share and terms.term_months is None:
            raise refused("term_months", "required with upfront_ratio")
        return Commitment(paid, _interest(terms, multiply(whole, share), "upfront_ratio"))
    if terms.upfront_ratio is not None:
        raise refused("upfront_ratio", "is of price_per_unit_hour; upfront_per_unit says it already")
    if terms.term_months is None:
        raise refused("term_months", "required with upfront_per_unit or monthly_price_per_unit")
    upfront, monthly = (part or ZERO for part in parts)
    if not upfront and not monthly:
        raise refused("upfront_per_unit", "a commitment of 0 is no price")
    paid = committed_price(upfront, monthly, terms.term_months, terms.hours_per_month) * terms.hours_per_month
    return Commitment(paid, _interest(terms, upfront, "upfront_per_unit"))


def _interest(terms: RentalTerms, upfront: Decimal, needed_by: str) -> Exact:
    if not upfront or terms.term_months is None:
        return Exact(ZERO)
    if terms.wacc_ratio is None:
        raise refused("wacc_ratio", f"required with {needed_by}; 0 if capital costs nothing")
    return upfront_interest(upfront, terms.wacc_ratio, terms.term_months)
