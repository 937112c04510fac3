"""Domain model: the grid, its packed form, import report, versions and differences."""
