"""Every setting of the service, read from environment variables named LEVYGRID_..."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """One field per environment variable: ``port`` is ``LEVYGRID_PORT``."""

    model_config = SettingsConfigDict(env_prefix="LEVYGRID_", frozen=True)

    host: str = Field("127.0.0.1", description="Address the API listens on.")
    port: int = Field(8000, ge=0, le=65535, description="Port of the API; 0 takes a free one.")
    data_dir: Path = Field(Path("var"), description="Folder of the embedded database and locks.")
    database_url: str = Field(
        "", description="SQLAlchemy address; empty: SQLite in the data folder."
    )
    broker_url: str = Field(
        "", description="Redis or RabbitMQ address for Celery; empty: embedded worker."
    )
    datasets_dir: Path | None = Field(
        None, description="Folder with the data sets of the paper; empty: their rows are skipped."
    )
    workers: int = Field(1, ge=0, le=64, description="Worker processes that `serve` starts.")
    first_start_demo: bool = Field(
        True, description="On an empty database, load IEEE 118 and train a first model."
    )
    body_limit: int = Field(32 * 2**20, ge=1024, description="Largest request body in bytes.")
    bus_limit: int = Field(200_000, ge=1, description="Most buses of one grid.")
    branch_limit: int = Field(1_000_000, ge=1, description="Most branches of one grid.")
    read_memory_bytes: int = Field(
        2 * 2**30, ge=2**28, description="Address space of the process that reads one file."
    )
    read_seconds: float = Field(60, gt=0, description="Longest reading of one file.")
    page_limit: int = Field(200, ge=1, description="Most rows of one page of a listing.")
    sweep_limit: int = Field(200, ge=1, description="Most training jobs of one sweep.")
    lease_seconds: float = Field(
        30, gt=0, description="A running job not heard of for so long may be taken over."
    )
    heartbeat_seconds: float = Field(10, gt=0, description="How often a worker renews its lease.")
    poll_seconds: float = Field(
        0.5, gt=0, description="How often an embedded worker looks for a job."
    )
    checkpoint_seconds: float = Field(
        5, ge=0, description="How often a training process saves what it can be resumed from."
    )
    stop_seconds: float = Field(
        3, ge=0, description="How long a stopping worker waits for a last checkpoint."
    )
    max_attempts: int = Field(3, ge=1, description="Tries of a job before it fails.")
    event_streams: int = Field(
        100, ge=0, description="Most open streams of job events of one API process."
    )
    idempotency_hours: float = Field(
        24, gt=0, description="How long an `Idempotency-Key` is remembered."
    )
    job_memory_bytes: int = Field(
        0,
        ge=0,
        description="Writable memory of one training process, libraries included (about 0.5 GB "
        "before the grid counts); 0: no limit.",
    )
    job_seconds: float = Field(
        0, ge=0, description="Longest run of one training process; 0: no limit."
    )
    baseline_seconds: float = Field(
        60, ge=0, description="Time for the baselines of one model; what does not fit is left out."
    )
    threads: int = Field(
        0, ge=0, description="Threads of one training process; 0: by grid size and cores."
    )
    warm_up: bool = Field(
        True,
        description="Whether a worker learns its device and compiles before its first job; "
        "one that does not serves the queue `cpu` unless `--queue` says otherwise.",
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")

    @property
    def resolved_database_url(self) -> str:
        """The database address, with the embedded default filled in."""
        if self.database_url:
            return self.database_url
        return f"sqlite:///{(self.data_dir / 'levygrid.db').absolute()}"
