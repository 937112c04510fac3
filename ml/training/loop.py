"""The state of a training run and what one epoch does to it."""

import copy
import math
import time
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import FloatArray, IntArray
from ml.config.settings import NetworkSettings
from ml.drop_edge.dropper import EdgeDropper
from ml.errors import TrainingDiverged
from ml.levy.limits import LOOKAHEAD_NODES
from ml.nn.optimiser import make_adam
from ml.training.history import EpochRecord
from ml.training.interfaces import PenalisedNetwork, Views
from ml.training.lookahead import Lookahead


@dataclass(frozen=True)
class Task:
    """What is learned: tensors on the device, graph views, and which edges may go."""

    features: Tensor
    labels: Tensor
    train: Tensor
    validation: Tensor
    class_weights: Tensor | None
    views: Views
    dropper: EdgeDropper | None


@dataclass
class Progress:
    """Everything that changes from epoch to epoch beside the weights and Adam's moments."""

    generator: np.random.Generator
    best_weights: dict[str, Tensor]
    history: list[EpochRecord] = field(default_factory=list)
    best_epoch: int = 0
    dropped: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


class Optimisation:
    """Adam on the cross-entropy of the training nodes, edges dropped before every epoch.

    Equation: Sec. IV "Training Settings"; Algorithm 1 before each ``drop_every``-th epoch.
    Deviation: l2 enters as Adam's weight decay on the kernels, the gradient of
        ``weight_decay / 2 |W|^2``. Only the logits that the loss reads are computed.
    Raises: TrainingDiverged when a loss is no longer finite.
    """

    def __init__(self, task: Task, network: nn.Module, config: NetworkSettings) -> None:
        self.task = task
        self.network = network
        self.config = config
        self.adam = make_adam(network, config)
        self.progress = Progress(
            generator=np.random.default_rng([config.seed, 1]),
            best_weights=copy.deepcopy(network.state_dict()),
        )
        self._lookahead: Lookahead | None = None
        if task.dropper is not None and len(task.labels) >= LOOKAHEAD_NODES:
            self._lookahead = Lookahead(task.dropper, self._make_view)
        self._train_labels = task.labels[task.train]
        self._validation_labels = task.labels[task.validation]

    @property
    def epoch(self) -> int:
        """How many epochs are done."""
        return len(self.progress.history)

    @property
    def finished(self) -> bool:
        """True when the epochs are used up or validation has stopped improving."""
        patience = self.config.patience
        waited = self.epoch - self.progress.best_epoch
        return self.epoch >= self.config.epochs or (patience is not None and waited >= patience)

    def run_epoch(self) -> EpochRecord:
        """Train one epoch, validate, and remember the weights if they are the best so far."""
        started = time.perf_counter()
        train_loss, train_accuracy = self.train_once()
        validation_loss, accuracy, macro_f1 = self._validate()
        record = EpochRecord(
            epoch=self.epoch + 1,
            train_loss=train_loss,
            validation_loss=validation_loss,
            train_accuracy=train_accuracy,
            validation_accuracy=accuracy,
            validation_macro_f1=macro_f1,
            seconds=time.perf_counter() - started,
            dropped_edges=len(self.progress.dropped),
        )
        if not math.isfinite(train_loss) or not math.isfinite(validation_loss):
            raise TrainingDiverged(record.epoch, train_loss)
        self._remember(record)
        return record

    def probabilities(self) -> FloatArray:
        """Return the class probabilities of every node under the best weights, (N, K)."""
        self.network.load_state_dict(self.progress.best_weights)
        self.network.eval()
        with torch.no_grad():
            logits = self.network(self.task.features, self.task.views.whole(), None)
            probabilities = functional.softmax(logits.double(), dim=1)
        return np.asarray(probabilities.cpu().numpy(), dtype=np.float64)

    def train_once(self) -> tuple[float, float]:
        """Take one step of Adam on this epoch's graph; return its loss and accuracy."""
        if not self.network.training:
            self.network.train()
        self.adam.zero_grad()
        logits, penalty = self._ask(self._training_view())
        loss = functional.cross_entropy(logits, self._train_labels, self.task.class_weights)
        if penalty is not None:
            loss = loss + penalty
        loss.backward()  # type: ignore[no-untyped-call]  # torch
        self.adam.step()
        right = logits.argmax(1) == self._train_labels
        return float(loss.detach()), int(right.sum()) / len(right)

    def _ask(self, view: object) -> tuple[Tensor, Tensor | None]:
        """Return the logits of the training nodes, and what the network adds to the loss."""
        if isinstance(self.network, PenalisedNetwork):
            return self.network.forward_with_penalty(self.task.features, view, self.task.train)
        return self.network(self.task.features, view, self.task.train), None

    def _training_view(self) -> object:
        dropper = self.task.dropper
        if dropper is None:
            return self.task.views.whole()
        if self.epoch % self.config.drop_every == 0:
            self.progress.dropped = dropper.draw(self.progress.generator)
        if len(self.progress.dropped) == 0:
            return self.task.views.whole()
        if self._lookahead is None:
            return self._make_view(dropper.pairs[self.progress.dropped])
        view = self._lookahead.view_of(self.progress.dropped)
        if (self.epoch + 1) % self.config.drop_every == 0:
            self._lookahead.expect_next(self.progress.generator)
        return view

    def _make_view(self, pairs: IntArray) -> object:
        """Return the view of a censored graph with all that does not depend on the weights."""
        view = self.task.views.censored(pairs)
        prepare = getattr(self.network, "prepare_view", None)
        if prepare is not None:
            prepare(self.task.features, view)
        return view

    def _validate(self) -> tuple[float, float, float]:
        self.network.eval()
        with torch.no_grad():
            view = self.task.views.whole()
            logits = self.network(self.task.features, view, self.task.validation)
            loss = functional.cross_entropy(logits, self._validation_labels)
            called = logits.argmax(1)
        truth = self._validation_labels.cpu().numpy()
        accuracy, macro_f1 = _scores(called.cpu().numpy(), truth, logits.shape[1])
        return float(loss), accuracy, macro_f1

    def _remember(self, record: EpochRecord) -> None:
        progress = self.progress
        best = progress.history[progress.best_epoch - 1] if progress.best_epoch else None
        progress.history.append(record)
        if best is None or _merit(record, self.config) > _merit(best, self.config):
            progress.best_epoch = record.epoch
            for name, value in self.network.state_dict().items():
                progress.best_weights[name].copy_(value)


def _merit(record: EpochRecord, config: NetworkSettings) -> tuple[float, float]:
    if config.stop_on == "loss":
        return -record.validation_loss, record.validation_accuracy
    return record.validation_accuracy, -record.validation_loss


def _scores(called: IntArray, truth: IntArray, classes: int) -> tuple[float, float]:
    """Return accuracy and macro-F1 as ``evaluate`` does, without its other figures."""
    confusion = np.bincount(truth * classes + called, minlength=classes**2)
    confusion = confusion.reshape(classes, classes)
    hits = np.diagonal(confusion)
    seen = confusion.sum(axis=0) + confusion.sum(axis=1)
    f1 = 2 * hits[seen > 0] / seen[seen > 0]
    return float(hits.sum() / len(truth)), float(f1.mean())
