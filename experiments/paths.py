"""Folders of the experiments, found from the package and not from the current directory."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
RESULTS = _PACKAGE / "results"
"""Stored results, one JSON Lines file per table."""
NOTES = _PACKAGE / "notes"
"""Texts that the generated pages quote, one Markdown file per topic."""
DOCS = _PACKAGE.parent / "docs"
"""Generated pages; this folder exists only in a checkout of the repository."""
