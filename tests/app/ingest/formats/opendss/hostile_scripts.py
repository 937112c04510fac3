"""Hostile OpenDSS scripts, with the format that a client would name; None for no format."""

from collections.abc import Iterator

from tests.app.ingest.formats.opendss.circuits import pack

_DSS = b"New Circuit.c bus1=s\nNew Line.l bus1=s bus2=t\n"


def make_hostile_scripts() -> Iterator[tuple[str, str | None, bytes]]:
    def script(text: bytes, **files: bytes) -> bytes:
        return pack({"master.dss": _DSS + text, **files})

    nested = {f"f{at}.dss": b"Redirect f%d.dss\n" % (at + 1) * 10 for at in range(10)}
    yield "a script with a program", None, script(b"shell touch /tmp/owned\n")
    yield "a script with a command", "opendss", _DSS + b"DOScmd touch /tmp/owned\n"
    yield "an absolute redirect", None, script(b"Redirect /etc/passwd\n")
    yield "a drive redirect", None, script(b'Compile "C:\\windows\\win.ini"\n')
    yield "a redirect upwards", None, script(b"Redirect ../../etc/passwd\n")
    yield "coordinates upwards", None, script(b"Buscoords a/../../etc/passwd\n")
    yield "a redirect to itself", None, script(b"Redirect master.dss\n")
    yield "a ring of redirects", None, script(b"Redirect a\n", **{"a.dss": b"Redirect master\n"})
    yield "redirects by the billion", None, script(b"Redirect f0.dss\n", **nested)
    yield "a giant chain", "opendss", _DSS + b"~ length=2\n" * 500_000
    yield "a huge number", None, script(b"New Load.x bus1=t kw=1e999\n")
    yield "an endless number", None, script(b"New Load.x bus1=t kw=" + b"9" * 1_000_000)
    yield "an endless expression", "opendss", _DSS + b"~ length=(" + b"1 " * 1_000_000 + b")\n"
    yield "a wide transformer", None, script(b"New Transformer.t windings=999999999\n")
    yield "a scripted zip bomb", None, script(b"", **{"a.dss": b"0" * 200_000_000})
    yield "half a script", None, script(b"New Line.m bus1=t\n")[:-30]
    yield "many scripts", None, pack({f"{at}.dss": b"!" for at in range(5001)})
    yield "no circuit", None, pack({"a.dss": b"New Line.l bus1=a bus2=b\n"})
