"""Query parameters that an address does not know are refused: ignored, they would mislead."""

from collections.abc import Iterator
from difflib import get_close_matches

from fastapi import Request, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from app.errors import Rejected
from ml.errors import Fault

_LONGEST_NAME = 40


async def refuse_unknown_parameters(request: Request) -> None:
    """Hold the query against the parameters of the route; a dependency of the whole API.

    Pages are left alone: their scripts read the address themselves.
    Raises: Rejected naming every unknown parameter and those that are known.
    """
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    known = _list_parameters(route)
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        faults = [_explain(name, known) for name in unknown]
        raise Rejected("The address has query parameters that mean nothing here.", faults)


def _list_parameters(route: APIRoute) -> tuple[str, ...]:
    return tuple(
        field.alias
        for field in get_flat_params(route.dependant)
        if isinstance(field.field_info, params.Query)
    )


def _explain(name: str, known: tuple[str, ...]) -> Fault:
    return Fault(f"query.{name[:_LONGEST_NAME]}", "; ".join(_list_hints(name, known)))


def _list_hints(name: str, known: tuple[str, ...]) -> Iterator[str]:
    yield "is not a parameter of this address"
    yield f"known: {', '.join(known)}" if known else "it has none"
    close = get_close_matches(name, known, n=1)
    if close:
        yield f"did you mean {close[0]!r}?"
