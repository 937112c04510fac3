"""HTTP client of the commands, for a running service or a temporary one."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from app.errors import LevygridError
from app.jobs.states import ENDED
from app.temporary_service import run_temporary_service

_POLL_SECONDS = 0.3
Job = dict[str, Any]


@contextmanager
def connect(url: str | None) -> Iterator[httpx.Client]:
    """Yield a client of the service at ``url``; None starts a temporary service."""
    if url is None:
        with run_temporary_service() as address, httpx.Client(base_url=address) as client:
            yield client
    else:
        with httpx.Client(base_url=url, timeout=60) as client:
            yield client


def ask(client: httpx.Client, method: str, path: str, **content: Any) -> Any:
    """Return the JSON response. Raises: LevygridError if the request fails."""
    try:
        response = client.request(method, path, timeout=120, **content)
    except httpx.HTTPError as error:
        raise LevygridError(
            f"The service at {client.base_url} does not respond: {error}"
        ) from error
    if response.is_error:
        raise LevygridError(f"{method} {path} answered {response.status_code}: {response.text}")
    return response.json()


def follow(client: httpx.Client, job_id: str, on_poll: Callable[[Job], None]) -> Job:
    """Poll a job until it has succeeded. Raises: LevygridError if it does not."""
    while True:
        job: Job = ask(client, "GET", f"/jobs/{job_id}")
        on_poll(job)
        if job["state"] in ENDED:
            break
        time.sleep(_POLL_SECONDS)
    if job["state"] != "succeeded":
        reason = (job["error"] or {}).get("detail", job["state"])
        raise LevygridError(f"Job {job_id} did not succeed: {reason}")
    return job
