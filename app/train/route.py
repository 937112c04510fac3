"""The route of POST /train, which reports faults of the body and of its settings together."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError

from app.http.json_body import StrictJsonRoute
from app.train.config import is_setting, parse_config

_MISPLACED = "is a setting: put it into config"


class TrainRoute(StrictJsonRoute):
    """A route that checks ``config`` even if the rest of the body is invalid."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the handler of FastAPI, which only checks the structure of the body."""
        handle = super().get_route_handler()

        async def handle_and_check_config(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                raise RequestValidationError(list(_list_faults(error)), body=error.body) from error

        return handle_and_check_config


def _list_faults(error: RequestValidationError) -> Iterator[dict[str, Any]]:
    for entry in error.errors():
        place = entry["loc"]
        is_misplaced = len(place) == 2 and entry["type"] == "extra_forbidden"
        if is_misplaced and place[0] == "body" and is_setting(place[1]):
            yield entry | {"msg": _MISPLACED}
        else:
            yield entry
    config = error.body.get("config") if isinstance(error.body, dict) else None
    if isinstance(config, dict):
        for fault in parse_config(config)[1]:
            yield {"type": "setting", "loc": tuple(fault.where.split(".")), "msg": fault.problem}
