"""Serves static files, ours and those of installed packages, with ETag and gzip."""

import gzip
import hashlib
import importlib.util
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from fastapi import Request, Response

from app.errors import NotFound

STATIC_FOLDER = Path(__file__).parent / "static"
_SMALLEST_COMPRESSED = 1024
_REVALIDATE = "no-cache"
_FOREVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
# Name under /static/vendor -> (package that ships it, path inside the package).
_VENDORED = {
    "plotly.min.js": ("plotly", "package_data/plotly.min.js"),
    "swagger-ui-bundle.js": ("fastapi_offline", "static/swagger-ui-bundle.js"),
    "swagger-ui.css": ("fastapi_offline", "static/swagger-ui.css"),
}


@dataclass(frozen=True)
class Asset:
    """One file, plain and compressed, with its headers."""

    content: bytes
    compressed: bytes | None
    etag: str
    media_type: str


def find_assets() -> dict[str, Path]:
    """Return every file that is served, by its name below ``/static/``."""
    own = {
        path.relative_to(STATIC_FOLDER).as_posix(): path
        for path in STATIC_FOLDER.rglob("*")
        if path.is_file()
    }
    vendored = {
        f"vendor/{name}": _package_folder(package) / inside
        for name, (package, inside) in _VENDORED.items()
    }
    return own | vendored


def asset_url(name: str) -> str:
    """Return the relative URL of a file; for a file of a package it contains the version."""
    if not name.startswith("vendor/"):
        return f"static/{name}"
    package, _ = _VENDORED[name.removeprefix("vendor/")]
    return f"static/{name}?v={version(package)}"


def answer_asset(request: Request, name: str, assets: Mapping[str, Path]) -> Response:
    """Send a file, or 304 if the browser has it in its cache.

    Raises: NotFound for a name that is not in ``assets``; the name is never used as a path.
    """
    path = assets.get(name)
    if path is None:
        raise NotFound(f"There is no static file {name!r}.")
    asset = _load_asset(path, path.stat().st_mtime_ns)
    headers = {
        "ETag": asset.etag,
        "Cache-Control": _FOREVER if "v" in request.query_params else _REVALIDATE,
        "Vary": "Accept-Encoding",
    }
    if _is_cached(request, asset.etag):
        return Response(status_code=304, headers=headers)
    if asset.compressed is None or "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(asset.content, headers=headers, media_type=asset.media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(asset.compressed, headers=headers, media_type=asset.media_type)


def _package_folder(package: str) -> Path:
    # find_spec instead of an import: plotly takes long to import and only one file is needed.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {package} is not installed", name=package)
    return Path(spec.submodule_search_locations[0])


@lru_cache(maxsize=128)
def _load_asset(path: Path, _modified_at: int) -> Asset:
    content = path.read_bytes()
    return Asset(
        content=content,
        compressed=gzip.compress(content, 6, mtime=0)
        if len(content) >= _SMALLEST_COMPRESSED
        else None,
        etag=f'W/"{hashlib.sha256(content).hexdigest()[:32]}"',
        media_type=_TYPES.get(path.suffix)
        or mimetypes.guess_type(path.name)[0]
        or "application/octet-stream",
    )


def _is_cached(request: Request, etag: str) -> bool:
    cached = request.headers.get("if-none-match", "")
    return etag in [tag.strip() for tag in cached.split(",")]
