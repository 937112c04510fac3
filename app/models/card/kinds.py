"""What the kinds of models are called and what they do."""

_TITLES = {
    "lfgcn": "LFGCN",
    "lfgcn_plus": "LFGCN+",
    "majority": "Majority class",
    "one_rule": "One rule",
    "label_propagation": "Label propagation",
    "closed_form": "Closed form",
    "forest": "Random forest",
}
_DESCRIPTIONS = {
    "lfgcn": "Lévy-flight graph convolution (LFGCN)",
    "lfgcn_plus": "Lévy-flight graph convolution with label reuse (LFGCN+)",
    "mlp": "perceptron on the features of each bus, without the graph",
    "gcn": "graph convolution of Kipf and Welling (GCN)",
    "majority": "the class frequencies of the training buses, the same for every bus",
    "one_rule": "one column, cut into intervals with the class frequencies of each",
    "label_propagation": "known labels spread along the branches (label propagation)",
    "closed_form": "known labels spread over the grid by a closed form",
    "forest": "random forest on the features and the degree of each bus",
}


def name_kind(kind: str) -> str:
    """Return what a kind of model is called."""
    return _TITLES.get(kind, kind.upper())


def describe_kind(kind: str) -> str:
    """Return what a kind of model does, in a few words."""
    return _DESCRIPTIONS.get(kind, kind.upper())
