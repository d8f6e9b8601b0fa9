"""The shapes a replica may take where none is stated."""

from __future__ import annotations

from hardware.architectures.architecture import Architecture
from hardware.throughput.question import Parallelism


def candidate_shapes(architecture: Architecture, accelerator_count: int) -> list[Parallelism]:
    """Tensor-parallel shapes: powers of two up to 8, as many replicas as there is room for, and nodes of 8 as stages.

    More than 8 ranks are left to those who state them. PCIe cards have a domain of 1 or 2 and yet are run with up to 8, over PCIe.

    >>> from hardware.architectures.architecture import shipped_architecture
    >>> [shape.tensor for shape in candidate_shapes(shipped_architecture("llama-3.1-70b"), 12)]
    [1, 2, 4, 8]
    """
    shapes = []
    tensor = 1
    while tensor <= min(8, accelerator_count):
        shapes.append(Parallelism(tensor=tensor, expert=tensor if architecture.is_moe else 1, text=f"tp{tensor}"))
        tensor *= 2
    stages = accelerator_count // 8
    if accelerator_count % 8 == 0 and stages > 1:
        shapes.append(Parallelism(tensor=8, pipeline=stages, text=f"tp8-pp{stages}"))
    return shapes
