"""Speculative decoding: several tokens a step, each step dearer."""

from __future__ import annotations

from hardware.throughput.physics.figures import Figures


def tokens_per_step(acceptance: float, drafted: int) -> float:
    """Expected tokens of one verification: (1 − a^(g+1)) / (1 − a), g + 1 where every draft is accepted.

    Leviathan et al. 2023, table of theoretical factors.

    >>> [round(tokens_per_step(a, g), 2) for a, g in ((0.6, 2), (0.7, 3), (0.8, 2), (0.8, 5), (0.9, 2), (0.9, 10))]
    [1.96, 2.53, 2.44, 3.69, 2.71, 6.86]
    """
    if acceptance >= 1.0:
        return float(drafted + 1)
    return float((1.0 - acceptance ** (drafted + 1)) / (1.0 - acceptance))


def speculative_step_seconds(verify_s: Figures, draft_s: Figures, acceptance: float, drafted: int) -> Figures:
    """Mean time of a token: (t_dec(B·(g + 1)) + g·t_draft) / tokens a step. It may exceed a plain step when compute binds.

    >>> round(speculative_step_seconds(0.02, 0.001, 0.8, 2), 5)
    0.00902
    """
    return (verify_s + drafted * draft_s) / tokens_per_step(acceptance, drafted)
