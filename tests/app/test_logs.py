import json
import logging

import pytest
import structlog

from app.logs import configure_logs


@pytest.fixture(autouse=True)
def _restore_logs() -> object:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def test_outside_a_terminal_every_log_line_is_one_json_object(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("INFO")
    structlog.get_logger("ours").info("job claimed", job="a1")
    logging.getLogger("theirs").warning("disk %s", "full")
    ours, theirs = map(json.loads, capsys.readouterr().err.splitlines())
    assert (ours["event"], ours["job"], ours["level"]) == ("job claimed", "a1", "info")
    assert (theirs["event"], theirs["logger"]) == ("disk full", "theirs")


def test_an_error_carries_its_traceback_in_the_same_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logs("INFO")
    structlog.get_logger("ours").error("failed", exc_info=ValueError("the reason"))
    (line,) = map(json.loads, capsys.readouterr().err.splitlines())
    assert "ValueError: the reason" in line["exception"]


def test_messages_below_the_log_level_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("WARNING")
    structlog.get_logger("ours").info("unimportant")
    assert capsys.readouterr().err == ""
