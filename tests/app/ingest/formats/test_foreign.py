"""Foreign formats are named, each with the way to a format that is read."""

import io
import pickle  # noqa: TID251 - a file that must be refused

import h5py
import pytest
from starlette.testclient import TestClient

from app.errors import GridRejected
from app.ingest.formats import READERS, choose_format
from app.ingest.formats.foreign import FOREIGN, find_foreign
from app.ingest.protocol import ReadLimits
from app.ingest.upload import Upload, read_upload
from tests.app.ingest.archives import GRIDKIT, PYPSA, SIMBENCH, make_netcdf, make_zip
from tests.app.ingest.formats.test_reader_properties import SEEDS


def _make_hdf() -> bytes:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file["temperature"] = [1.0, 2.0]
    return stream.getvalue()


_XIIDM = (
    b'<?xml version="1.0"?>\n<iidm:network xmlns:iidm="http://www.powsybl.org/schema/iidm/1_12">'
)
_GML = b'<?xml version="1.0"?><core:CityModel xmlns:gml="http://www.opengis.net/gml">'
FILES = {
    "XIIDM": (_XIIDM, "pypowsybl"),
    "JIIDM": (b'{"version":"1.12","caseDate":"x","forecastDistance":0}', "pypowsybl"),
    "PSS/E RAWX": (b'{"general":{},"network":{"caseid":{"fields":["ic"]}}}', "RAW"),
    "GeoJSON": (b'{"type": "FeatureCollection", "features": []}', "CSV"),
    "a truncated netCDF or HDF5 file": (make_netcdf()[:3000], "whole file"),
    "netCDF or HDF5 without a PyPSA network": (_make_hdf(), "export_to_netcdf"),
    "GML (Graph Modelling Language)": (b"graph [\n  node [ id 1 ]\n]\n", "write_graphml"),
    "GML (Geography Markup Language)": (_GML, "CSV"),
    "Excel": (make_zip({"xl/workbook.xml": b"<workbook/>", "xl/a.xml": b"<a/>"}), "CSV"),
    "PowerFactory": (b"$$General;ID(a:40);Descr(a:40)\n", "CGMES"),
    "a PSS/E saved case (.sav)": (b"\x01\0\0\0PSS(R)E-34\0\0\0\0" + b"\0" * 100, "RAW"),
    "a Python pickle": (pickle.dumps({"bus": 1}), "to_json"),
}


def test_every_foreign_format_has_a_sample() -> None:
    assert [form.title for form in FOREIGN] == list(FILES)


@pytest.mark.parametrize("title", FILES)
def test_a_foreign_file_is_named_with_the_way_to_convert_it(title: str) -> None:
    content, way = FILES[title]
    with pytest.raises(GridRejected, match="Unsupported file") as caught:
        choose_format(content, None)
    assert title in caught.value.faults[0].problem
    assert way in caught.value.faults[0].problem


def test_old_excel_and_classic_netcdf_are_named_too() -> None:
    old = find_foreign(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500)
    classic = find_foreign(b"CDF\x01" + b"\0" * 100)
    assert (old and old.title, classic and classic.title) == (
        "Excel",
        "netCDF or HDF5 without a PyPSA network",
    )


def test_files_that_are_read_are_not_foreign() -> None:
    own = [seed.encode() for _, seed in SEEDS.values()]
    own += [make_zip(files) for files in (PYPSA, SIMBENCH, GRIDKIT)]
    own.append(make_netcdf())
    assert [find_foreign(content) for content in own] == [None] * len(own)


def test_a_named_format_still_hears_what_the_file_looks_like() -> None:
    with pytest.raises(GridRejected) as caught:
        read_upload(Upload(FILES["XIIDM"][0], "graphml"), ReadLimits())
    assert "XIIDM" in caught.value.faults[-1].problem


def test_an_archive_with_nothing_known_explains_what_it_may_hold(api: TestClient) -> None:
    answer = api.post("/graphs", files={"file": ("x.zip", make_zip({"notes.txt": b"hello"}))})
    assert answer.status_code == 422
    assert "SimBench" in answer.json()["errors"][0]["problem"]


def test_names_of_readers_are_unique() -> None:
    names = [form.name for form in READERS]
    assert len(set(names)) == len(names)
