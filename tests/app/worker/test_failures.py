"""Want of memory is told from other faults, however it shows itself."""

from app.errors import OutOfMemory
from app.worker.failures import recognise_failure

NO_LIMIT = 0
AMPLE = 2**50


def test_a_failure_deep_in_the_chain_is_recognised() -> None:
    middle = ValueError("half a table")
    middle.__cause__ = MemoryError()
    error = KeyError("operator")
    error.__context__ = middle
    assert isinstance(recognise_failure(error, NO_LIMIT), OutOfMemory)


def test_any_failure_of_a_process_at_its_memory_limit_counts_as_out_of_memory() -> None:
    assert isinstance(recognise_failure(KeyError("odd"), memory_limit=2**20), OutOfMemory)


def test_other_errors_are_returned_unchanged() -> None:
    error = KeyError("odd")
    assert recognise_failure(error, NO_LIMIT) is error
    assert recognise_failure(error, AMPLE) is error
    assert isinstance(recognise_failure(ImportError("half loaded"), AMPLE), OutOfMemory)


def test_a_refused_job_keeps_the_numbers_of_its_message() -> None:
    refusal = OutOfMemory("it needs about 5.00 GB")
    assert recognise_failure(refusal, memory_limit=2**20) is refusal


def test_out_of_memory_under_a_limit_names_the_limit_and_the_setting() -> None:
    failure = recognise_failure(MemoryError(), memory_limit=1_500_000_000)
    assert "1.50 GB (1500000000 bytes)" in str(failure)
    assert "LEVYGRID_JOB_MEMORY_BYTES" in str(failure)
    assert "LEVYGRID_JOB_MEMORY_BYTES" not in str(recognise_failure(MemoryError(), NO_LIMIT))
