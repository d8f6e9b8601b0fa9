"""What this is, how it is, and how to ask: `/`, `/docs`, `/openapi.json`, `/problems/…`, `/healthz`, `/readyz`."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated, Any

import msgspec
from litestar import Controller, Request, Response, get
from litestar.datastructures import State
from litestar.params import PathParameter

from api.http.problem_types import PROBLEM_TYPES
from api.http.state import service_of
from economics.errors import PermillionError
from economics.method import METHOD_VERSION

_POLICY = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "X-Content-Type-Options": "nosniff",
}
_FILES = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "start.js": "text/javascript",
}


@lru_cache(maxsize=len(_FILES) + 1)
def _file(name: str) -> bytes:
    return files("api.http").joinpath("swagger_ui", name).read_bytes()


class DocsController(Controller):
    """The service about itself."""

    tags = ("service",)

    @get("/", operation_id="describeService", status_code=200)
    async def index(self, request: Request[Any, Any, State]) -> dict[str, Any]:
        """What this service is, and where its documentation and routes are."""
        return {
            "name": "permillion",
            "version": version("permillion"),
            "method_version": METHOD_VERSION,
            "catalog_version": service_of(request).catalog.snapshot.version,
            "what": "what your text costs at every model provider: exact prices, exact token counts, sources and dates",
            "docs": "/docs",
            "specification": "/openapi.json",
            "routes": sorted(r.path for r in request.app.routes),
        }

    @get("/healthz", operation_id="checkHealth", status_code=200)
    async def health(self) -> dict[str, str]:
        """The process is up."""
        return {"status": "ok"}

    @get("/readyz", operation_id="checkReadiness", status_code=200)
    async def ready(self, request: Request[Any, Any, State]) -> dict[str, str]:
        """The catalog is loaded and the schema is at head."""
        catalog = service_of(request).catalog
        if not catalog.ready():
            raise PermillionError("not-ready", "the catalog is not loaded or the database needs a migration")
        return {"status": "ready", "catalog_version": catalog.snapshot.version}

    @get("/openapi.json", operation_id="getSpecification", status_code=200)
    async def specification(self, request: Request[Any, Any, State]) -> Response[bytes]:
        """The OpenAPI document of this service."""
        state = request.app.state
        if "specification" not in state:
            state.specification = msgspec.json.encode(state.describe())
        return Response(state.specification, media_type="application/json")

    @get("/docs", operation_id="browseDocs", status_code=200, media_type="text/html")
    async def page(self) -> Response[bytes]:
        """Interactive documentation; nothing is fetched from elsewhere."""
        return Response(_file("index.html"), media_type="text/html", headers=_POLICY)

    @get("/docs/{name:str}", include_in_schema=False)
    async def page_file(self, name: Annotated[str, PathParameter(max_length=100)]) -> Response[bytes]:
        """A file of the documentation page."""
        if name not in _FILES:
            raise PermillionError("not-found", "no such file")
        headers = {**_POLICY, "Cache-Control": "max-age=3600"}
        return Response(_file(name), media_type=_FILES[name], headers=headers)

    @get("/problems/{slug:str}", operation_id="explainProblem", status_code=200)
    async def explain(self, slug: Annotated[str, PathParameter(max_length=100)]) -> dict[str, Any]:
        """What a problem type means and what to do about it."""
        kind = PROBLEM_TYPES.get(slug)
        if kind is None:
            raise PermillionError("not-found", "no such problem type")
        return {"type": f"/problems/{kind.slug}", "title": kind.title, "status": kind.status, "advice": kind.advice}
