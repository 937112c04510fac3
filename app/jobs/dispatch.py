"""Who tells a worker that a job waits; the table stays the truth if the message is lost."""

from typing import Annotated, Protocol

from fastapi import Depends, Request

from app.storage.tables import JobRow


class Dispatcher(Protocol):
    """Delivers the id of a queued job, after the commit that queued it."""

    def dispatch(self, job: JobRow) -> bool:
        """Deliver the id and say whether that worked: a reaper delivers what was lost."""


class PolledTable:
    """Delivers nothing: embedded workers look into the table themselves."""

    def dispatch(self, job: JobRow) -> bool:
        """Do nothing; the next poll finds the job."""
        del job
        return True


def _dispatcher(request: Request) -> Dispatcher:
    dispatcher: Dispatcher = request.app.state.dispatcher
    return dispatcher


DispatcherDep = Annotated[Dispatcher, Depends(_dispatcher)]
