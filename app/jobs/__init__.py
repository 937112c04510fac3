"""Background jobs: state machine, table, events, idempotency keys and delivery of ids."""
