"""What the same text costs in another language, offer by offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from api.services.comparing.compare import ComparedOffer
from economics.errors import PermillionError
from economics.money import Exact


@dataclass(frozen=True, slots=True)
class Premium:
    """Ratios of `sample` to `base_sample`, which say the same in two languages; above 1 the sample needs more."""

    offer: ComparedOffer
    sample: str
    base_sample: str
    input_tokens_ratio: Exact | None
    output_tokens_ratio: Exact | None
    cost_per_query_ratio: Exact | None


def language_premiums(offers: Sequence[ComparedOffer], pairs: Sequence[tuple[str, str]]) -> list[Premium]:
    """One row per priced offer and pair.

    Raises:
        PermillionError: `invalid-fields` for a pair that names no sample.

    Worked number (story 1, o200k_base): 101 Chinese input tokens against 100 English ones is a ratio of 1.01.
    """
    found: list[Premium] = []
    for offer in offers:
        by_name = dict(offer.samples)
        for index, (sample, base) in enumerate(pairs):
            if not by_name:
                continue
            if sample not in by_name or base not in by_name:
                raise PermillionError(
                    "invalid-fields", "a language pair must name two samples", pointer=f"/language_pairs/{index}"
                )
            of, to = by_name[sample], by_name[base]
            found.append(
                Premium(
                    offer,
                    sample,
                    base,
                    _ratio(of.input_tokens, to.input_tokens),
                    _ratio(of.output_tokens, to.output_tokens),
                    _ratio(of.cost_per_query, to.cost_per_query),
                )
            )
    return found


def _ratio(value: Exact | None, base: Exact | None) -> Exact | None:
    return None if value is None or not base else value / base
