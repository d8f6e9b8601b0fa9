"""The factors by which a deployment is spread, and the number of accelerators that follows from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from economics.errors import PermillionError

_FACTOR: Final = re.compile(r"(tp|pp|cp|dp|ep|dep)([1-9][0-9]{0,4})")
_POOL: Final = r"([1-9][0-9]{0,4})(?:x([1-9][0-9]{0,4}))?"
_POOLS: Final = re.compile(rf"prefill {_POOL} \+ decode {_POOL}")
_LENGTH: Final = 100
GRAMMAR: Final = "tpN[-ppN][-cpN][-dpN][-epN][-dpattn], depN[-ppN], or `prefill AxB + decode CxD`"


@dataclass(frozen=True, slots=True)
class Factors:
    """What a label such as `tp8-pp2-dp4` states.

    Attributes:
        tensor, pipeline, context, data: each multiplies the number of accelerators; `data` counts replicas.
        expert, attention_data: over the same accelerators; they multiply nothing.
        prefill, decode: (workers, accelerators of each) of disaggregated pools; workers None where the label does not say.
    """

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    data: int = 1
    expert: int = 1
    attention_data: bool = False
    prefill: tuple[int | None, int] | None = None
    decode: tuple[int | None, int] | None = None

    @property
    def disaggregated(self) -> bool:
        """Whether prefill and decode have pools of their own."""
        return self.decode is not None

    @property
    def accelerators(self) -> int | None:
        """The product of the factors, or the sum over the pools; None where a number of workers is unknown.

        >>> parse_factors("tp8-cp4-ep8").accelerators, parse_factors("prefill 1x4 + decode 5x8").accelerators
        (32, 44)
        """
        if self.prefill is None or self.decode is None:
            return self.tensor * self.pipeline * self.context * self.data
        total = 0
        for workers, each in (self.prefill, self.decode):
            if workers is None:
                return None
            total += workers * each
        return total

    @property
    def least(self) -> int:
        """Accelerators that there must be at least: with one worker a pool where their number is unknown."""
        if self.prefill is None or self.decode is None:
            return self.tensor * self.pipeline * self.context * self.data
        return sum((workers or 1) * each for workers, each in (self.prefill, self.decode))

    @property
    def decoding(self) -> int | None:
        """Accelerators that decode; None where unknown."""
        if self.decode is None:
            return self.accelerators
        workers, each = self.decode
        return None if workers is None else workers * each


def parse_factors(text: str) -> Factors:
    """The factors of a label as benchmark tables write it.

    Raises:
        PermillionError: `invalid-fields` for a label that is none; the label is not repeated.

    >>> parse_factors("tp4-ep4-dpattn").accelerators, parse_factors("dep16-pp2").accelerators
    (4, 32)
    >>> parse_factors("prefill 8 + decode 16").accelerators is None, parse_factors("prefill 8 + decode 16").least
    (True, 24)
    """
    label = text.strip().lower()[: _LENGTH + 1]
    pools = _POOLS.fullmatch(label)
    if pools is not None:
        return Factors(prefill=_pool(pools[1], pools[2]), decode=_pool(pools[3], pools[4]))
    found: dict[str, int] = {}
    attention_data = False
    for part in label.split("-"):
        factor = _FACTOR.fullmatch(part)
        if part == "dpattn":
            attention_data = True
        elif factor is None or factor[1] in found:
            raise PermillionError("invalid-fields", f"parallelism is {GRAMMAR}", pointer="/parallelism")
        else:
            found[factor[1]] = int(factor[2])
    if ("dep" in found) + ("tp" in found) > 1 or not found or set(found) == {"ep"}:
        raise PermillionError("invalid-fields", f"parallelism is {GRAMMAR}", pointer="/parallelism")
    together = found.get("dep")
    return Factors(
        tensor=together or found.get("tp", 1),
        pipeline=found.get("pp", 1),
        context=found.get("cp", 1),
        data=found.get("dp", 1),
        expert=together or found.get("ep", 1),
        attention_data=attention_data or together is not None,
    )


def _pool(first: str, second: str | None) -> tuple[int | None, int]:
    return (None, int(first)) if second is None else (int(first), int(second))
