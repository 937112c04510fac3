from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.http.spooled import SpooledResponse, spool


@pytest.mark.parametrize("size", [0, 10, 3 * 2**20])
def test_a_spooled_body_is_sent_whole_with_its_length(size: int) -> None:
    app = FastAPI()
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)

    @app.get("/file")
    def send() -> SpooledResponse:
        pieces = (body[first : first + 1000] for first in range(0, size, 1000))
        return SpooledResponse(spool(pieces), media_type="text/plain", headers={"X-A": "b"})

    answer = TestClient(app).get("/file")
    assert answer.content == body
    assert answer.headers["content-length"] == str(size)
    assert answer.headers["x-a"] == "b"


def test_an_error_while_writing_is_raised_before_anything_is_sent() -> None:
    def fail() -> Iterator[bytes]:
        yield b"a"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        spool(fail())
