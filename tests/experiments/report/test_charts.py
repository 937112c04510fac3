from xml.dom.minidom import parseString

from experiments.report.charts import Line, line_chart


def test_a_chart_is_well_formed_and_has_one_curve_per_line() -> None:
    lines = [Line("a < b", [0, 1], [0, 1]), Line("c", [0, 1], [1, 1])]
    chart = parseString(line_chart("t & u", "x", "y", lines))  # noqa: S318  # our own text
    assert len(chart.getElementsByTagName("polyline")) == 2


def test_larger_values_are_drawn_higher() -> None:
    chart = line_chart("t", "x", "y", [Line("a", [0, 1], [0, 5])])
    points = chart.split('points="')[1].split('"')[0].split()
    low, high = (float(point.split(",")[1]) for point in points)
    assert high < low
