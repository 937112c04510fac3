"""Stores a grid that trains in a moment."""

import numpy as np

from app.graphs.service import store_grid
from app.grid.describe import make_report
from app.grid.grid import Grid, LabelSet
from app.grid.listing import Listing
from app.grid.report import Dropped, ReadGrid
from app.storage.db import Database
from app.train.schemas import TrainIn
from app.train.service import enqueue_training

BUSES = 30


def store_small_grid(database: Database) -> str:
    """Store a ring of 30 buses, labelled in two classes that their features tell apart."""
    generator = np.random.default_rng(7)
    positions = np.arange(BUSES)
    classes = (positions % 3 == 0).astype(np.int64)
    features = generator.normal(size=(BUSES, 2)) + 2 * classes[:, None]
    grid = Grid(
        name="ring",
        source="test",
        bus_ids=tuple(str(position) for position in positions),
        aliases={},
        coordinates=np.full((BUSES, 2), np.nan),
        coordinate_system="none",
        feature_names=("Pd", "Qd"),
        feature_units=("MW", "Mvar"),
        features=features,
        ends=np.stack([positions, (positions + 1) % BUSES], axis=1),
        weights=np.ones(BUSES),
        kinds=np.zeros(BUSES, dtype=np.int64),
        kind_names=("line",),
    )
    labels = LabelSet("role", ("load", "generator"), classes, "every third is a generator")
    with database.writing() as session:
        report = make_report(grid, (labels,), Dropped(Listing(0, [])), ())
        row, _ = store_grid(session, ReadGrid(grid, (labels,), report))
        return row.id


def enqueue_on(
    database: Database, graph_id: str, *, baselines: bool = False, **config: object
) -> str:
    """Queue a training job with these settings."""
    with database.writing() as session:
        body = TrainIn(graph_id=graph_id, config=config, baselines=baselines)
        return enqueue_training(session, body).id
