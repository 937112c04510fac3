from experiments.tables.table import get_table


def test_only_grids_have_a_row_for_the_hand_rule() -> None:
    directed = get_table("directed")
    assert "hand_rule" in directed.methods_on("ieee118")
    assert "hand_rule" not in directed.methods_on("cora_ml_directed")
    jobs = {(job.cell.dataset, job.cell.method) for job in directed.jobs()}
    assert ("sc500", "hand_rule") in jobs
    assert ("cora_directed", "hand_rule") not in jobs
