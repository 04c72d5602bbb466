#!/usr/bin/env python3
"""Prints the circles of files of src/: sets of files each of which calls functions of another one of the set, on and on
until it comes back to itself; a room's circles count, circles through several rooms are marked ROOMS. Run by
tests/scripts/check.sh, which holds their number.

    python3 tests/scripts/circles.py [--calls]      --calls: also which functions make them
"""

import collections, glob, os, re, sys

DEFINITION = r"^(?:XG_|XR_|XLAGPU_API|static|enum|[a-z])[^;{}#]*?\b(x[gr]_\w+)\s*\([^;{]*\)\s*\{"


def read(path):
    with open(path) as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


def graph(texts):
    """by file: the files that it calls; by pair of files: the functions."""
    home, calls, why = {}, {f: set() for f in texts}, collections.defaultdict(set)
    for f in sorted(texts):
        for m in re.finditer(DEFINITION, texts[f], re.M):
            home.setdefault(m.group(1), f)
    for f in texts:
        for word in set(re.findall(r"\bx[gr]_\w+", texts[f])):
            to = home.get(word)
            if to and to != f:
                calls[f].add(to)
                why[f, to].add(word)
    return calls, why


def circles(calls):
    """Strongly connected components of more than one file (Tarjan's algorithm)."""
    number, low, path, found = {}, {}, [], []

    def visit(f):
        number[f] = low[f] = len(number)
        path.append(f)
        for to in sorted(calls[f]):
            if to not in number:
                visit(to)
            if to in path:
                low[f] = min(low[f], low[to])
        if low[f] == number[f]:
            at = path.index(f)
            if len(path) - at > 1:
                found.append(sorted(path[at:]))
            del path[at:]

    for f in sorted(calls):
        if f not in number:
            visit(f)
    return found


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    sys.setrecursionlimit(10000)
    texts = {f[4:]: read(f) for f in glob.glob("src/*/*.c")}
    calls, why = graph(texts)
    for circle in sorted(circles(calls), key=lambda c: (len(c), c)):
        rooms = {os.path.dirname(f) for f in circle}
        print(f"{len(circle)} files{' ROOMS' if len(rooms) > 1 else ''}: {' '.join(circle)}")
        if "--calls" in sys.argv:
            for f in circle:
                for to in sorted(calls[f] & set(circle)):
                    print(f"    {f} -> {to}: {' '.join(sorted(why[f, to])[:6])}")


if __name__ == "__main__":
    main()
