"""Messages that several parts of the API share. Moves, cells and seats count from 0."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Move = Annotated[int, Field(ge=0, le=62)]
Moves = Annotated[list[Move], Field(max_length=63)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Spec = Annotated[str, Field(min_length=1, max_length=500)]


class Message(BaseModel):
    """A JSON object of the API. Unknown fields are refused; it can be validated from an object with its attributes."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Problem(Message):
    """An error, described in one sentence."""

    detail: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in (
        (401, "the token is missing or wrong"),
        (403, "the request came from a page of another site"),
        (404, "not found; a match may have expired"),
        (409, "not possible at this moment"),
        (413, "the request is too large"),
        (421, "the Host header is not a name of this server"),
        (422, "the request is invalid; see the detail"),
        (429, "too many requests"),
        (503, "a worker failed; try again"),
    )
}
