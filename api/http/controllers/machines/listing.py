"""What the list routes about machines share: filters, pages, tags; and the answer to a POST."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from litestar import Request
from litestar.concurrency import sync_to_thread
from litestar.datastructures import State
from litestar.params import QueryParameter
from litestar.response.base import ASGIResponse

from api.http.caching import conditional
from api.http.converters.common import to_api_meta
from api.http.idempotency import Write, write_once
from api.http.limits import check_rows
from api.http.rendering import Csv, choose_format, render, render_many
from api.http.state import counter_of, service_of, snapshot_of
from api.services.machines.adding import Added, add_records
from api.services.machines.listing import Page
from catalog.reference import Hardware, Kind
from economics.errors import PermillionError
from economics.periods import parse_instant

DEFAULT_PAGE: Final = 1_000


class Filters:
    """Query parameters that choose records."""

    KnownAt = Annotated[
        str | None, QueryParameter(name="known_at", description="as was believed at this instant", max_length=40)
    ]
    Limit = Annotated[int, QueryParameter(name="limit", ge=1, le=10_000, description="rows a page")]
    Cursor = Annotated[
        str | None, QueryParameter(name="cursor", description="`next` of the page before", max_length=300)
    ]
    Accelerator = Annotated[
        str | None, QueryParameter(name="accelerator", description="of this accelerator only", max_length=100)
    ]
    Vendor = Annotated[str | None, QueryParameter(name="vendor", description="of this vendor only", max_length=100)]


async def list_page(
    request: Request[Any, Any, State],
    read: Callable[[Hardware], Page],
    row: Callable[[Any, Any], dict[str, Any]],
    columns: Sequence[str],
    numbers: frozenset[str],
    format_: str | None,
    known_at: str | None,
    style: Csv,
    as_of: datetime | None = None,
) -> ASGIResponse:
    """A page of records in the format asked for, tagged with the catalog's version."""
    service = service_of(request)
    chosen = choose_format(request.headers.get("accept", ""), format_)
    known = None if known_at is None else parse_instant(known_at, pointer="/known_at")
    snapshot = await snapshot_of(service, known)
    page, rows = await sync_to_thread(_read_rows, read, row, snapshot.hardware)
    document = {"meta": to_api_meta(as_of or service.now(), snapshot.version, ()), "next": page.after}
    headers = None
    if page.after is not None:
        kept = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
        headers = {"Link": f'<?{urlencode([*kept, ("cursor", page.after)])}>; rel="next"'}
    response = await render_many(chosen, columns, rows, document, style, numbers, headers)
    return conditional(request, response, snapshot.version)


def _read_rows(
    read: Callable[[Hardware], Page], row: Callable[[Any, Any], dict[str, Any]], hardware: Hardware
) -> tuple[Page, list[dict[str, Any]]]:
    """A page and its rows, beside the event loop: a thousand prices take a tenth of a second."""
    page = read(hardware)
    return page, [row(reference, record) for reference, record in page.rows]


async def record_rows(
    request: Request[Any, Any, State], kind: Kind, rows: Sequence[Any], convert: Callable[[Any], Any]
) -> ASGIResponse:
    """Record the rows of a POST, all or none; the first that is refused is an error with its pointer."""
    service = service_of(request)

    async def prepare() -> Write[Added]:
        check_rows(len(rows), service.settings, "/rows")
        records = []
        for index, row in enumerate(rows):
            try:
                records.append(convert(row))
            except PermillionError as error:
                raise PermillionError(error.slug, error.detail, pointer=f"/rows/{index}{error.pointer}") from None
        now = service.now()
        tokenizers = frozenset(counter_of(service, service.catalog.snapshot).registry.in_use())
        effect = partial(add_records, service.catalog, kind, records, now.astimezone(UTC).date(), tokenizers)
        return Write(effect, partial(_recorded, now))

    return await write_once(request, await request.json(), prepare)


def _recorded(now: datetime, added: Added) -> ASGIResponse:
    report = added.report
    recorded = {"added": report.added, "superseded": report.superseded, "unchanged": report.unchanged}
    meta = to_api_meta(now, report.version, added.warnings)
    response = render("json", tuple(recorded), [recorded], {"meta": meta})
    response.status_code = 201
    return response
