"""LibreOffice Calc: price the selected range and write the answer beside it.

Copy this file to the folder of your macros (Linux: ~/.config/libreoffice/4/user/Scripts/python/), select a range whose first line
names the columns of POST /compare.csv or /price.csv, and choose Tools > Macros > Run Macro > permillion_macro > compare_selection
(or price_selection). The answer is written with one empty column between; figures are numbers, everything else is text, and
nothing becomes a formula. A cell named `permillion_service` holds the address of the service; without one it is SERVICE.

Needs Debian's libreoffice-script-provider-python; Python's standard library does the rest.
"""

import csv
import datetime as dt
import decimal
import io
import json
import urllib.error
import urllib.request

SERVICE = "http://127.0.0.1:8000"
TIMEOUT_S = 60

COMPARE_COLUMNS = (
    "row_id", "rank", "offer", "input_tokens", "output_tokens", "input_price_per_mtok", "output_price_per_mtok",
    "cost_per_query", "cost_per_month", "gross_margin_ratio", "currency", "price_status", "error_detail", "warnings",
)  # fmt: skip
PRICE_COLUMNS = ("row_id", "offer", "total", "currency", "price_source", "price_status", "error_detail", "warnings")
NUMBERS = frozenset(
    (
        "rank", "input_tokens", "output_tokens", "input_price_per_mtok", "output_price_per_mtok", "cost_per_query",
        "cost_per_month", "gross_margin_ratio", "total",
    )
)  # fmt: skip
DATES = frozenset(("as_of", "计价时点", "As of"))


def compare_selection(*_):
    """What the selected lines (offer, text or input_tokens, output_tokens, …) cost."""
    _answer_beside(XSCRIPTCONTEXT.getDocument(), "/compare.csv", COMPARE_COLUMNS)  # noqa: F821 - LibreOffice puts it here


def price_selection(*_):
    """What the selected usage (offer, input_tokens, cache_read_tokens, output_tokens, …) costs."""
    _answer_beside(XSCRIPTCONTEXT.getDocument(), "/price.csv", PRICE_COLUMNS)  # noqa: F821 - as above


g_exportedScripts = (compare_selection, price_selection)  # noqa: N816 - the name LibreOffice looks for


def _answer_beside(document, path, columns):
    selected = document.getCurrentSelection()
    place = selected.getRangeAddress()
    sheet = document.getSheets().getByIndex(place.Sheet)
    first = place.EndColumn + 2
    try:
        rows = _ask(_service(document) + path, _csv(document, selected.getDataArray()))
    except _RefusedError as refused:
        sheet.getCellByPosition(first, place.StartRow).setString(f"#permillion: {refused}")
        return
    for across, column in enumerate(columns):
        sheet.getCellByPosition(first + across, place.StartRow).setString(column)
        for down, row in enumerate(rows, start=1):
            cell, value = sheet.getCellByPosition(first + across, place.StartRow + down), row[column]
            if value is None:
                cell.setString("")
            elif column in NUMBERS:
                cell.setValue(float(value))
            else:
                cell.setString(str(value))


class _RefusedError(Exception):
    """The service, or the way to it, refused; the text says why."""


def _ask(url, body):
    """The rows that answer `body`."""
    if not url.startswith(("http://", "https://")):
        raise _RefusedError(f"{url} is no address of a service")
    headers = {"Content-Type": "text/csv; charset=utf-8", "Accept": "application/json"}
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - its scheme is checked
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310 - as above
            return json.load(response)["rows"]
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        raise _RefusedError(f"{problem['error_code']}: {problem['detail']}") from None
    except OSError as error:
        raise _RefusedError(f"no answer from {url}: {error}") from None


def _service(document):
    """The address of the service: the cell named permillion_service, else SERVICE."""
    names = document.NamedRanges
    if names.hasByName("permillion_service"):
        stated = names.getByName("permillion_service").getReferredCells().getCellByPosition(0, 0).getString()
        return stated.rstrip("/") or SERVICE
    return SERVICE


def _csv(document, lines):
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    header = [str(cell).strip() for cell in lines[0]]
    writer.writerow(header)
    for line in lines[1:]:
        writer.writerow([_text(document, name in DATES, cell) for name, cell in zip(header, line)])  # noqa: B905 - LibreOffice brings old Pythons
    return out.getvalue().encode("utf-8")


def _text(document, is_date, cell):
    """A cell as the service reads it: a point as decimal sign, no exponent, dates as 2026-11-30."""
    if not isinstance(cell, float):
        return cell
    if is_date:
        start = document.NullDate
        day = dt.datetime(start.Year, start.Month, start.Day, tzinfo=dt.timezone.utc) + dt.timedelta(days=cell)  # noqa: UP017 - since 3.11
        return day.strftime("%Y-%m-%dT%H:%M:%SZ")
    return format(decimal.Decimal(f"{cell:.15g}"), "f")
