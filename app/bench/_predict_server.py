"""The API with an empty route before all others, for comparison; a process of the benchmark."""

import sys

from app.logs import configure_logs
from app.server import make_app, serve_inherited
from app.settings import Settings

EMPTY_PATH = "/bench/empty"
COUNT_PATH = "/bench/prepared"


def main(descriptor: str) -> None:
    """Serve on a listening socket of the parent until SIGTERM."""
    settings = Settings()
    configure_logs(settings.log_level)
    app = make_app(settings)

    @app.get(COUNT_PATH)
    async def count_prepared() -> int:
        """Return the number of answers that are prepared."""
        count: int = app.state.prepared.count
        return count

    @app.get(EMPTY_PATH)
    async def answer_nothing() -> None:
        """Do nothing: what remains is the cost of the server, the middleware and FastAPI."""

    # To the front: no other route is tried before it.
    app.router.routes.insert(0, app.router.routes.pop())
    serve_inherited(app, settings, int(descriptor))


if __name__ == "__main__":
    main(*sys.argv[1:])
