"""A rental price: what one provider asks for one machine, seen on one day.

A price without unit, coverage, purchase model, region, date and source is no price: public code carries eight different
figures for one a3-highgpu-8g, from 9.46 (its host alone) to 98.32 (another cloud's machine) an hour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal, get_args

from economics.errors import PermillionError
from economics.money import Exact

Unit = Literal["instance", "accelerator", "slice"]
Coverage = Literal["whole_instance", "host_only", "accelerator_only"]
PurchaseModel = Literal["on_demand", "spot", "commit", "reserved", "block"]
Confidence = Literal["high", "medium", "low"]

PURCHASE_MODELS: Final = get_args(PurchaseModel)
UNITS: Final = get_args(Unit)
COVERAGES: Final = get_args(Coverage)
MAX_COUNT: Final = 1_000_000
MAX_NAME: Final = 300
_PROVIDER: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_DAY: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class RentalPrice:
    """One dated price an hour.

    Attributes:
        provider: `aws`, lower case.
        sku: what is rented, as the provider writes it (`p5.48xlarge`); a price per accelerator without a machine's name
            has the accelerator's id.
        accelerator: our id; None where the name is not one we know (`accelerator_as_named`): kept, never dropped.
        accelerator_count: accelerators that `amount` pays for: of an instance all of it, of a slice its chips (a v5p-N has
            N/2), of the unit accelerator 1.
        unit: what is billed; an instance is paid in full however many of its accelerators are used.
        coverage: `whole_instance`, or only the host (`host_only`), or only the accelerator (`accelerator_only`).
        term_months, upfront_share: of a commitment; None where not stated.
        amount: for one `unit` and hour in `currency`, above 0; a commitment's is spread over its hours.
        region, zone: as the provider names them, None where not stated.
        billing_increment_s, minimum_s: what a use is rounded up to and charged at least, None where not stated.
        as_of: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`: when it was seen; None with the reason in `as_of_gap`.
        tax_included: None where not stated.
        variant: tells apart two figures that one source has of one thing.

    Raises:
        PermillionError: `invalid-fields` with the pointer of the field.
    """

    provider: str
    sku: str
    accelerator: str | None
    accelerator_as_named: str
    accelerator_count: int
    unit: Unit
    coverage: Coverage
    purchase_model: PurchaseModel
    amount: Decimal
    currency: str
    source: str
    term_months: int | None = None
    upfront_share: Decimal | None = None
    region: str | None = None
    zone: str | None = None
    billing_increment_s: int | None = None
    minimum_s: int | None = None
    as_of: str | None = None
    as_of_gap: str | None = None
    source_version: str | None = None
    license: str | None = None
    confidence: Confidence = "medium"
    tax_included: bool | None = None
    variant: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        self._check_texts()
        if not self.amount.is_finite() or self.amount <= 0:
            raise _invalid("amount", "a price is above 0; leave out what is unknown")
        if not 1 <= self.accelerator_count <= MAX_COUNT:
            raise _invalid("accelerator_count", f"from 1 to {MAX_COUNT}")
        if self.unit == "accelerator" and self.accelerator_count != 1:
            raise _invalid("accelerator_count", "a price per accelerator pays for 1")
        if self.term_months is not None and (self.purchase_model not in ("commit", "reserved") or self.term_months < 1):
            raise _invalid("term_months", "a term of at least 1 month belongs to commit or reserved")
        if self.upfront_share is not None and not 0 <= self.upfront_share <= 1:
            raise _invalid("upfront_share", "a share lies between 0 and 1")
        if re.fullmatch(r"[A-Z]{3}", self.currency) is None:
            raise _invalid("currency", "an ISO 4217 code, such as USD")
        if (self.as_of is None) == (self.as_of_gap is None):
            raise _invalid("as_of", "say when the price was seen, or why that is not known")
        if self.as_of is not None:
            first_day(self.as_of)

    def _check_texts(self) -> None:
        if _PROVIDER.fullmatch(self.provider) is None:
            raise _invalid("provider", "lower-case letters, digits, dots and hyphens, at most 64")
        for name in ("sku", "region", "zone", "source", "source_version", "accelerator_as_named"):
            text = getattr(self, name)
            if text is not None and not (1 <= len(text) <= MAX_NAME and text.isprintable()):
                raise _invalid(name, f"1 to {MAX_NAME} printable characters")
        if self.unit not in UNITS or self.coverage not in COVERAGES or self.purchase_model not in PURCHASE_MODELS:
            raise _invalid("unit", "unit, coverage and purchase_model are words of a closed list")

    @property
    def id(self) -> str:
        """`aws/p5.48xlarge:us-east-1:on_demand:2026-09-06`: who, what, where, how, when.

        A commitment has its term (`commit-36m`), an undated price the version of its source instead of the day.
        """
        where = self.region or "-"
        if self.zone is not None:
            where = f"{where}/{self.zone}"
        how = self.purchase_model if self.term_months is None else f"{self.purchase_model}-{self.term_months}m"
        when = self.as_of or f"undated-{self.source_version or 'unversioned'}"
        parts = [self.offer, where, how, when]
        return ":".join([*parts, self.variant] if self.variant else parts).replace(" ", "_")

    @property
    def offer(self) -> str:
        """`provider/sku`."""
        return f"{self.provider}/{self.sku}"

    @property
    def seen_on(self) -> date | None:
        """The first day of `as_of`: a month alone counts from its first day."""
        return None if self.as_of is None else first_day(self.as_of)

    @property
    def per_accelerator(self) -> Exact:
        """`amount / accelerator_count` an hour: right only where every accelerator of the unit is used.

        >>> price = RentalPrice("aws", "p5.48xlarge", "h100-sxm", "H100", 8, "instance", "whole_instance", "on_demand",
        ...                     Decimal("55.04"), "USD", "price list", region="us-east-1", as_of="2026-09-06")
        >>> price.per_accelerator.to_text(), price.id
        ('6.88', 'aws/p5.48xlarge:us-east-1:on_demand:2026-09-06')
        """
        return Exact(self.amount, Decimal(self.accelerator_count))


def first_day(text: str) -> date:
    """The first day of a day, month or year.

    Raises:
        PermillionError: `invalid-fields`.

    >>> first_day("2026-02"), first_day("2024")
    (datetime.date(2026, 2, 1), datetime.date(2024, 1, 1))
    """
    found = _DAY.fullmatch(text)
    try:
        if found is not None:
            return date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        pass
    raise _invalid("as_of", "a day, month or year: 2026-11-30, 2026-11 or 2026")


@lru_cache(maxsize=4_096)
def normal_name(text: str) -> str:
    """How instance names, regions and providers are compared: without regard to case, blanks and underscores alike.

    Azure's `Standard_` is left out: some write it, some do not.

    >>> normal_name("NC24ads A100 v4") == normal_name("Standard_NC24ads_A100_v4")
    True
    """
    return re.sub(r"(^|/)standard_", r"\1", re.sub(r"[\s_]+", "_", text.strip().casefold()))


def _invalid(field: str, detail: str) -> PermillionError:
    return PermillionError("invalid-fields", detail, pointer=f"/{field}")
