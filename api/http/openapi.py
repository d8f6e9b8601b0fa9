"""The OpenAPI document: Litestar's routes with pydantic's own schemas.

Litestar publishes constrained decimals as numbers, forgets `additionalProperties: false` and model-level examples
(measured with 2.25); pydantic's schemas of the same models are right, so they replace the components of the same name.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from litestar import Controller, Litestar
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import License
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from api.http.problem_types import PROBLEM_TYPES
from api.http.problems import PROBLEM_JSON
from api.http.rendering import MEDIA_TYPES
from api.http.schemas import (
    blended,
    break_even,
    capacity,
    changes,
    common,
    compare,
    discrepancies,
    exports,
    focus,
    hosting,
    hosting_rows,
    margin,
    ownership,
    price,
    prices,
    quotes,
    recount,
    reference,
    rental,
    statement,
    terms,
    throughput_check,
    throughput_estimate,
    tokenize,
    tokenizers,
    training,
    watch,
)
from api.http.schemas.machines import accelerators, architectures, fields, measurements, profiles
from api.http.schemas.machines import prices as machine_prices
from api.http.uploads import MULTIPART
from api.http.wire import wire_plugins

OPENAPI_CONFIG = OpenAPIConfig(
    title="permillion",
    version=version("permillion"),
    description="What your text costs at every model provider: exact prices, exact token counts, sources and dates.",
    license=License(name="MIT", identifier="MIT"),
    use_handler_docstrings=True,
    create_examples=False,
    path="/_litestar_schema",
    render_plugins=[],
)
_MODELS: tuple[tuple[type[BaseModel], bool], ...] = (
    (accelerators.AcceleratorsRequest, False),
    (architectures.ArchitecturesRequest, False),
    (blended.BlendedOfferIn, False),
    (blended.BlendedRequest, False),
    (break_even.BreakEvenRequest, False),
    (break_even.BreakEvenRowIn, False),
    (capacity.CapacityRequest, False),
    (capacity.CapacityRowIn, False),
    (changes.ChangeIn, False),
    (changes.PriceChangeRequest, False),
    (compare.CompareOfferIn, False),
    (compare.CompareRequest, False),
    (compare.HostingOfferIn, False),
    (focus.FocusRequest, False),
    (hosting.HostingRequest, False),
    (hosting.HostingRowIn, False),
    (hosting_rows.HostingAnswer, True),
    (machine_prices.RentalPricesRequest, False),
    (margin.MarginRequest, False),
    (margin.MarginRowIn, False),
    (measurements.MeasurementsRequest, False),
    (ownership.OwnershipRequest, False),
    (ownership.OwnershipRowIn, False),
    (price.PriceRequest, False),
    (price.PriceRowIn, False),
    (prices.PublishRequest, False),
    (profiles.OwnershipProfilesRequest, False),
    (quotes.QuoteChange, False),
    (quotes.QuoteRequest, False),
    (recount.RecountRequest, False),
    (recount.RecountRowIn, False),
    (rental.RentalRequest, False),
    (rental.RentalRowIn, False),
    (statement.StatementRequest, False),
    (statement.StatementRowIn, False),
    (throughput_check.CheckRequest, False),
    (throughput_check.MeasurementIn, False),
    (throughput_estimate.DeploymentIn, False),
    (throughput_estimate.EstimateRequest, False),
    (tokenize.TokenizeRequest, False),
    (tokenizers.TokenizerUpload, False),
    (training.TrainingRequest, False),
    (training.TrainingRowIn, False),
    (accelerators.AcceleratorsAnswer, True),
    (architectures.ArchitecturesAnswer, True),
    (architectures.EnginesAnswer, True),
    (blended.BlendedAnswer, True),
    (break_even.BreakEvenAnswer, True),
    (capacity.CapacityAnswer, True),
    (capacity.CapacityRulesAnswer, True),
    (changes.PriceChangeAnswer, True),
    (common.Problem, True),
    (compare.CompareAnswer, True),
    (discrepancies.DiscrepanciesAnswer, True),
    (exports.ExportAnswer, True),
    (fields.RecordAnswer, True),
    (focus.FocusAnswer, True),
    (machine_prices.PurchasePricesAnswer, True),
    (machine_prices.RentalPricesAnswer, True),
    (margin.MarginAnswer, True),
    (measurements.MeasurementsAnswer, True),
    (ownership.OwnershipAnswer, True),
    (price.PriceAnswer, True),
    (prices.PricesAnswer, True),
    (prices.PublishAnswer, True),
    (profiles.OwnershipProfilesAnswer, True),
    (quotes.QuoteAnswer, True),
    (quotes.QuotesAnswer, True),
    (quotes.ReplayAnswer, True),
    (recount.RecountAnswer, True),
    (reference.ModelsAnswer, True),
    (reference.ProvidersAnswer, True),
    (reference.TokenizersAnswer, True),
    (rental.RentalAnswer, True),
    (statement.StatementAnswer, True),
    (terms.PriceTermsAnswer, True),
    (throughput_check.CheckAnswer, True),
    (throughput_estimate.EstimateAnswer, True),
    (tokenize.TokenizeAnswer, True),
    (tokenizers.RegisteredTokenizersAnswer, True),
    (training.TrainingAnswer, True),
    (watch.ChangesAnswer, True),
)
_TAGS = {  # in the order a reader needs them
    "compare": "what a text costs, and where",
    "price": "what stated usage costs",
    "margin": "what is left of a price, what reserved capacity and training cost",
    "tokenize": "how many tokens a text is, by which tokenizers, your own among them",
    "hosting": "what a query costs on accelerators, and from which volume on they pay",
    "throughput": "what machines can do, and what a benchmark may be used for",
    "prices": "dated price rows, and private price books",
    "hardware": "machines, models, engines: what they are, what they cost owned or rented, from which volume on they pay",
    "quotes": "comparisons that are kept, replayed to the same bytes, and held against fresh ones",
    "reference": "what is known of providers and models",
    "service": "the service about itself",
}
_REQUEST_ERRORS = {
    "get": (400, 404, 406, 422),
    "post": (400, 404, 406, 413, 415, 422),
    "patch": (400, 404, 406, 413, 415, 422),
}
_IF_MATCH = (412, 428)


def specification(routes: Sequence[type[Controller]]) -> dict[str, Any]:
    """The document that `/openapi.json` serves and `openapi/openapi.json` commits, of the routes given.

    It is made of an application of its own, when it is first asked for: the serving one starts faster without, and has no
    documentation routes of Litestar's beside ours.
    """
    app = Litestar(route_handlers=routes, openapi_config=OPENAPI_CONFIG, plugins=wire_plugins(), logging_config=None)
    document: dict[str, Any] = app.openapi_schema.to_schema()
    _, definitions = models_json_schema(
        [(model, "serialization" if out else "validation") for model, out in _MODELS],
        ref_template="#/components/schemas/{model}",
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.clear()
    schemas.update(dict(sorted(definitions["$defs"].items())))
    for schema in schemas.values():
        _say_defaults(schema)
    own = document["paths"]["/openapi.json"]["get"]["responses"]["200"]["content"]["application/json"]
    own["schema"] = {"type": "object"}
    document["paths"] = dict(sorted(document["paths"].items()))
    for path in document["paths"].values():
        for method, operation in path.items():
            if isinstance(operation, dict) and "responses" in operation:
                _add_problems(operation, method if method in _REQUEST_ERRORS else "get")
                _add_formats(operation)
                operation["summary"] = operation["description"].partition(". ")[0].rstrip(".")
    document["tags"] = [{"name": name, "description": what} for name, what in _TAGS.items()]
    upload = {"schema": {"$ref": "#/components/schemas/TokenizerUpload"}}
    document["paths"]["/tokenizers"]["post"]["requestBody"] = {"required": True, "content": {MULTIPART: upload}}
    for path, media_type in (
        ("/price.csv", "text/csv"),
        ("/compare.csv", "text/csv"),
        ("/tokenize.ndjson", "application/x-ndjson"),
    ):
        # "binary": generated clients then send the text as it is, and quote nothing
        content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
        document["paths"][path]["post"]["requestBody"] = {"required": True, "content": content}
    own = document["paths"]["/tokenize.ndjson"]["post"]["responses"]["200"]
    own["content"] = {"application/x-ndjson": {"schema": {"type": "string"}}}
    return document


def _say_defaults(schema: dict[str, Any]) -> None:
    """Defaults in words: generators of TypeScript take a field with `default` for one that is always there, sent or not."""
    for field in schema.get("properties", {}).values():
        missing = object()
        default = field.pop("default", missing)
        if default not in (missing, None, [], {}):
            shown = str(default).lower() if isinstance(default, bool) else str(default)
            field["description"] = "; ".join(filter(None, (field.get("description"), f"default: {shown}")))


def _add_problems(operation: dict[str, Any], kind: str) -> None:
    responses = operation["responses"]
    for status in [code for code in responses if not code.startswith("2")]:
        del responses[status]
    asked = {parameter["name"] for parameter in operation.get("parameters", ())}
    conditional = _IF_MATCH if "If-Match" in asked else ()
    for status in (*_REQUEST_ERRORS[kind], 403, 405, 409, *conditional, 500, 503):
        titles = sorted(t.title for t in PROBLEM_TYPES.values() if t.status == status)
        responses[str(status)] = {
            "description": "; ".join(titles),
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }


def _add_formats(operation: dict[str, Any]) -> None:
    """Where rows can be asked for as CSV or NDJSON, the answer says so."""
    if any(parameter["name"] == "format" for parameter in operation.get("parameters", ())):
        content = operation["responses"]["200"].setdefault("content", {})
        for media_type in MEDIA_TYPES:
            content.setdefault(media_type, {"schema": {"type": "string"}})
