"""LFGCN+: LFGCN with the training labels, spread by the paper's filter, as further inputs."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from ml.arrays import IntArray
from ml.config.levy import LfgcnPlusSettings
from ml.graph.graph import Graph
from ml.levy.limits import WIDE_COLUMNS
from ml.nn.filters.base import LevyFilter
from ml.nn.label_spreading import Spreader
from ml.nn.lfgcn import LevyNetwork
from ml.nn.sparse import densify
from ml.nn.views import LevyViews

_LEAST_SHARE = 1e-3
"""Smallest class share, which keeps the logarithm of a class without labels finite."""


@dataclass(frozen=True, eq=False)
class PlusView:
    """The filter of this epoch's graph and the label spreader of the whole graph."""

    levy_filter: LevyFilter
    spreader: Spreader


class PlusNetwork(nn.Module):
    """An ensemble of LFGCNs that also read the training labels of the surroundings.

    The last columns of the features are the training labels, one column per class. They are
    spread by the closed form and scaled to sum to one; the shares enter as features and, with
    a learned weight that starts at ``label_trust``, as a log-prior of the output. The features
    are followed by ``feature_steps`` filtered copies of them. Wide features, such as words, are
    left as they are, and the labels enter as the prior only. The output is the mean of the
    members' log-probabilities. With ``agreement`` above zero the members are also trained
    towards their common prediction, at the nodes whose label is not shown.

    Equation: Eq. (fractional_closed_form) on labels, Eq. (FGS_convolutional_layer) on the rest.
    Deviation: not in the paper. In training each label is hidden with the probability
        ``hidden_labels``; nodes whose own label was shown give no gradient, so that no node
        learns from an input that contains its own label. With ``hidden_labels`` at one, labels
        are never shown, not in prediction either: only the ensemble is left.
    Shapes: features (N, Q + K) -> logits (N, K), or (R, K) at R chosen nodes.
    """

    def __init__(self, config: LfgcnPlusSettings, features: int, classes: int) -> None:
        super().__init__()
        plain = features - classes
        self._narrow = plain < WIDE_COLUMNS
        columns = plain * (1 + config.feature_steps) + classes if self._narrow else plain
        self.members = nn.ModuleList(
            LevyNetwork(config, columns, classes) for _ in range(config.members)
        )
        self.trust = nn.Parameter(torch.tensor(config.label_trust))
        self._classes = classes
        self._steps = config.feature_steps
        self._hidden = config.hidden_labels
        self._agreement = config.agreement
        self._temperature = config.temperature
        self._parts: tuple[Tensor, Tensor, Tensor] | None = None

    def forward(self, features: Tensor, view: PlusView, nodes: Tensor | None) -> Tensor:
        """Return logits at ``nodes``, or everywhere if that is None."""
        outputs, prior, shown = self._evaluate_members(features, view, nodes)
        logits = outputs.mean(0) + prior
        return torch.where(shown.unsqueeze(1), logits.detach(), logits) if self.training else logits

    def forward_with_penalty(
        self, features: Tensor, view: PlusView, nodes: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits at ``nodes`` in training, and the penalty to add to the loss."""
        if self._agreement == 0:
            return self(features, view, nodes), self.trust.new_zeros(())
        outputs, prior, shown = self._evaluate_members(features, view, None)
        penalty = disagreement((outputs + prior)[:, ~shown], self._temperature)
        logits = outputs.mean(0) + prior
        logits = torch.where(shown.unsqueeze(1), logits.detach(), logits)
        return logits[nodes], self._agreement * penalty

    def _evaluate_members(
        self, features: Tensor, view: PlusView, nodes: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return log-probabilities of the members, the prior, and which labels were shown.

        Shapes: (M, R, K), (R, K), (R,).
        """
        plain, labels = self._part(features)
        shown = self._shown(labels)
        shares = self._shares(labels, shown, view.spreader)
        inputs = plain
        if self._narrow:
            inputs = torch.cat([*self._filtered(plain, view.levy_filter), shares], dim=1)
        outputs = [
            functional.log_softmax(member(inputs, view.levy_filter, nodes), dim=1)
            for member in self.members
        ]
        if nodes is not None:
            shares, shown = shares[nodes], shown[nodes]
        prior = self.trust * shares.clamp_min(_LEAST_SHARE).log()
        return torch.stack(outputs), prior, shown

    def _part(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return features and training labels separately; computed once per run."""
        if self._parts is None or self._parts[0] is not features:
            plain, labels = densify(features).tensor_split([-self._classes], dim=1)
            if features.is_sparse:
                plain = plain.to_sparse().coalesce()
            self._parts = (features, plain, labels)
        return self._parts[1:]

    def _shown(self, labels: Tensor) -> Tensor:
        """Draw the nodes whose labels are shown: all outside training. Shapes: (N, K) -> (N,)."""
        labelled = labels.any(dim=1)
        if self._hidden == 1:
            return torch.zeros_like(labelled)
        if not self.training:
            return labelled
        drawn = torch.rand(len(labels), device=labels.device) >= self._hidden
        return labelled & drawn

    def _shares(self, labels: Tensor, shown: Tensor, spreader: Spreader) -> Tensor:
        """Return the spread share of each class, equal where no label reaches the node."""
        if self._hidden == 1:
            return torch.full_like(labels, 1 / self._classes)
        sources = labels.any(dim=1).nonzero().squeeze(1)
        masses = spreader.spread(sources, labels[sources], shown[sources])
        total = masses.sum(dim=1, keepdim=True)
        even = torch.full_like(masses, 1 / self._classes)
        return torch.where(total > 0, masses / total.clamp_min(1e-30), even)

    def _filtered(self, plain: Tensor, levy_filter: LevyFilter) -> list[Tensor]:
        copies = [plain]
        for _ in range(self._steps):
            copies.append(levy_filter.apply(copies[-1]))
        return copies


def disagreement(logits: Tensor, temperature: float) -> Tensor:
    """Return the consistency loss of GRAND: the distance of the members from their sharpened mean.

    Equation: Feng et al. (2020), "Graph Random Neural Networks", Eqs. (4) and (5):
        ``1/(M N) sum_m sum_i |t_i - p_mi|^2`` with ``t_i`` in proportion to
        ``(1/M sum_m p_mi)^(1/T)``, through which no gradient flows.
    Deviation: the M predictions come from members with separate weights instead of from
        repeated random passes through one network.
    Shapes: (M, N, K) -> ().
    """
    probabilities = functional.softmax(logits, dim=2)
    target = probabilities.detach().mean(0).pow(1 / temperature)
    target = target / target.sum(dim=1, keepdim=True)
    return (probabilities - target).square().sum(dim=2).mean()


class PlusViews:
    """The views of LFGCN, each with the label spreader."""

    def __init__(self, graph: Graph, config: LfgcnPlusSettings, device: torch.device) -> None:
        self._levy = LevyViews(graph, config, device)
        self._spreader = Spreader(graph, config, device)

    def whole(self) -> PlusView:
        """Return the view of the whole graph."""
        return PlusView(self._levy.whole(), self._spreader)

    def censored(self, pairs: IntArray) -> PlusView:
        """Return the view of the graph without ``pairs``, (k, 2)."""
        return PlusView(self._levy.censored(pairs), self._spreader)


def build_network(config: LfgcnPlusSettings, features: int, classes: int) -> nn.Module:
    """Return an LFGCN+ with freshly drawn weights."""
    return PlusNetwork(config, features, classes)


def make_views(graph: Graph, config: LfgcnPlusSettings, device: torch.device) -> PlusViews:
    """Return the filters of the graph with the label spreader."""
    return PlusViews(graph, config, device)
