"""How cost grows, as an SVG of two scales that count in tens; nothing but text is needed to draw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 420, 60, 40, 210, 50
COLOURS = ("#1b6ca8", "#c8553d", "#4f7942", "#7b5ea7", "#b8860b")

Points = Sequence[tuple[float, float]]


def svg(title: str, lines: Mapping[str, Points], x: str, y: str) -> str:
    """One line per name; a name that ends with `(bare)` is dashed, in the colour of the one before it."""
    points = [point for line in lines.values() for point in line]
    xs, ys = _range([px for px, _ in points]), _range([py for _, py in points])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
        'font-size="12"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(title)}</text>',
        *_grid(xs, ys, x, y),
    ]
    colour = -1
    for n, (name, line) in enumerate(lines.items()):
        dashed = name.endswith("(bare)")
        colour += not dashed
        parts += _line(name, [_at(point, xs, ys) for point in line], n, COLOURS[colour % len(COLOURS)], dashed)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _range(values: Sequence[float]) -> tuple[int, int]:
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return low, max(high, low + 1)


def _at(point: tuple[float, float], xs: tuple[int, int], ys: tuple[int, int]) -> tuple[float, float]:
    right, down = WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP
    across = (log10(point[0]) - xs[0]) / (xs[1] - xs[0])
    up = (log10(point[1]) - ys[0]) / (ys[1] - ys[0])
    return round(LEFT + across * right, 1), round(TOP + (1 - up) * down, 1)


def _grid(xs: tuple[int, int], ys: tuple[int, int], x: str, y: str) -> list[str]:
    parts = [f'<text x="{LEFT}" y="{HEIGHT - 10}">{escape(x)}</text>', f'<text x="8" y="36">{escape(y)}</text>']
    for power in range(xs[0], xs[1] + 1):
        at, _ = _at((10.0**power, 10.0 ** ys[0]), xs, ys)
        parts.append(f'<path d="M{at} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{at}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{10**power:,}</text>')
    for power in range(ys[0], ys[1] + 1):
        _, at = _at((10.0 ** xs[0], 10.0**power), xs, ys)
        parts.append(f'<path d="M{LEFT} {at}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4}" text-anchor="end">{10.0**power:g}</text>')
    return parts


def _line(name: str, points: Points, n: int, colour: str, dashed: bool) -> list[str]:
    style = f'stroke="{colour}" fill="none" stroke-width="2"' + (' stroke-dasharray="5 4"' if dashed else "")
    path = " ".join(f"{'M' if not i else 'L'}{px} {py}" for i, (px, py) in enumerate(points))
    row, key = TOP + 12 + 18 * n, WIDTH - RIGHT + 14
    return [
        f'<path d="{path}" {style}/>',
        *(f'<circle cx="{px}" cy="{py}" r="3" fill="{colour}"/>' for px, py in points),
        f'<path d="M{key} {row - 4}h24" {style}/><text x="{key + 30}" y="{row}">{escape(name)}</text>',
    ]
