"""The paper's tables, rerun: one file a table, one protocol for all."""
