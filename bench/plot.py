#!/usr/bin/env python3
"""Draws what ./build.sh bench prints as SVG, with nothing but Python itself.

    plot.py BENCH.txt FOLDER      FOLDER/growth.svg, modules.svg, simulator.svg: those whose table is in BENCH.txt

The pages are for docs/performance.md: no script, no font of their own, readable on light and on dark ground."""
import html
import math
import os
import sys

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 230, 40, 50  # room around the axes
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"]  # told apart by most eyes
DASHES = ["none", "6 3", "2 3"]


def tables(text):
    """The tab-separated tables of a bench's output: lists of rows, the first row of each its heads."""
    table = []
    for line in text.splitlines() + [""]:
        cells = line.split("\t")
        if len(cells) > 1:
            table.append(cells)
        elif table:
            yield table
            table = []


def text(x, y, words, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{html.escape(words)}</text>'


def page(title, parts, height=HEIGHT):
    style = (
        "text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}\n"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.ground{fill:#111}}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{html.escape(title)}</title>",
            f"<style>{style}</style>",
            f'<rect class="ground" width="{WIDTH}" height="{height}" fill="#fff"/>',
            text(LEFT, 22, title, extra=' style="font-weight:bold"'),
            *parts,
            "</svg>\n",
        ]
    )


def decades(values):
    """The powers of ten around the values."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def lines(title, series, x_name, y_name):
    """Lines over two logarithmic axes. series: name -> [(x, y)]; the legend stands in the order of their ends."""
    x0, x1 = decades([x for points in series.values() for x, _ in points])
    y0, y1 = decades([y for points in series.values() for _, y in points])
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x, y):
        return (
            LEFT + (math.log10(x) - x0) / (x1 - x0) * wide,
            HEIGHT - BOTTOM - (math.log10(y) - y0) / (y1 - y0) * high,
        )

    parts = []
    for k in range(x0, x1 + 1):
        x, _ = place(10**k, 10**y0)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 18, f"{10**k:,}", "middle"))
    for k in range(y0, y1 + 1):
        _, y = place(10**x0, 10**k)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(text(LEFT - 6, y + 4, f"{10.0**k:g}", "end"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_name, "middle"))
    parts.append(text(LEFT - 6, TOP - 9, y_name, "end"))
    order = sorted(series, key=lambda name: -series[name][-1][1])
    step = min(18, high / len(order))
    for k, name in enumerate(order):
        colour, dash = COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]
        points = " ".join("%.1f,%.1f" % place(x, y) for x, y in series[name])
        stroke = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        parts.append(f'<polyline fill="none" {stroke}\n  points="{points}"/>')
        y, x = TOP + 10 + k * step, WIDTH - RIGHT + 14
        parts.append(f'<line {stroke} x1="{x}" y1="{y - 4:.1f}" x2="{x + 26}" y2="{y - 4:.1f}"/>')
        parts.append(text(x + 32, y, name))
    return page(title, parts)


def bars(title, rows, unit):
    """Bars side by side, one group a row. rows: [(name, [(label, value)])]."""
    labels = list(dict.fromkeys(label for _, values in rows for label, _ in values))
    most = max(value for _, values in rows for _, value in values)
    thick = 14 if len(labels) > 1 else 12
    each = thick * len(labels) + (10 if len(labels) > 1 else 3)
    left, y, parts = 240, TOP + 24, []
    wide = WIDTH - left - 70
    for k, label in enumerate(labels if len(labels) > 1 else []):
        parts.append(f'<rect x="{left + k * 110}" y="{TOP - 2}" width="12" height="12" fill="{COLOURS[k]}"/>')
        parts.append(text(left + k * 110 + 18, TOP + 9, label))
    for name, values in rows:
        parts.append(text(left - 8, y + each / 2, name, "end"))
        for k, (label, value) in enumerate(values):
            length = value / most * wide
            colour = COLOURS[labels.index(label) % len(COLOURS)]
            top = y + k * thick
            parts.append(f'<rect x="{left}" y="{top}" width="{length:.1f}" height="{thick - 2}" fill="{colour}"/>')
            parts.append(text(left + length + 5, top + thick - 4, f"{value:.3g}{unit if k == 0 else ''}"))
        y += each
    return page(title, parts, y + 16)


def number(cell):
    try:
        return float(cell.rstrip("x"))
    except ValueError:
        return None


def drawn(table):
    """What a table is, by its heads: (file, SVG); None: a table without a picture."""
    heads = table[0]
    rows = [dict(zip(heads, row)) for row in table[1:]]
    if heads[:3] == ["shape", "instructions", "ms"]:
        series = {}
        for r in rows:
            series.setdefault(r["shape"], []).append((float(r["instructions"]), max(float(r["ms"]), 0.01)))
        return "growth.svg", lines("HLO text to executable, by instructions", series, "instructions", "ms")
    if heads[:2] == ["name", "compile_ms"]:
        least = sorted(((r["name"], float(r["compile_ms"])) for r in rows), key=lambda r: -r[1])[:25]
        slow = [(name, [("", ms)]) for name, ms in least]
        return "modules.svg", bars("The slowest modules of tests/corpus to compile", slow, " ms")
    if heads[0] == "kernel" and "unit" in heads:
        speed = heads[2]
        groups = {}
        for r in rows:
            if number(r[speed]) is not None:
                groups.setdefault(r["kernel"], []).append((r["unit"], number(r[speed])))
        return "simulator.svg", bars("Simulator, one core: " + speed, list(groups.items()), "")
    return None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    with open(sys.argv[1], encoding="utf-8") as f:
        made = [d for d in map(drawn, tables(f.read())) if d]
    for name, svg in made:
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as f:
            f.write(svg)
        print("drew", os.path.join(sys.argv[2], name))
    if not made:
        sys.exit(f"{sys.argv[1]}: no table of ./build.sh bench in it")


main()
