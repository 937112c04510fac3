"""Delivers ids of queued jobs to workers; the table stays authoritative if one is lost."""

from typing import Annotated, Protocol

from fastapi import Depends, Request

from app.storage.tables import JobRow


class Dispatcher(Protocol):
    """Delivers the id of a queued job after the transaction that queued it."""

    def dispatch(self, job: JobRow) -> bool:
        """Deliver the id; return whether it was sent. A reaper resends lost ones."""


class PolledTable:
    """Sends no messages: embedded workers poll the table."""

    def dispatch(self, job: JobRow) -> bool:
        """Do nothing; the next poll finds the job."""
        del job
        return True


def _dispatcher(request: Request) -> Dispatcher:
    dispatcher: Dispatcher = request.app.state.dispatcher
    return dispatcher


DispatcherDep = Annotated[Dispatcher, Depends(_dispatcher)]
