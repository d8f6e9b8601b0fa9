"""Entries of sources of measurements, in their own shape."""

from __future__ import annotations

from typing import Any

#: MLPerf Inference v5.1, result 5.1-0001, with the fields that a reader needs.
AMD: dict[str, Any] = {
    "ID": "5.1-0001",
    "Submitter": "AMD",
    "Availability": "available",
    "Category": "closed",
    "Suite": "datacenter",
    "System": "Supermicro AS-8125GS-TNMR2",
    "Platform": "8xMI300X_2xEPYC_9575F",
    "UsedModel": "llama2-70b-99",
    "Model": "llama2-70b-99",
    "Scenario": "Interactive",
    "Accuracy": "ROUGE1: 44.4542  ROUGE2: 22.0419  ROUGEL: 28.6112  TOKENS_PER_SAMPLE: 301.1",
    "Nodes": 1,
    "Accelerator": "AMD Instinct MI300X 192GB HBM3",
    "a#": 8,
    "Software": "vLLM 0.9.0.2.dev108, ROCm 6.4.1",
    "Notes": "",
    "compliance": 1,
    "errors": 0,
    "version": "v5.1",
    "inferred": 0,
    "weight_data_types": "fp8",
    "Performance_Result": 8840.42,
    "Performance_Units": "Tokens/s",
}

#: 64 requests; 921.6 tokens each in 0.4 + 920.6 × 0.0178 s: 3,514 output tok/s of the system, 439 per GPU.
RUN: dict[str, Any] = {
    "hw": "h200-nv",
    "model": "deepseek-ai/DeepSeek-R1-0528",
    "framework": "sglang",
    "precision": "fp8",
    "image": "lmsysorg/sglang:v0.5.5-cu129",
    "tp": 8,
    "ep": 1,
    "dp_attention": "false",
    "conc": 64,
    "isl": 1024,
    "osl": 1024,
    "tput_per_gpu": 878.0,
    "output_tput_per_gpu": 439.0,
    "input_tput_per_gpu": 439.0,
    "median_ttft": 0.4,
    "p99_ttft": 1.2,
    "median_tpot": 0.0178,
    "date": "2026-04-18",
}
