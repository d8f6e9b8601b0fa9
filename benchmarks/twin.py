"""The twin: a bare ASGI application with pydantic, answering the same payloads without doing the work.

It validates the same request schemas and writes an answer of the same size, which is the least any service of these
shapes can cost on the same server.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import BaseModel

from api.http.schemas.compare import CompareRequest
from api.http.schemas.price import PriceRequest, PriceRowIn

_REQUESTS: dict[str, type[BaseModel]] = {"/price": PriceRequest, "/compare": CompareRequest}


class _Answer(BaseModel):
    rows: list[dict[str, str | int | None]]
    meta: dict[str, Any]


class Twin:
    """Answers `path` with a canned answer, validated out as it is validated in."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers = answers

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        if scope["path"] not in _REQUESTS:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})
            return
        request = _REQUESTS[scope["path"]].model_validate_json(body)
        if isinstance(request, PriceRequest):
            for row in request.rows:
                PriceRowIn.model_validate(row)
        canned = self._answers[scope["path"]]
        rows = [dict(canned["rows"][n % len(canned["rows"])]) for n in range(_wanted(request, canned))]
        answer = _Answer.model_validate({"rows": rows, "meta": canned["meta"]}).model_dump_json().encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


def _wanted(request: BaseModel, canned: dict[str, Any]) -> int:
    """As many rows as are asked about."""
    return len(request.rows) if isinstance(request, PriceRequest) else len(canned["rows"])


def main() -> None:
    """Serve: `python -m benchmarks.twin PORT ANSWERS.json`."""
    answers = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    uvicorn.run(Twin(answers), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
