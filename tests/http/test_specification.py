"""`openapi/openapi.json` is what the service serves, describes every route, and holds: schemathesis tries it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from api.app import build_litestar
from api.http.problem_types import PROBLEM_TYPES
from api.settings import Settings
from catalog.catalog import Catalog
from tests.http.asking import COMPARE_COLUMNS, PRICE_COLUMNS, TOKENIZE_COLUMNS
from tests.running import ROOT

COMMITTED = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
SCHEMAS = COMMITTED["components"]["schemas"]
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in COMMITTED["paths"].items()
    for method, operation in methods.items()
    if method in ("get", "post", "put", "delete", "patch", "head", "options")
}
UNDESCRIBED = {"/docs/{name}"}  # the scripts and styles of the documentation page


def every(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in the document with where it stands."""
    if isinstance(node, dict):
        yield path, node
        for name, child in node.items():
            if name != "examples":
                yield from every(child, f"{path}/{name}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from every(child, f"{path}/{index}")


def test_the_committed_document_is_the_served_one(client: httpx.Client) -> None:
    response = client.get("/openapi.json")
    assert response.headers["content-type"] == "application/json"
    assert response.json() == COMMITTED
    assert COMMITTED["openapi"].startswith("3.1")


def test_every_route_is_described_and_every_description_is_a_route(client: httpx.Client) -> None:
    app = build_litestar(Settings(), Catalog.open("sqlite:///never-opened.sqlite3"))
    routes = {re.sub(r":\w+}", "}", route.path) for route in app.routes}
    assert routes - UNDESCRIBED == set(COMMITTED["paths"])
    shown = {re.sub(r":\w+}", "}", path) for path in client.get("/").json()["routes"]}
    assert shown - UNDESCRIBED == set(COMMITTED["paths"]), "/ lists what there is"
    methods = {
        f"{method} {re.sub(r':[a-z]+}', '}', route.path)}"
        for route in app.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }
    assert {name for name in methods if name.split()[1] not in UNDESCRIBED} == set(OPERATIONS)


def test_operations_have_stable_ids_and_words() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(ids)) == len(ids)
    for name, operation in OPERATIONS.items():
        assert re.fullmatch(r"[a-z][A-Za-z]+", operation["operationId"]), name
        assert operation.get("description") or operation.get("summary"), name
        assert operation["tags"], name


def test_no_number_is_a_float() -> None:
    """Decimals are strings; what is left as a number would be a float in every generated client."""
    assert [
        where
        for where, node in every(COMMITTED)
        if node.get("type") == "number" or "number" in (node.get("type") or [])
    ] == []


MONEY = re.compile(
    r"(price|cost|rate|total|revenue|margin|premium|ratio|share|weight|queries_per_month|per_mtok|per_mchar)"
)
NO_MONEY = {
    "price_book", "price_books", "price_checked_on", "price_source", "weights", "before_price_source", "after_price_source", "price_status", "price_valid_from", "premiums",
    "totals", "list_cost_detail", "priced_rows", "weight_precision", "price_basis",
    "may_enter_cost", "compared_weight_precision", "weight_only",
    "price_term", "compared_price_term",
    "rental_price", "purchase_price", "shared_experts", "not_for_cost",
    "rates",
}  # fmt: skip


def test_money_is_a_decimal_string() -> None:
    checked = 0
    for where, node in every(SCHEMAS):
        for name, field in node.get("properties", {}).items():
            if name in NO_MONEY or not MONEY.search(name):
                continue
            forms = field.get("anyOf", [field])
            strings = [form for form in forms if form.get("type") == "string"]
            assert strings or "$ref" in str(field), f"{where}/{name}: {field}"
            assert field.get("format") == "decimal" or any(form.get("format") == "decimal" for form in strings), (
                f"{where}/{name}: {field}"
            )
            checked += 1
    assert checked > 30


@pytest.mark.parametrize(
    ("schema", "columns"),
    [("ComparedRow", COMPARE_COLUMNS), ("PricedRow", PRICE_COLUMNS), ("TokenizedRow", TOKENIZE_COLUMNS)],
)
def test_rows_have_the_frozen_columns_in_order(schema: str, columns: list[str]) -> None:
    properties = list(SCHEMAS[schema]["properties"])
    assert properties[: len(columns)] == columns, "new columns come at the end"
    assert SCHEMAS[schema]["required"] == properties, "an answer's field is always there"
    assert schema != "ComparedRow" or properties == columns


def test_what_is_sent_may_hold_no_unknown_field() -> None:
    for name in (
        "CompareRequest",
        "CompareOfferIn",
        "SampleIn",
        "WorkloadIn",
        "PriceRequest",
        "PriceRowIn",
        "PublishRequest",
        "TermIn",
        "QuoteRequest",
        "QuoteChange",
        "RecountRequest",
        "RecountRowIn",
        "StatementRequest",
        "StatementRowIn",
        "HostingRequest",
        "HostingRowIn",
        "HostingOfferIn",
        "OwnershipRequest",
        "OwnershipRowIn",
        "RentalRequest",
        "RentalRowIn",
        "BreakEvenRequest",
        "BreakEvenRowIn",
        "CheckRequest",
        "MeasurementIn",
        "EstimateRequest",
        "DeploymentIn",
        "MarginRequest",
        "MarginRowIn",
        "MeanUsageIn",
        "CapacityRequest",
        "CapacityRowIn",
        "TrainingRequest",
        "TrainingRowIn",
        "TokenizeRequest",
        "TokenizerUpload",
        "FxIn",
        "AcceleratorIn",
        "ArchitectureIn",
        "RentalPriceIn",
        "OwnershipProfileIn",
        "MeasuredRowIn",
    ):
        assert SCHEMAS[name]["additionalProperties"] is False, name


def test_every_reference_leads_somewhere_and_no_field_hides_a_default() -> None:
    """A schema that is referred to and missing, or a default that makes a field look required, spoils generated clients."""
    for where, node in every(COMMITTED):
        if isinstance(node.get("$ref"), str):
            assert node["$ref"].rpartition("/")[2] in SCHEMAS, where
    assert [
        name for name, schema in SCHEMAS.items() if any("default" in f for f in schema.get("properties", {}).values())
    ] == []
    assert "default: USD" in SCHEMAS["CompareRequest"]["properties"]["currency"]["description"]


def test_examples_are_real(client: httpx.Client) -> None:
    """Each whole-body example is answered, and its rows without an error."""
    routes = {
        "CompareRequest": "/compare",
        "PriceRequest": "/price",
        "TokenizeRequest": "/tokenize",
        "PublishRequest": "/prices",
        "QuoteRequest": "/quotes",
        "RecountRequest": "/recount",
        "HostingRequest": "/hosting-cost",
        "OwnershipRequest": "/ownership-cost",
        "RentalRequest": "/rental-cost",
        "BreakEvenRequest": "/break-even",
        "CheckRequest": "/throughput/check",
        "MarginRequest": "/margin",
        "CapacityRequest": "/capacity",
        "TrainingRequest": "/training-cost",
        "StatementRequest": "/statement",  # under the book that the example before it publishes
    }
    for schema, path in routes.items():
        assert SCHEMAS[schema]["examples"], schema
        for example in SCHEMAS[schema]["examples"]:
            response = client.post(path, json=example)
            assert response.status_code in (200, 201), response.text
            assert [row for row in response.json()["rows"] if row.get("error_code")] == []


def test_problems_are_described() -> None:
    for name, operation in OPERATIONS.items():
        for status, response in operation["responses"].items():
            if not status.startswith("2"):
                assert list(response["content"]) == ["application/problem+json"], f"{name} {status}"
                assert response["content"]["application/problem+json"]["schema"] == {
                    "$ref": "#/components/schemas/Problem"
                }
                assert response["description"], f"{name} {status}"
    assert {status for name in OPERATIONS if name.startswith("POST") for status in OPERATIONS[name]["responses"]} >= {
        "400",
        "413",
        "415",
        "422",
    }


def test_every_problem_has_a_page(client: httpx.Client) -> None:
    pages = {path.stem for path in (ROOT / "docs" / "problems").glob("*.md")}
    assert pages - {"README", "index"} == set(PROBLEM_TYPES)
    for slug, kind in PROBLEM_TYPES.items():
        text = (ROOT / "docs" / "problems" / f"{slug}.md").read_text(encoding="utf-8")
        assert kind.title in text, slug
        assert str(kind.status) in text, slug
        answer = client.get(f"/problems/{slug}").json()
        assert (answer["type"], answer["title"], answer["status"]) == (f"/problems/{slug}", kind.title, kind.status)


# --- the documentation page


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inline = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.found += [given[name] for name in ("src", "href", "action", "data", "poster", "srcset") if name in given]
        self.inline += tag == "script" and "src" not in given


def test_the_documentation_page_fetches_from_here_alone(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy
    links = Links()
    links.feed(page.text)
    assert links.inline == 0, "an inline script is blocked by the policy"
    files = [link for link in links.found if not link.startswith("data:")]
    assert len(files) >= 3
    for link in files:
        assert re.fullmatch(r"[a-z./-]+", link), f"not relative: {link}"
        assert not link.startswith(("//", "/")), f"breaks behind a prefix: {link}"
        response = client.get(f"/{link}")
        assert response.status_code == 200
        assert len(response.content) > 100
        if link.endswith(".css"):
            targets = re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", response.text)
            assert [
                target for pair in targets for target in pair if target and not target.startswith(("data:", "#"))
            ] == []
        if link.endswith("start.js"):
            code = re.sub(r"//[^\n]*", "", response.text)
            assert "http" not in code
            assert re.search(r'url: "(?!/)[a-z.]+"', code), "the document by a relative address"
            assert re.search(r"validatorUrl: (null|\"none\")", code), "else Swagger UI asks validator.swagger.io"
