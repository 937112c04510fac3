"""Work that outlives a request: its state machine, its table and who delivers its id."""
