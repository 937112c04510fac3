"""Hostile files, with the format that a client would name; None for no format."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator

import h5py

from tests.app.ingest.archives import GRIDKIT, PYPSA, SIMBENCH, make_classic, make_netcdf, make_zip
from tests.app.ingest.formats.opendss.hostile_scripts import make_hostile_scripts
from tests.app.ingest.requests import SMALL_CASE


def _mat_bomb() -> bytes:
    """200 bytes of compressed MATLAB data that ask for gigabytes."""
    header = b"MATLAB 5.0 MAT-file".ljust(116) + b"\0" * 8 + b"\x00\x01IM"
    flags = struct.pack("<IIII", 6, 8, 6, 0)
    size = struct.pack("<IIii", 5, 8, 40_000, 40_000)
    name = struct.pack("<II", 1, 3) + b"mpc\0\0\0\0\0"
    data = struct.pack("<II", 9, 0x7FFFFFF0)
    body = flags + size + name + data
    packed = zlib.compress(struct.pack("<II", 14, 0x7FFFFFF0) + body)
    return header + struct.pack("<II", 15, len(packed)) + packed


def _zip(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _net(**parts: object) -> bytes:
    """A pandapower net whose every part would be run or opened by pandapower's own reader."""
    bus = {"columns": ["name", "vn_kv"], "index": [0], "data": [["a", "open('/etc/passwd')"]]}
    named = {"_module": "os", "_class": "system", "_object": json.dumps(bus), "orient": "split"}
    return json.dumps(
        {"_module": "os", "_class": "system", "_object": {"bus": named} | parts}
    ).encode()


def _hdf(**shapes: tuple[int, ...]) -> bytes:
    """A netCDF file whose variables claim to be large; nothing of them is stored."""

    def claim(file: h5py.File, name: str) -> None:
        file.create_dataset(name, shapes[name], "f8", chunks=(1000,) * len(shapes[name]))

    return make_netcdf(**dict.fromkeys(shapes, claim))


def _list_archives() -> Iterator[tuple[str, str | None, bytes]]:
    """Hostile PyPSA, SimBench and GridKit files."""
    zeros = "0" * 20_000_000
    lost = SIMBENCH["Line.csv"] + "x;nowhere;M;T;1;100;a;5\n" * 1000
    wide = "name," + "x," * 50_000 + "v_nom\n"
    series = "," + ",".join(map(str, range(100_000))) + "\n"
    yield "a bomb of nodes", None, make_zip(SIMBENCH | {"Node.csv": zeros})
    yield "a thousand lost ends", None, make_zip(SIMBENCH | {"Line.csv": lost})
    yield "two scenarios", None, make_zip(SIMBENCH | {"b/Node.csv": SIMBENCH["Node.csv"]})
    yield "nodes of one id", None, make_zip({"Node.csv": "id;vmR\n" + "a;20\n" * 100_000})
    yield "infinite voltages", None, make_zip({"Node.csv": "id;vmR\na;inf\nb;1e400\n"})
    yield "NUL in a table", None, make_zip({"Node.csv": "id;vmR\na\0;20\n"})
    yield "a wide folder", None, make_zip(PYPSA | {"net/buses.csv": wide})
    yield "a quoted series", None, make_zip(PYPSA | {"net/loads-p_set.csv": series + '"' + series})
    yield "a folder of folders", None, make_zip({f"{at}/buses.csv": "name\n" for at in range(400)})
    yield "no branches", "gridkit", make_zip({"buses.csv": GRIDKIT["grid/buses.csv"]})
    yield "an open single quote", None, b"bus0,bus1,tags\n1,2,'" + b"x" * 500_000
    yield "an archive that is none", "simbench", b"PK\x03\x04" + b"\0" * 1000
    yield "half a netCDF file", None, make_netcdf()[:4000]
    yield "half a classic file", "pypsa", make_classic()[:200]
    yield "endless buses", None, _hdf(buses_i=(10**13,))
    yield "endless lines", None, _hdf(lines_i=(10**13,), lines_bus0=(10**13,))
    yield (
        "a classic file that lies",
        None,
        make_classic().replace(b"buses_i\0\0\0\0\2", b"buses_i\0\x7f\xff\xff\xff"),
    )


def make_corpus() -> Iterator[tuple[str, str | None, bytes]]:
    bomb = _zip(**{"a.xml": b"0" * 20_000_000})
    laughs = "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, 40))
    yield from _list_archives()
    yield "nothing", None, b""
    yield "blanks", None, b" \n" * 1000
    yield "noise", None, bytes(range(256)) * 100
    yield "newlines", "matpower", b"mpc.bus = [" + b"\n" * 1_000_000
    yield "a program", "matpower", SMALL_CASE.encode() + b"\nsystem('touch /tmp/owned');\n"
    yield "an endless statement", "matpower", b"x = 1 ...\n" * 100_000
    yield "many statements", "matpower", b"x = 1;\n" * 100_000
    yield "a binary bomb", "matpower", _mat_bomb()
    yield "MATLAB 7.3", None, b"\x89HDF\r\n\x1a\n" + b"\0" * 1000
    yield "half a binary file", None, b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM\x0f\0\0\0"
    yield "laughs", "graphml", f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]><x>&a39;</x>'.encode()
    yield "another file", "graphml", b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><graphml/>'
    yield "deep XML", "graphml", b"<a>" * 100_000
    yield "deep JSON", "json", b"[" * 100_000
    yield "deep net", "pandapower", b'{"_object":' * 50_000
    yield "code in a net", None, b'{"_module":"os","_class":"system","_object":"touch /tmp/owned"}'
    yield "NaN", "json", b'{"buses": [{"id": NaN}], "branches": []}'
    yield "a wide table", "csv", b"source,target," + b"x," * 100_000 + b"\n1,2\n"
    yield "an open quote", "csv", b'source,target\n"' + b"x" * 500_000
    yield "a net that runs", None, _net(std_types={"_module": "os", "_class": "system"})
    yield "a net that opens", None, _net(res_bus="/etc/passwd", user_pf_options={"init": "x"})
    yield "a zip bomb", None, bomb
    yield "half a zip", None, bomb[:100]
    yield "a zip in a zip", None, _zip(**{"a.xml": bomb})
    yield "many entries", None, _zip(**{f"{number}.xml": b"<x/>" for number in range(500)})
    yield "a way out", None, _zip(**{"../../../tmp/owned": b"x"})
    yield "arrays in a zip", None, _zip(**{"bus.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}"})
    yield "a torch file", None, _zip(**{"archive/data.pkl": b"\x80\x02cposix\nsystem\n"})
    yield "many keys", "graphml", b"<graphml>" + b'<key id="a"/>' * 100_000
    yield "long text", "graphml", b'<graphml><graph><node id="' + b"x" * 1_000_000 + b'"/></graph>'
    yield "many nodes", "json", b'{"nodes":[' + b'{"id":1},' * 300_000 + b'{"id":2}],"edges":[]}'
    yield "deep nodes", "json", b'{"nodes":[{"id":' + b"[" * 50_000
    yield "half a raw file", "psse", b"0, 100.0, 33, 0, 0, 60.0 / x\n\n\n1,'A'"
    yield "half a node", "ucte", b"##C\n##N\n##ZDE\nDA"
    yield "a pickle", None, b"\x80\x04\x95\x0f\0\0\0\0\0\0\0\x8c\x05posix\x94"
    yield "an array file", None, b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}"
    yield "an unknown format", "pickle", b"x"
    yield from make_hostile_scripts()
