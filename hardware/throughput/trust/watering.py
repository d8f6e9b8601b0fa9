"""Red flags: ways in which a true figure is made to say more than it can ("watered" benchmarks)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from hardware.throughput.trust.finding import Finding
from hardware.throughput.trust.measurement import Measurement

SHORT_TOKENS: Final = 128
SHORT_WINDOW_S: Final = 60.0
OVERLOADED_TTFT_MS: Final = 30_000.0
HIDDEN_TTFT_RATIO: Final = 10.0
SPARSITY_RATIO: Final = 1.5
"""Vendors print twice the dense peak; tables of it differ by up to a tenth."""
_CONVERSATIONS: Final = ("chat", "agent")
_SERVING: Final = ("serving", *_CONVERSATIONS)

_Rule = Callable[[Measurement], Iterable[Finding]]


def red_flags(measured: Measurement) -> list[Finding]:
    """All red flags of one measurement."""
    return [found for rule in _RULES for found in rule(measured)]


def _use(measured: Measurement) -> Iterable[Finding]:
    conditions, quoted = measured.conditions, measured.claims.quoted_for
    if conditions.concurrency == 1 and quoted != "user_speed" and measured.value.tokens_per_s is not None:
        yield Finding("batch_1", "one request at a time: no figure for throughput", "C")
    if quoted == "user_speed" and (conditions.concurrency or 0) > 1 and measured.value.scope != "user":
        yield Finding("throughput_as_user_speed", "the throughput of many requests is not what one user sees", "C")
    lengths = (conditions.isl_tokens, conditions.osl_tokens)
    if quoted in _CONVERSATIONS and any(each is not None and each <= SHORT_TOKENS for each in lengths):
        yield Finding("short_lengths", f"at most {SHORT_TOKENS} tokens in or out is no chat and no agent", "C")
    if quoted in _SERVING and conditions.arrival == "all_at_once":
        yield Finding("no_latency_bound", "all requests queued at the start: no latency was kept to", "C")


def _scope(measured: Measurement) -> Iterable[Finding]:
    value, claims = measured.value, measured.claims
    if value.scope == "user":
        yield Finding("per_user_speed_only", "speed of one user without a chip count: no cost follows from it", "D")
    if value.scope in ("prefill_pool_accelerator", "decode_pool_accelerator"):
        yield Finding("per_pool_figure", "per accelerator of one pool: the other pool is paid, too", "D")
    if claims.prefill_accelerators_counted is False:
        yield Finding("prefill_left_out", "the accelerators of prefill are not among those counted", "D")
    if value.window == "decode":
        yield Finding("prefill_left_out", "the time of prefill is not in the window: no throughput of requests", "D")
    if value.counted == "input_and_output":
        yield Finding("counts_input_tokens", "input and output tokens together: split by the mean lengths", "C")


def _cache(measured: Measurement) -> Iterable[Finding]:
    conditions = measured.conditions
    if measured.claims.cached_input_counted:
        yield Finding("cached_input_counted", "input from the prefix cache is counted as processed", "C")
    if conditions.prompts in ("identical", "seeded_repeat"):
        text = "identical or repeated prompts on a warm server: 59 % to 132 % more was seen"
        yield Finding("repeated_prompts", text, "D")


def _window(measured: Measurement) -> Iterable[Finding]:
    conditions, value = measured.conditions, measured.value
    if value.kind != "mean":
        yield Finding("best_not_mean", f"{value.kind.replace('_', ' ')} in place of a mean", "C")
    if conditions.duration_s is not None and conditions.duration_s < SHORT_WINDOW_S:
        yield Finding("short_window", "measured for less than a minute", "C")


def _tokens(measured: Measurement) -> Iterable[Finding]:
    conditions = measured.conditions
    if conditions.output_length_kind == "requested":
        yield Finding("requested_output_length", "tokens asked for, not tokens produced", "C")
    if conditions.tokens_counted_by == "retokenized":
        yield Finding("tokens_retokenized", "text tokenized again has another number of tokens", "C")
    if conditions.tokens_counted_by == "chunks":
        yield Finding("chunks_as_tokens", "a chunk of a stream may hold several tokens", "C")
    if conditions.speculative_decoding not in (None, "none") and conditions.acceptance_ratio is None:
        yield Finding("acceptance_not_stated", "speculative decoding without its acceptance on this workload", "C")


def _latency(measured: Measurement) -> Iterable[Finding]:
    first, limit = measured.value.ttft, measured.claims.ttft_limit_ms
    worst = max((each for each in first if each is not None), default=None)
    if worst is None:
        return
    if limit is not None and worst > HIDDEN_TTFT_RATIO * limit:
        yield Finding("ttft_behind_tpot", "TTFT is over ten times the limit while TPOT looks good", "C")
    if first.typical is not None and first.typical > OVERLOADED_TTFT_MS:
        yield Finding("ttft_over_30s", "requests wait over 30 s: overloaded", "C")


def _comparison(measured: Measurement) -> Iterable[Finding]:
    claims, conditions = measured.claims, measured.conditions
    other, own = claims.compared_weight_precision, conditions.weight_precision
    if other is not None and other != own and not claims.quality_stated:
        yield Finding("precision_without_quality", "another precision on the other side, and quality not compared", "C")
    if claims.peak_tflops_is_dense is False or _above_dense(measured):
        yield Finding("sparsity_peak", "the peak counts sparsity, which no served model has", "C")
    if claims.cost_utilization_ratio is not None and claims.cost_utilization_ratio >= 1:
        yield Finding("full_utilization_in_cost", "a cost at 100 % utilization is a floor, no cost", "C")
    terms = (claims.price_term, claims.compared_price_term)
    if None not in terms and terms[0] != terms[1]:
        yield Finding("price_terms_differ", "prices of accelerators for different terms are compared", "C")


def _above_dense(measured: Measurement) -> bool:
    accelerator, stated = measured.conditions.accelerator, measured.peak_tflops
    dense = max(accelerator.dense_tflops.values(), default=None) if accelerator is not None else None
    return stated is not None and dense is not None and stated > SPARSITY_RATIO * dense


_RULES: Final[tuple[_Rule, ...]] = (_use, _scope, _cache, _window, _tokens, _latency, _comparison)
