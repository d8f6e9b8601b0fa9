"""`/ownership-profiles` and `/throughput`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool, StrictInt, StrictStr, StringConstraints

from api.http.schemas.common import Meta
from api.http.schemas.fields import Answer, Wire
from api.http.schemas.machines.fields import AsOf, Note, Origin, RecordId, Source, Word

Input = Annotated[StrictBool | StrictInt | Annotated[StrictStr, StringConstraints(max_length=60)], Field()]
Cell = Annotated[str, StringConstraints(max_length=500)]


class OwnershipProfileIn(Wire):
    """The inputs of a cost of ownership, as POST /ownership-cost takes them, with where they are from."""

    ownership_profile: RecordId = Field(description="its id, no shipped one")
    name: Word
    accelerator: Word | None = Field(None, description="an id of GET /accelerators")
    inputs: dict[Annotated[str, StringConstraints(max_length=60)], Input] = Field(
        description="by the names of POST /ownership-cost; decimals as strings"
    )
    as_of: AsOf
    source: Source
    note: Note = ""


class OwnershipProfilesRequest(Wire):
    """Profiles of your own, all recorded or none."""

    rows: list[OwnershipProfileIn] = Field(min_length=1)


class OwnershipProfileOut(Answer):
    """One profile; `inputs` is `name=value;…` in alphabetical order."""

    ownership_profile: str
    name: str
    accelerator: str | None
    inputs: str
    as_of: str
    source: str
    note: str
    origin: Origin
    recorded_at: str


class OwnershipProfilesAnswer(Answer):
    """Ownership profiles by id."""

    rows: list[OwnershipProfileOut]
    meta: Meta
    next: str | None
