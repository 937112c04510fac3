"""The route of prepared answers, which stands before all routes of FastAPI.

It is part of the same router: every middleware surrounds it, and what it does not have is
answered by the FastAPI route of the same path, which also documents both.
"""

from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from app.http.representation import send_representation
from app.predict.prepared import PATH, PreparedAnswers

_METHODS = ("GET", "HEAD")


class PreparedRoute(BaseRoute):
    """Matches ``GET`` and ``HEAD /predict/{bus_id}`` if the answer is prepared."""

    path = "/predict/{bus_id}"

    def __init__(self, answers: PreparedAnswers) -> None:
        self._answers = answers

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Look the answer up; without one, the next route is asked."""
        if scope["type"] != "http" or not scope["path"].startswith(PATH):
            return Match.NONE, {}
        if scope["method"] not in _METHODS or scope.get("root_path"):
            return Match.NONE, {}
        found = self._answers.find(scope["path"], scope["query_string"])
        if found is None:
            return Match.NONE, {}
        return Match.FULL, {"route": self, "prepared": found}

    async def handle(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the answer that was found."""
        await send_representation(scope["prepared"], scope, send)
