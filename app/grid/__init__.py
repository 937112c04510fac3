"""The domain model: a grid, its packed form, report, versions and differences."""
