"""OpenAPI schemas of msgspec structs, for wire formats that pydantic does not describe."""

from typing import Any

import msgspec


def describe_struct(struct: type[msgspec.Struct], *, complete: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a struct with the schemas of its parts in place.

    In a request a property with a default may be left out; an answer is ``complete``: it has
    every property.
    """
    (_, parts) = msgspec.json.schema_components([struct], ref_template="{name}")
    if complete:
        for part in parts.values():
            part["required"] = list(part.get("properties", {}))
    schema: dict[str, Any] = _inline(parts[struct.__name__], parts)
    return schema


def _inline(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(part, parts) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" not in schema:
        return {key: _inline(part, parts) for key, part in schema.items()}
    own = {key: value for key, value in schema.items() if key != "$ref"}
    described: dict[str, Any] = _inline(parts[schema["$ref"]], parts)
    return described | own
