"""All settings of the service, read from environment variables named LEVYGRID_..."""

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """One field per environment variable: ``port`` is ``LEVYGRID_PORT``."""

    model_config = SettingsConfigDict(env_prefix="LEVYGRID_", frozen=True)

    host: str = Field("127.0.0.1", description="Network address that the API listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port of the API. 0: any free port.")
    data_dir: Path = Field(
        Path("var"), description="Folder of the embedded database and its lock file."
    )
    database_url: str = Field(
        "", description="SQLAlchemy URL of the database. Empty: SQLite in the data folder."
    )
    broker_url: str = Field(
        "", description="Redis or RabbitMQ URL for Celery. Empty: workers poll the database."
    )
    datasets_dir: Path | None = Field(
        None,
        description="Folder of the paper's data sets. Empty: results that need them are skipped.",
    )
    workers: int = Field(
        1, ge=0, le=64, description="Number of worker processes that `levygrid serve` starts."
    )
    api_processes: int = Field(
        1,
        ge=1,
        le=64,
        description="Number of API processes that `levygrid serve` runs on its port.",
    )
    first_start_demo: bool = Field(
        True,
        description="Load IEEE 118 and a grid of Texas and train first models if the database is "
        "empty.",
    )
    event_loop: Literal["auto", "uvloop", "asyncio"] = Field(
        "auto",
        description="Event loop of the API: auto (uvloop where it is installed), uvloop or "
        "asyncio.",
    )
    prepared_bytes: int = Field(
        256 * 2**20,
        ge=0,
        description="Memory in bytes per API process for prepared answers of "
        "`GET /predict/{bus_id}`. 0: every answer is built on request.",
    )
    body_limit: int = Field(
        32 * 2**20, ge=1024, description="Maximum size of a request body in bytes."
    )
    bus_limit: int = Field(200_000, ge=1, description="Maximum number of buses per grid.")
    branch_limit: int = Field(1_000_000, ge=1, description="Maximum number of branches per grid.")
    read_memory_bytes: int = Field(
        2 * 2**30,
        ge=2**28,
        description="Address space limit in bytes of the process that reads an uploaded file.",
    )
    read_seconds: float = Field(
        60, gt=0, description="Time limit in seconds for reading an uploaded file."
    )
    page_limit: int = Field(200, ge=1, description="Maximum number of items per page of a listing.")
    sweep_limit: int = Field(200, ge=1, description="Maximum number of training jobs per sweep.")
    lease_seconds: float = Field(
        30,
        gt=0,
        description="Seconds without a heartbeat after which a running job may be claimed again.",
    )
    heartbeat_seconds: float = Field(
        10, gt=0, description="Seconds between two heartbeats of a worker, which renew its leases."
    )
    poll_seconds: float = Field(
        0.5, gt=0, description="Seconds between two polls of the database by an idle worker."
    )
    checkpoint_seconds: float = Field(
        5, ge=0, description="Seconds between two checkpoints of a training job."
    )
    stop_seconds: float = Field(
        3, ge=0, description="Seconds that a stopping worker waits for a last checkpoint."
    )
    max_attempts: int = Field(
        3, ge=1, description="Number of attempts after which a job whose worker crashes is failed."
    )
    event_streams: int = Field(
        100, ge=0, description="Maximum number of open event streams per API process."
    )
    idempotency_hours: float = Field(
        24, gt=0, description="Hours for which an `Idempotency-Key` is remembered."
    )
    job_memory_bytes: int = Field(
        0,
        ge=0,
        description="Limit in bytes of the writable memory of a job process, including about "
        "0.5 GB for libraries. 0: no limit.",
    )
    job_seconds: float = Field(
        0, ge=0, description="Time limit in seconds of a job process. 0: no limit."
    )
    search_seconds: float = Field(
        0,
        ge=0,
        description="Time budget in seconds of the automatic choice of the method, unless the "
        "request has its own. 0: by the size of the grid, 6 s at 118 buses, 60 s at 2,000.",
    )
    baseline_seconds: float = Field(
        60,
        ge=0,
        description="Time budget in seconds for the baselines of a model; the rest are skipped.",
    )
    threads: int = Field(
        0,
        ge=0,
        description="Threads per job process. 0: chosen from the grid size and the cores.",
    )
    warm_up: bool = Field(
        True,
        description="Detect the device and compile numerical code before the first job. Without "
        "it a worker serves the queue `cpu`, unless `--queue` names another.",
    )
    log_level: str = Field("INFO", description="Log level: DEBUG, INFO, WARNING or ERROR.")

    @property
    def resolved_database_url(self) -> str:
        """The database URL, with the embedded default filled in."""
        if self.database_url:
            return self.database_url
        return f"sqlite:///{(self.data_dir / 'levygrid.db').absolute()}"
