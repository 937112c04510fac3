import gzip

import pytest

from app.http.representation import Representation, accepts_gzip

SMALL = Representation.prepare(b'{"a":1}')
LARGE = Representation.prepare(b'{"a":"%b"}' % (b"x" * 5000))


def headers_of(**headers: str) -> list[tuple[bytes, bytes]]:
    return [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]


def etag_of(body: Representation, **headers: str) -> str:
    return dict(body.select(headers_of(**headers))[1])[b"etag"].decode()


def test_a_small_body_is_sent_as_it_is() -> None:
    status, headers, body = SMALL.select(headers_of(accept_encoding="gzip"))
    assert (status, body) == (200, SMALL.body)
    assert dict(headers)[b"content-length"] == b"7"
    assert b"content-encoding" not in dict(headers)


def test_a_large_body_is_compressed_for_clients_that_accept_it() -> None:
    status, headers, body = LARGE.select(headers_of(accept_encoding="br, gzip;q=0.8"))
    assert status == 200
    assert dict(headers)[b"content-encoding"] == b"gzip"
    assert dict(headers)[b"vary"] == b"Accept-Encoding"
    assert dict(headers)[b"content-length"] == str(len(body)).encode()
    assert len(body) < len(LARGE.body)
    assert gzip.decompress(body) == LARGE.body


def test_a_large_body_is_sent_plain_to_other_clients() -> None:
    _, headers, body = LARGE.select([])
    assert body == LARGE.body
    assert dict(headers)[b"vary"] == b"Accept-Encoding"


def test_equal_bodies_have_equal_etags_and_others_do_not() -> None:
    assert Representation.prepare(bytes(SMALL.body)).etag == SMALL.etag
    assert Representation.prepare(b'{"a":2}').etag != SMALL.etag


def test_each_encoding_has_its_own_etag() -> None:
    assert etag_of(LARGE) != etag_of(LARGE, accept_encoding="gzip")


@pytest.mark.parametrize("prefix", ["", "W/", '"other", '])
def test_a_client_that_has_the_body_gets_304_without_one(prefix: str) -> None:
    etag = etag_of(SMALL)
    status, headers, body = SMALL.select(headers_of(if_none_match=prefix + etag))
    assert (status, body) == (304, b"")
    assert dict(headers)[b"etag"].decode() == etag
    assert b"content-length" not in dict(headers)


def test_any_body_matches_an_asterisk_and_another_etag_does_not() -> None:
    assert SMALL.select(headers_of(if_none_match="*"))[0] == 304
    assert SMALL.select(headers_of(if_none_match='"other"'))[0] == 200


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        (b"gzip", True),
        (b"GZip, br", True),
        (b"*", True),
        (b"gzip;q=0", False),
        (b"gzip; q=0.000", False),
        (b"gzip;q=0.5", True),
        (b"br", False),
        (b"", False),
        (b"identity;q=1, *;q=0", False),
    ],
)
def test_accept_encoding_decides_about_gzip(header: bytes, accepted: bool) -> None:
    assert accepts_gzip(header) is accepted
