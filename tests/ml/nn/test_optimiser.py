import pytest
import torch
from torch import nn

from ml.nn.optimiser import make_adam
from tests.ml.small_grids import quick


class TwoParameters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.kernel = nn.Parameter(torch.ones(2))
        self.bias = nn.Parameter(torch.ones(1))


class ChosenParameters(TwoParameters):
    @property
    def regularised(self) -> list[nn.Parameter]:
        return [self.bias]


@pytest.mark.parametrize(
    ("network", "decayed"), [(TwoParameters(), "kernel"), (ChosenParameters(), "bias")]
)
def test_weight_decay_is_on_kernels_or_on_the_networks_own_list(
    network: nn.Module, decayed: str
) -> None:
    adam = make_adam(network, quick(weight_decay=0.25, learning_rate=0.125))
    decays = {
        id(parameter): group["weight_decay"]
        for group in adam.param_groups
        for parameter in group["params"]
    }
    for name, parameter in network.named_parameters():
        assert decays[id(parameter)] == (0.25 if name == decayed else 0)
    assert {group["lr"] for group in adam.param_groups} == {0.125}
