"""Processes that run jobs: who delivers an id, and what happens with it then."""
