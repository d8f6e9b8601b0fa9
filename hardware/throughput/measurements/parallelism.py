"""How a replica is spread over accelerators, as benchmark tables write it."""

from __future__ import annotations

import re
from typing import Final

from hardware.throughput.question import Parallelism

_FACTOR: Final = re.compile(r"(tp|ep|pp|dep)([0-9]{1,5})")
_POOLS: Final = re.compile(
    r"prefill ([0-9]{1,5})(?:x([0-9]{1,5}))? \+ decode ([0-9]{1,5})(?:x([0-9]{1,5}))?", re.IGNORECASE
)


def parse_parallelism(text: str) -> Parallelism | None:
    """The shape that a label states; None where it is empty, unknown or gives only a total (`total36`).

    `tpN` tensor, `-epN` experts over N of the same accelerators, `-ppN` pipeline, `-dpattn` data-parallel attention,
    `depN` data-parallel attention and experts over N. `prefill AxB + decode CxD`: A workers of B accelerators and C of D;
    without the `x` the numbers are accelerators of one worker a pool, whose count is then unknown.

    >>> parse_parallelism("tp4-ep4-dpattn").accelerators, parse_parallelism("dep2-pp2").accelerators
    (4, 4)
    >>> pools = parse_parallelism("prefill 1x4 + decode 5x8")
    >>> pools.accelerators, pools.decode_workers
    (44, 5)
    """
    stated = text.strip()
    pools = _POOLS.fullmatch(stated)
    if pools is not None:
        return _pools(stated, pools)
    factors: dict[str, int] = {}
    attention_data = False
    for part in stated.lower().split("-") if stated else ():
        found = _FACTOR.fullmatch(part)
        if part == "dpattn":
            attention_data = True
        elif found is None or found[1] in factors or int(found[2]) < 1:
            return None
        else:
            factors[found[1]] = int(found[2])
    if not factors or ("dep" in factors) == ("tp" in factors):
        return None
    if "dep" in factors:
        return Parallelism(
            tensor=factors["dep"],
            pipeline=factors.get("pp", 1),
            expert=factors["dep"],
            attention_data=True,
            text=stated,
        )
    return Parallelism(
        tensor=factors["tp"],
        pipeline=factors.get("pp", 1),
        expert=factors.get("ep", 1),
        attention_data=attention_data,
        text=stated,
    )


def _pools(stated: str, found: re.Match[str]) -> Parallelism | None:
    counts = [int(number) for number in found.groups(default="0")]
    prefill, each_prefill, decode, each_decode = counts
    if not each_prefill or not each_decode:
        each_prefill, each_decode, prefill, decode = prefill, decode, 1, 1
    if min(prefill, each_prefill, decode, each_decode) < 1:
        return None
    return Parallelism(
        tensor=each_decode,
        prefill_workers=prefill,
        prefill_accelerators=each_prefill,
        decode_workers=decode,
        decode_accelerators=each_decode,
        text=stated,
    )


def states_workers(text: str) -> bool:
    """Whether a label gives workers and accelerators of both pools: `prefill AxB + decode CxD`."""
    found = _POOLS.fullmatch(text.strip())
    return found is not None and found[2] is not None and found[4] is not None
