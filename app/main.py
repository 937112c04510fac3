"""Assembles the API from its parts. Read this file first."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi

from app.cases import endpoints as cases
from app.export import endpoints as export
from app.graphs import checks
from app.graphs import endpoints as graphs
from app.health import endpoints as health
from app.http import problem_catalogue
from app.http.middleware import RequestContext, RequestLimits
from app.http.problem_responses import document_problems, install_handlers
from app.http.query_check import refuse_unknown_parameters
from app.jobs import endpoints as jobs
from app.jobs.dispatch import Dispatcher, PolledTable
from app.jobs.streams import JobStreams
from app.labels import endpoints as labels
from app.models import endpoints as models
from app.models.baselines import endpoints as baselines
from app.models.comparison import endpoints as comparison
from app.models.files import endpoints as model_files
from app.predict import endpoints as predict
from app.predict.explain import endpoints as explain
from app.predict.fast_route import PreparedRoute
from app.predict.prepared import PreparedAnswers
from app.replays import endpoints as replays
from app.settings import Settings
from app.storage.db import Database
from app.sweeps import endpoints as sweeps
from app.train import endpoints as train
from app.web import cards, pages

_DESCRIPTION = (
    "Classifies the buses of a power grid from few labels. Send a grid to `POST /graphs`, train "
    "a model with `POST /train`, follow the job at `GET /jobs/{id}`, then read predictions from "
    "`GET /predict/{bus_id}`."
)


def create_app(settings: Settings, dispatcher: Dispatcher | None = None) -> FastAPI:
    """Build the API on a migrated database; ``dispatcher`` delivers job ids to workers."""
    app = FastAPI(
        title="Levygrid",
        version=version("levygrid"),
        description=_DESCRIPTION,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(refuse_unknown_parameters)],
    )
    app.state.settings = settings
    app.state.database = Database(settings.resolved_database_url)
    app.state.dispatcher = dispatcher or PolledTable()
    app.state.prepared = PreparedAnswers(app.state.database, settings.prepared_bytes)
    app.state.job_streams = JobStreams(app.state.database, settings.event_streams)
    runs = (train, sweeps, jobs, replays)
    # `explain` before `predict`, whose path takes every bus id with its slashes.
    features = (cases, graphs, checks, labels, export, *runs, explain, predict)
    model_parts = (models, model_files, comparison, baselines)
    for part in (*features, *model_parts, cards, health, problem_catalogue, pages):
        app.include_router(part.router)
    app.router.routes.insert(0, PreparedRoute(app.state.prepared))
    install_handlers(app)
    app.add_middleware(RequestLimits, body_limit=settings.body_limit)
    app.add_middleware(RequestContext)  # added last: it surrounds everything
    _describe(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    app.state.prepared.stop()
    app.state.database.close()


def _describe(app: FastAPI) -> None:
    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            plain = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
            )
            app.openapi_schema = document_problems(plain)
        return app.openapi_schema

    # FastAPI's documented way to extend the description; mypy sees only a method replaced.
    setattr(app, "openapi", describe)  # noqa: B010
