from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from api.http.controllers.price import fail_on_error
from api.http.limits import check_rows, check_texts
from api.http.problem_types import PROBLEM_TYPES
from api.http.problems import MAX_ERRORS, from_validation, pointer_of, problem, summary
from api.settings import Settings
from economics.errors import PermillionError

SMALL = Settings(max_text_bytes=10, max_request_text_bytes=15, max_rows=3)


def test_rows() -> None:
    check_rows(3, SMALL, "/rows")
    with pytest.raises(PermillionError, match="4 rows; max_rows is 3") as caught:
        check_rows(4, SMALL, "/rows")
    assert (caught.value.slug, caught.value.pointer) == ("too-many-rows", "/rows")


def test_texts() -> None:
    check_texts([], SMALL)
    check_texts([("/a", "x" * 10), ("/b", "x" * 5)], SMALL)
    check_texts([("/a", "字" * 3)], SMALL)
    for texts, slug, pointer, says in (
        ([("/a", "x" * 11)], "text-too-large", "/a", "11 bytes; max_text_bytes is 10"),
        ([("/a", "字" * 4)], "text-too-large", "/a", "12 bytes"),
        ([("/a", "x" * 10), ("/b", "x" * 6)], "text-too-large", "", "16 bytes of text; max_request_text_bytes is 15"),
        ([("/a", "ok"), ("/b", "\ud800")], "invalid-text", "/b", "surrogate"),
    ):
        with pytest.raises(PermillionError, match=says) as caught:
            check_texts(texts, SMALL)
        assert (caught.value.slug, caught.value.pointer) == (slug, pointer)


@pytest.mark.parametrize(("loc", "pointer"), [
    ((), ""), (("rows", 1, "input_tokens"), "/rows/1/input_tokens"), (("a/b~c",), "/a~1b~0c"), (("~1",), "/~01"), (("",), "/"),
    (("a b",), "/a b"), (("\ud800",), "/?"), (("\u202e\n字",), "/???"), (("x" * 200,), "/" + "x" * 100),
    (("samples", 0, "function-after[_one_input(), SampleIn]", "weight"), "/samples/0/weight"),
])  # fmt: skip
def test_pointers(loc: Sequence[int | str], pointer: str) -> None:
    assert pointer_of(loc) == pointer


def test_a_field_of_the_caller_s_is_never_left_out_of_a_pointer() -> None:
    """Names of union members are left out; a caller's own key that looks like one is still a key."""

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")

    names = ["int", "str", "nullable", "CompareOfferIn", "function-key", "constrained-a", "list[x]"]
    with pytest.raises(ValidationError) as caught:
        Strict.model_validate(dict.fromkeys(names, 1))
    assert [pointer for pointer, _ in from_validation(caught.value)] == [f"/{name}" for name in names]


def test_validation_errors_are_in_plain_words_without_the_input() -> None:
    class Inner(BaseModel):
        model_config = ConfigDict(extra="forbid")
        count: int

    class Outer(BaseModel):
        rows: list[Inner]

    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"rows": [{"count": "secret"}, {}, {"count": 1, "secret~": "secret"}]})
    errors = from_validation(caught.value, "/x")
    found = dict(errors)
    assert set(found) == {"/x/rows/0/count", "/x/rows/1/count", "/x/rows/2/secret~0"}
    assert (found["/x/rows/1/count"], found["/x/rows/2/secret~0"]) == ("required", "unknown field")
    assert "secret" not in " ".join(detail for _, detail in errors)
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate({"rows": [{}] * 1_000})
    assert len(from_validation(caught.value)) == MAX_ERRORS


def test_summaries() -> None:
    assert summary([("/rows/0", "required")]) == "/rows/0: required"
    assert summary([("", "give text")]) == "the body: give text"
    assert summary([("/a", "x"), ("/b", "y"), ("/c", "z")]) == "/a: x (and 2 more)"


def test_a_problem() -> None:
    response = problem("unknown-model", "no such model", "id-1", [("/offer", "no such model")], {"Allow": "GET"})
    assert (response.status_code, response.media_type, response.headers["Allow"]) == (
        404,
        "application/problem+json",
        "GET",
    )
    assert json.loads(response.content) == {
        "type": "/problems/unknown-model", "title": PROBLEM_TYPES["unknown-model"].title, "status": 404, "detail": "no such model",
        "error_code": "unknown-model", "advice": PROBLEM_TYPES["unknown-model"].advice, "request_id": "id-1",
        "errors": [{"pointer": "/offer", "detail": "no such model"}],
    }  # fmt: skip


def test_every_problem_type_says_what_to_do() -> None:
    for slug, kind in PROBLEM_TYPES.items():
        assert slug == kind.slug
        assert 400 <= kind.status < 600
        assert kind.title[0].isupper()
        assert not kind.title.endswith(".")
        assert kind.advice.endswith(".")


def test_an_error_that_becomes_a_row_lets_go_of_its_request() -> None:
    """Its frames would keep the body and all rows until a late collection."""

    def refuse(body: bytes) -> None:
        try:
            raise ValueError(body)
        except ValueError:
            raise PermillionError("invalid-fields", "no") from None

    try:
        refuse(b"much")
    except PermillionError as refused:
        error = refused
    assert error.__traceback__ is not None
    fail_on_error("row", error, "/rows/0")
    assert (error.__traceback__, error.__context__, error.__cause__) == (None, None, None)
