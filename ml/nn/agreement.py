"""What several networks owe each other where nobody knows the answer: to agree, and clearly."""

from torch import Tensor
from torch.nn import functional


def disagreement(voices: Tensor, temperature: float) -> Tensor:
    """Measure how far the members are from their common answer, made clearer.

    Equation: Feng et al. (2020), "Graph Random Neural Networks", Eqs. (4) and (5):
        ``1/(M N) sum_m sum_i |t_i - p_mi|^2`` with ``t_i`` in proportion to
        ``(1/M sum_m p_mi)^(1/T)``, through which no gradient flows.
    Deviation: the answers come from members with weights of their own instead of from one
        network that is asked several times.
    Shapes: logits (M, N, K) -> ().
    """
    beliefs = functional.softmax(voices, dim=2)
    target = beliefs.detach().mean(0).pow(1 / temperature)
    target = target / target.sum(dim=1, keepdim=True)
    return (beliefs - target).square().sum(dim=2).mean()
