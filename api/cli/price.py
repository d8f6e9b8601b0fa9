"""`permillion price --cases FILE`: a person's own price cases against the catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter

from api.cli.opening import open_catalog
from api.http.converters.price import from_api_served, from_api_usage
from api.http.schemas.price import PriceRowIn
from api.http.wire import decode_row
from api.services.offers import OfferName
from api.services.pricing import PricedUsage, UsageToPrice, price_usage
from api.settings import settings_from_environment
from catalog.snapshot import Snapshot
from economics.errors import PermillionError
from economics.money import parse_decimal
from economics.periods import parse_instant
from economics.vendor_usage import recognise_format

_ROW: TypeAdapter[PriceRowIn] = TypeAdapter(PriceRowIn)


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that did not come out as expected."""

    case: str
    expected: str
    got: str
    lines: tuple[str, ...]


@click.command(name="price")
@click.option(
    "--cases",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON with cases: id, provider, model, as_of, usage, context, currency, expected_total.",
)
def command(file: Path) -> None:
    """Price the cases in a file and print what differs; exit 1 if anything does."""
    cases = read_cases(file)
    catalog = open_catalog(settings_from_environment())
    differences = list(differing(cases, catalog.snapshot))
    catalog.close()
    for difference in differences:
        click.echo(f"{difference.case}: expected {difference.expected}, got {difference.got}")
        for line in difference.lines:
            click.echo(f"    {line}")
    click.echo(f"{len(cases) - len(differences)} of {len(cases)} cases agree")
    if differences:
        raise SystemExit(1)


def read_cases(file: Path) -> list[Mapping[str, Any]]:
    """The cases of a file.

    Raises:
        PermillionError: `invalid-fields` where the file is no such JSON.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"), parse_float=str)
    except (ValueError, RecursionError):
        raise PermillionError("invalid-fields", f"{file.name} is not JSON") from None
    cases = document.get("cases") if isinstance(document, dict) else document
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise PermillionError("invalid-fields", f'{file.name} needs a list "cases" of objects')
    return cases


def differing(cases: list[Mapping[str, Any]], snapshot: Snapshot) -> Iterator[Difference]:
    """The cases whose total or currency is not the expected one, with the charged lines."""
    for index, case in enumerate(cases):
        name = str(case.get("id", index))
        try:
            expected = f"{parse_decimal(str(case['expected_total'])):f} {case['currency']}"
            answer = price_usage(from_case(case), snapshot)
        except KeyError as error:
            yield Difference(name, "a complete case", f"no {error.args[0]}", ())
            continue
        except PermillionError as error:
            yield Difference(name, "a readable case", f"{error.slug}: {error.detail}", ())
            continue
        if answer.error is not None or answer.bill is None or answer.total is None:
            refused = answer.error
            yield Difference(name, expected, "nothing" if refused is None else f"{refused.slug}: {refused.detail}", ())
        elif answer.total.to_decimal() != Decimal(expected.split(maxsplit=1)[0]) or answer.currency != case["currency"]:
            yield Difference(name, expected, f"{answer.total.to_text()} {answer.currency}", _lines(answer))


def from_case(case: Mapping[str, Any]) -> UsageToPrice:
    """A case as a question: the book is lifted out of the context, vendor-shaped usage is decomposed."""
    usage = case["usage"]
    if not isinstance(usage, Mapping) or not isinstance(case.get("context", {}), Mapping):
        raise PermillionError("invalid-fields", "usage and context are objects")
    context = dict(case.get("context", {}))
    book = context.pop("price_book", None)
    shape = recognise_format(usage)
    row: PriceRowIn = decode_row(
        _ROW,
        {
            "offer": f"{case['provider']}/{case['model']}",
            "price_book": book,
            "context": context,
            "served_context": case.get("served_context"),
            **({"usage": usage} if shape is None else {"usage_format": shape, "vendor_usage": usage}),
        },
    )
    given, queries = from_api_usage(row)
    name = OfferName(row.offer, row.price_book, row.context)
    return UsageToPrice(
        str(case.get("id", "")), name, parse_instant(case["as_of"]), given, queries, from_api_served(row)
    )


def _lines(answer: PricedUsage) -> tuple[str, ...]:
    assert answer.bill is not None
    return tuple(
        f"{line.meter}: {line.quantity} at {line.rate.rate:f} per {line.rate.row.per} = {line.cost.to_text()}"
        for line in answer.bill.lines
    )
