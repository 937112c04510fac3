import pytest

from app.errors import GridRejected
from app.ingest.formats.matpower.binary import parse_binary


def test_a_header_that_the_library_cannot_index_is_refused() -> None:
    with pytest.raises(GridRejected, match="not a readable MATLAB"):
        parse_binary(b"\x01\x01\x01\x01" + bytes(16))
