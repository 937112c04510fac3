"""Line charts as SVG text: deterministic, and without a plotting library."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, MARGIN = 480, 300, 48
COLOURS = ("#c0392b", "#2962a8", "#2e8b57", "#b8860b", "#6a3d9a", "#444444")


@dataclass(frozen=True)
class Line:
    """One curve: its name and its points."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def line_chart(title: str, x_name: str, y_name: str, lines: Sequence[Line]) -> str:
    """Return a chart of curves over common axes."""
    xs = [value for line in lines for value in line.x]
    ys = [value for line in lines for value in line.y]
    x_range, y_range = _bounds(xs), _bounds(ys)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            'font-family="sans-serif" font-size="11">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2:.0f}" y="16" text-anchor="middle">{escape(title)}</text>',
        *_axes(x_name, y_name, x_range, y_range),
    ]
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(
            f"{_place_x(x, x_range):.1f},{_place_y(y, y_range):.1f}"
            for x, y in zip(line.x, line.y, strict=True)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        height = MARGIN + 14 * number
        parts.append(
            f'<text x="{WIDTH - MARGIN:.0f}" y="{height}" text-anchor="end" fill="{colour}">'
            f"{escape(line.name)}</text>"
        )
    return "\n".join([*parts, "</svg>", ""])


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _place_x(value: float, bounds: tuple[float, float]) -> float:
    share = (value - bounds[0]) / (bounds[1] - bounds[0])
    return MARGIN + share * (WIDTH - 2 * MARGIN)


def _place_y(value: float, bounds: tuple[float, float]) -> float:
    share = (value - bounds[0]) / (bounds[1] - bounds[0])
    return HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)


def _axes(
    x_name: str, y_name: str, x_range: tuple[float, float], y_range: tuple[float, float]
) -> list[str]:
    bottom, right = HEIGHT - MARGIN, WIDTH - MARGIN
    parts = [
        f'<path d="M{MARGIN},{MARGIN} V{bottom} H{right}" fill="none" stroke="#888"/>',
        f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_name)}</text>',
        (
            f'<text x="14" y="{HEIGHT / 2:.0f}" text-anchor="middle" '
            f'transform="rotate(-90 14 {HEIGHT / 2:.0f})">{escape(y_name)}</text>'
        ),
    ]
    for share in (0.0, 0.5, 1.0):
        x = x_range[0] + share * (x_range[1] - x_range[0])
        y = y_range[0] + share * (y_range[1] - y_range[0])
        parts.append(
            f'<text x="{_place_x(x, x_range):.0f}" y="{bottom + 14}" '
            f'text-anchor="middle">{x:.4g}</text>'
        )
        parts.append(
            f'<text x="{MARGIN - 4}" y="{_place_y(y, y_range) + 4:.0f}" '
            f'text-anchor="end">{y:.4g}</text>'
        )
    return parts
