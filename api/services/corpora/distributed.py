"""Counting on a Dask cluster: the step of `counting` on the partitions of a bag. Needs the extra `dask`.

    from dask.distributed import Client
    client = Client("scheduler:8786")     # or LocalCluster(n_workers=2, threads_per_worker=1)
    columns = columns_of_tokenizers(["o200k_base", "gemma4"])
    rows = count_bag(corpus_bag(find_sources(["corpus/"]), Reading()), columns)
    totals = totals_of_bag(rows, columns).compute()

Every worker process loads a vocabulary once and keeps it. Workers need the same permillion, the same extras, and see the
same paths; one thread each, since engines hold Python's lock while they count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from threading import Lock
from typing import Any, Final

import dask.bag

from api.services.corpora.columns import TokenColumn
from api.services.corpora.counting import CountedRow, counted_row
from api.services.corpora.reading import Reading, read_source
from api.services.corpora.sources import Source
from api.services.corpora.texts import START, CorpusText
from api.services.corpora.totals import Totals
from tokenizers_registry.counting import Counted, count_now
from tokenizers_registry.loading import LoadedTokenizers
from tokenizers_registry.registry import Registry

MEMORY_MIB: Final = 1_024
"""Estimated memory of the vocabularies that one worker process keeps."""

_REGISTRY: Final = Registry()
_HELD: Final = LoadedTokenizers(MEMORY_MIB)
_ONE_AT_A_TIME: Final = Lock()


def corpus_bag(sources: Iterable[Source], reading: Reading) -> Any:
    """The texts of files as a Dask bag, a file a partition, read where they are counted.

    One large file is one partition: split it first, or make a bag of your own with `bag_text`.
    """
    listed = list(sources)
    bag = dask.bag.from_sequence(listed, npartitions=max(len(listed), 1))  # type: ignore[no-untyped-call]
    return bag.map_partitions(partial(_read_partition, reading=reading)).map(_itself)


def bag_text(text_id: str | int, text: str, source: str = "") -> CorpusText:
    """A text of a bag that was made some other way, such as `dask.bag.read_text(…).map(json.loads)` or a dataframe's."""
    return CorpusText(source, 1, text_id, text, None, START)


def count_bag(texts: Any, columns: Sequence[TokenColumn]) -> Any:
    """A bag of `CountedRow` from a bag of `CorpusText`, partition by partition, in order."""
    return texts.map_partitions(partial(count_partition, columns=columns)).map(_itself)


def count_partition(texts: Iterable[CorpusText], columns: Sequence[TokenColumn]) -> Iterator[CountedRow]:
    """Rows of one partition, one text in memory at a time.

    Unlike the command's workers it has no timeout: a text that an engine never finishes is the cluster's to stop.

    >>> from api.services.corpora.columns import columns_of_tokenizers
    >>> columns = columns_of_tokenizers(["o200k_base"])
    >>> [row.tokens for row in count_partition([bag_text(1, "Hello, world!"), bag_text(2, "")], columns)]
    [(4,), (0,)]
    """
    tokenizers = [column.tokenizer for column in columns]
    for text in texts:
        counts = {} if text.text is None else _counts(text.text, tokenizers)
        yield counted_row(text, counts, columns)


def _counts(text: str, tokenizers: Sequence[str]) -> dict[str, Counted]:
    with _ONE_AT_A_TIME:  # a worker with several threads has one set of vocabularies all the same
        return count_now([text], tokenizers, registry=_REGISTRY, loaded=_HELD)[0]


def totals_of_bag(rows: Any, columns: Sequence[TokenColumn]) -> Any:
    """`Totals` of a bag of rows, once `.compute()` is called: each partition adds up where it is, only sums travel."""
    count = len(columns)
    return rows.reduction(partial(Totals.of, columns=count), partial(_merged, columns=count))


def _itself(item: Any) -> Any:
    """Dask makes a list of what `map` gives where it has to travel, and leaves it an iterator where it is added up."""
    return item


def _read_partition(sources: Iterable[Source], reading: Reading) -> Iterator[CorpusText]:
    for source in sources:
        yield from read_source(source, reading)


def _merged(parts: Iterable[Totals], columns: int) -> Totals:
    totals = Totals.of((), columns)
    for part in parts:
        totals.merge(part)
    return totals
