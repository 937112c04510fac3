"""Refuses unknown query parameters, because ignoring them would mislead clients."""

from collections.abc import Iterator
from difflib import get_close_matches

from fastapi import Request, params, status
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute

from app.errors import Rejected
from ml.errors import Fault

_LONGEST_NAME = 40


async def refuse_unknown_parameters(request: Request) -> None:
    """Compare the query with the parameters of the route; a dependency of the whole API.

    HTML pages are exempt, because their scripts read the query.
    Raises: Rejected naming every unknown parameter and the supported ones.
    """
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    if route.status_code == status.HTTP_307_TEMPORARY_REDIRECT:
        return  # the target of the redirect checks them
    supported = _list_parameters(route)
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in supported]
    if unknown:
        faults = [_explain(name, supported) for name in unknown]
        raise Rejected("The URL has unknown query parameters.", faults)


def _list_parameters(route: APIRoute) -> tuple[str, ...]:
    return tuple(
        field.alias
        for field in get_flat_params(route.dependant)
        if isinstance(field.field_info, params.Query)
    )


def _explain(name: str, supported: tuple[str, ...]) -> Fault:
    return Fault(f"query.{name[:_LONGEST_NAME]}", "; ".join(_list_hints(name, supported)))


def _list_hints(name: str, supported: tuple[str, ...]) -> Iterator[str]:
    yield "is not a parameter of this endpoint"
    yield f"supported: {', '.join(supported)}" if supported else "it takes no parameters"
    close = get_close_matches(name, supported, n=1)
    if close:
        yield f"did you mean {close[0]!r}?"
