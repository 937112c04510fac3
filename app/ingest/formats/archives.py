"""Recognises the format of an archive or a netCDF file by the names of its parts."""

from collections.abc import Iterable

from app.ingest.formats.guards.zip_guard import ListedEntry, find_base_name, list_entries, peek

_ZIP = b"PK\x03\x04"
_HDF = b"\x89HDF"
_SUPERBLOCK = 48
_CLASSIC = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
_BRANCH_WORDS = ("lines", "links", "transformers")
_SEPARATORS = b",;#\t"


def is_netcdf(content: bytes) -> bool:
    """Tell a netCDF or HDF5 file."""
    return content.startswith((_HDF, *_CLASSIC))


def is_truncated(content: bytes) -> bool:
    """Tell an HDF5 file that is shorter than its superblock says."""
    if not content.startswith(_HDF) or len(content) < _SUPERBLOCK:
        return content.startswith(_HDF)
    end = 40 if content[8] < 2 else 28  # the version of the superblock decides the place
    return len(content) < int.from_bytes(content[end : end + 8], "little")


def is_simbench(content: bytes) -> bool:
    """Tell a zip with SimBench's table of nodes."""
    return "node.csv" in _list_names(_list(content))


def is_pypsa(content: bytes) -> bool:
    """Tell a netCDF file with PyPSA's buses, or a zip with PyPSA's CSV folder."""
    if is_netcdf(content):
        return b"buses_i" in content and b"buses_v_nom" in content
    entries = _list(content)
    names = _list_names(entries)
    if "buses.csv" not in names:
        return False
    if {"network.csv", "snapshots.csv"} & names:
        return True
    return b"v_nom" in _peek_header(content, entries, "buses.csv")


def is_gridkit(content: bytes) -> bool:
    """Tell a zip with CSV files of branches between ``bus0`` and ``bus1``."""
    entries = _list(content)
    tables = [name for name in _list_names(entries) if name.endswith(".csv")]
    parts = [name for name in tables if any(word in name for word in _BRANCH_WORDS)]
    return any(_has_ends(_peek_header(content, entries, name)) for name in sorted(parts)[:10])


def is_gridkit_table(first_line: bytes) -> bool:
    """Tell the header of a GridKit file of branches."""
    return _has_ends(_split(first_line))


def list_base_names(content: bytes) -> set[str]:
    """Return the file names in an archive, without folders and in lower case."""
    return _list_names(_list(content))


def _list(content: bytes) -> list[ListedEntry]:
    return list(list_entries(content)) if content.startswith(_ZIP) else []


def _list_names(entries: Iterable[ListedEntry]) -> set[str]:
    return {find_base_name(entry.name) for entry in entries} - {""}


def _peek_header(content: bytes, entries: Iterable[ListedEntry], name: str) -> set[bytes]:
    entry = next(entry for entry in entries if find_base_name(entry.name) == name)
    return _split(peek(content, entry).partition(b"\n")[0])


def _split(line: bytes) -> set[bytes]:
    for separator in _SEPARATORS:
        line = line.replace(bytes((separator,)), b",")
    return {cell.strip(b" \r'\"\xef\xbb\xbf").lower() for cell in line.split(b",")}


def _has_ends(columns: set[bytes]) -> bool:
    return {b"bus0", b"bus1"} <= columns or {b"v_id_1", b"v_id_2"} <= columns
