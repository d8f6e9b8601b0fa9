"""Which worker counts what: all cores for a long request, no second copy of a vocabulary for a short one."""

from collections.abc import Iterable

from tokenizers_registry.families import Family
from tokenizers_registry.placement import Placement, seconds
from tokenizers_registry.registry import Registry

KNOWN = Registry()
ALL = list(KNOWN)


def work_s(names: Iterable[str], size: int) -> float:
    """Shared vocabularies are counted once."""
    families: dict[str, Family] = {KNOWN[name].fingerprint: KNOWN[name] for name in names}
    return sum(seconds(family, size) for family in families.values())


def test_every_tokenizer_is_counted_once_somewhere() -> None:
    for workers in (1, 2, 3, 64):
        shares = Placement(workers).share([(family, 1_000) for family in ALL], [0.0] * workers)
        assert sorted(name for share in shares for name in share) == sorted(family.tokenizer for family in ALL)


def test_a_long_text_keeps_all_workers_busy_to_the_end() -> None:
    """By Graham's bound the longest share is at most 7/6 of the best schedule, once nothing has to be loaded."""
    placement, size = Placement(2), 100_000
    for _ in range(5):
        shares = placement.share([(family, size) for family in ALL], [0.0, 0.0])
    one_vocabulary_once = {family.fingerprint: family for family in ALL}.values()
    calls = [seconds(family, size) for family in one_vocabulary_once]
    best = max(*calls, sum(calls) / 2)
    assert max(work_s(share, size) for share in shares) <= best * 7 / 6


def test_short_texts_are_counted_where_the_vocabulary_is() -> None:
    placement = Placement(2)
    for name in ("o200k_base", "llama3", "gemma3", "claude_v48"):
        homes = {
            index
            for _ in range(20)
            for index, share in enumerate(placement.share([(KNOWN[name], 2_000)], [0.0, 0.0]))
            if share
        }
        assert len(homes) == 1, name


def test_a_long_queue_is_worth_a_second_copy() -> None:
    placement, asked = Placement(2), [(KNOWN["o200k_base"], 2_000)]
    (home,) = (index for index, share in enumerate(placement.share(asked, [0.0, 0.0])) if share)
    short = [0.1 if index == home else 0.0 for index in range(2)]
    long = [5.0 if index == home else 0.0 for index in range(2)]
    assert placement.share(asked, short)[home] == ["o200k_base"]
    assert placement.share(asked, long)[1 - home] == ["o200k_base"]
