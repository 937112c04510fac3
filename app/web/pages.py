"""The web pages: ``/``, the API documentation at ``/docs``, and their static files."""

from functools import cache
from pathlib import Path
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from app.ingest.formats import FORMATS
from app.labels.catalogue import list_kinds
from app.web.assets import answer_asset, find_assets
from app.web.policy import page_headers
from app.web.rendering import render
from ml import make_config

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_page(view: Literal["plain", "large"] = "plain") -> HTMLResponse:
    """Show the grid, its predictions and the jobs; the view ``large`` may use WebGL."""
    modules = sorted(name for name in _assets() if name.startswith("page/"))
    lists = {"modules": modules, "formats": FORMATS, "kinds": list_kinds()}
    html = render("page.html", config=make_config(), **lists)
    return HTMLResponse(html, headers=page_headers(webgl=view == "large"))


@router.get("/docs")
def show_docs() -> HTMLResponse:
    """Show the API documentation in Swagger UI."""
    return HTMLResponse(render("docs.html"), headers=page_headers())


@router.get("/static/{name:path}")
@router.head("/static/{name:path}")
def send_asset(request: Request, name: str) -> Response:
    """Send a static file of the pages."""
    return answer_asset(request, name, _assets())


@cache
def _assets() -> dict[str, Path]:
    return find_assets()
