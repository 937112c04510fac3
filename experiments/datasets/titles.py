"""Titles of the data sets, which pages need even where the data are absent."""

_CASES = {
    "case57": "case57",
    "case89": "case89pegase",
    "case145": "case145",
    "rts_gmlc": "RTS-GMLC",
    "activsg200": "ACTIVSg200",
    "case1354": "case1354pegase",
    "case118": "case118",
    "case300": "case300",
    "activsg500": "ACTIVSg500",
    "activsg2000": "ACTIVSg2000",
    "activsg10k": "ACTIVSg10k",
    "activsg25k": "ACTIVSg25k",
    "activsg70k": "ACTIVSg70k",
    "synthetic_usa": "SyntheticUSA",
}
_TITLES = {
    "ieee118": "IEEE 118",
    "sc500": "SC 500",
    "sc500_br_b": "SC 500 (BR_B weights)",
    "tx2000": "TX 2000 (reconstructed)",
    "cora": "Cora",
    "citeseer": "CiteSeer",
    "pubmed": "PubMed",
    "cora_directed": "Cora (directed)",
    "cora_ml_directed": "Cora-ML directed (stand-in)",
}


def title_of(dataset: str) -> str:
    """Return the title of a data set; a grid task is titled by its case and its task."""
    if dataset in _TITLES:
        return _TITLES[dataset]
    case = next((name for name in _CASES if dataset.startswith(f"{name}_")), None)
    if case is None:
        return dataset
    task = dataset.removeprefix(f"{case}_").replace("_", " ")
    return f"{_CASES[case]}, {task}"
