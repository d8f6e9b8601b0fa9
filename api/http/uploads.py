"""Reading a form with a file (`multipart/form-data`): every field once, the file within its limit."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

from litestar.datastructures import FormMultiDict, UploadFile
from litestar.exceptions import HTTPException

from api.http.problems import InvalidFieldsError, pointer_of
from api.http.wire import JsonRequest, StreamLimit
from economics.errors import PermillionError

MULTIPART: Final = "multipart/form-data"
_OTHER_FIELDS: Final = 65_536
"""Bytes that the fields beside the file may have, with the lines that part them."""


async def read_upload(request: JsonRequest, limit_name: str, limit: int) -> dict[str, Any]:
    """The fields of a form; text as str, the field `file` as bytes.

    Args:
        request: not read yet.
        limit_name: of the setting that limits the file.
        limit: bytes the file may have.

    Raises:
        PermillionError: `unsupported-media-type`, `body-too-large`, `bad-request` where the form cannot be read,
            `invalid-fields` for a field that is given twice, or sent as a file where it is text.
    """
    if not request.headers.get("content-type", "").lower().startswith(MULTIPART):
        raise PermillionError("unsupported-media-type", f"this route reads {MULTIPART}; send the file as a form")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise PermillionError("unsupported-media-type", "bodies are read uncompressed; leave out Content-Encoding")
    request.stream_limit = StreamLimit(limit_name, limit, limit + _OTHER_FIELDS)
    try:
        form = await request.form()
    except (HTTPException, UnicodeError, LookupError):  # what is no form, no UTF-8, or of an unknown charset
        raise PermillionError("bad-request", "the form cannot be read; send its text fields in UTF-8") from None
    try:
        return await _fields(form, limit_name, limit)
    finally:
        await form.close()


async def _fields(form: FormMultiDict, limit_name: str, limit: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in form.multi_items():
        if name in fields:
            raise InvalidFieldsError([(pointer_of((name,)), "given twice")])
        if isinstance(value, UploadFile) != (name == "file"):
            wanted = "send it as a file, with a filename" if name == "file" else "no file is read here"
            raise InvalidFieldsError([(pointer_of((name,)), wanted)])
        if isinstance(value, UploadFile):
            _check_name(value.filename)
            content = await value.read()
            if len(content) > limit:
                raise PermillionError("body-too-large", f"over {limit} bytes; {limit_name} is {limit}")
            fields[name] = content
        else:
            fields[name] = value
    return fields


def _check_name(name: str) -> None:
    """Refuse a path: the name is used for nothing, and a client that sends one tells where the file lies."""
    if "\0" in name or name in (".", "..") or {PurePosixPath(name).name, PureWindowsPath(name).name} != {name}:
        raise PermillionError("invalid-fields", "the filename is a path; send the name alone", pointer="/file")
