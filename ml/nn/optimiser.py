"""The optimiser that every network is trained with."""

import torch
from torch import nn

from ml.config.settings import NetworkSettings

KERNEL_NAMES = frozenset({"kernel", "skip", "weight", "init_weight", "root_weight"})
"""Parameters of these names are subject to l2; biases and gates are not."""


def make_adam(network: nn.Module, config: NetworkSettings) -> torch.optim.Adam:
    """Return Adam with weight decay on the kernels, or on the network's ``regularised`` list.

    Equation: Sec. IV "Training Settings", l2 on the kernels.
    """
    chosen = getattr(network, "regularised", None)
    decayed: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, parameter in network.named_parameters():
        is_kernel = name.rpartition(".")[2] in KERNEL_NAMES
        decays = is_kernel if chosen is None else any(parameter is one for one in chosen)
        (decayed if decays else others).append(parameter)
    groups = [{"params": decayed, "weight_decay": config.weight_decay}]
    if others:
        groups.append({"params": others, "weight_decay": 0.0})
    return torch.optim.Adam(groups, lr=config.learning_rate, fused=True)
