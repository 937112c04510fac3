"""Database engine, sessions, tables, migrations, paging, caches and retries."""
