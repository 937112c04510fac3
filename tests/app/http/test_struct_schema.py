"""Schemas of structs: parts in place, and all properties of an answer required."""

from typing import Annotated

import msgspec

from app.http.struct_schema import describe_struct


class _Part(msgspec.Struct):
    size: int = 1


class _Whole(msgspec.Struct):
    name: str
    part: Annotated[_Part | None, msgspec.Meta(description="A part.")] = None


def test_parts_are_in_place_with_their_own_descriptions() -> None:
    schema = describe_struct(_Whole)
    assert "$ref" not in str(schema)
    assert schema["required"] == ["name"]
    assert schema["properties"]["part"]["description"] == "A part."


def test_an_answer_requires_every_property_at_every_depth() -> None:
    schema = describe_struct(_Whole, complete=True)
    assert schema["required"] == ["name", "part"]
    (part,) = [one for one in schema["properties"]["part"]["anyOf"] if one.get("type") == "object"]
    assert part["required"] == ["size"]
