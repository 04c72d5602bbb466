#!/usr/bin/env python3
"""Writes tests/seeds.txt: draws of digests.c and variants.c that reach what no other does. Needs clang; from the root.

    python3 tests/scripts/seeds.py [--tries 4] [--random 300] [--seconds 13] [--behind N] [--only WORD]

A draw is a change of a module, of a text test's input or of a PTX statement, or a random module. Both programs are
built with clang's coverage and say, for each draw, which edges and which outcomes of comparisons (equal, apart by one,
less, more) it is the first to reach: tests/programs/reach.h. Of these draws the ones are taken that reach the most for
their time, as many as take --seconds of the processor together; the table has their numbers. What comes of them stands
in the tables of both programs (./build.sh digests).

What runs without seeds is the base, and is run first: about ten minutes of a processor, as long again for each two
tries. When code or tests change, seeds stay valid and only reach less. --behind: the seeds that there are stay, and
more are looked for behind the first N tries, by which they were found. --only: files whose path holds the word; seeds
of the others stay."""

import argparse, bisect, glob, heapq, os, re, subprocess

BUILD = "build/seeds"
FLAGS = "-w -std=gnu99 -O0 -no-pie -DREACH -DXLAGPU_IMPLEMENTATION -fsanitize-coverage=trace-pc-guard,trace-cmp"
SECONDS_A_CALL = 5e-9  # of clang's coverage, of what tcc builds
HEAD = "# Draws that reach what no other test does: PROGRAM WHAT CASE:SEED ... Written by tests/scripts/seeds.py.\n"


def arguments(program):
    rows = dict(re.findall(r"^(\w+)\|(?:api|src)\|([^|\n]*)\|", open("tests/scripts/programs.sh").read(), re.M))
    return rows[program]


class Names:
    """Places of a program's code as (function, offset): the same in both programs."""

    def __init__(self, binary):
        self.at, self.names = [], {}
        for line in subprocess.run(["nm", "-n", binary], capture_output=True, text=True).stdout.splitlines():
            place, kind, name = line.split(" ")[-3:] if line.count(" ") >= 2 else ("", "", "")
            if kind in ("t", "T"):
                self.at.append(int(place, 16))
                self.names[self.at[-1]] = name
        self.places = {n: p for p, n in self.names.items()}

    def of(self, key):
        start = self.at[bisect.bisect(self.at, key >> 3) - 1]
        return self.names[start], key - (start << 3)

    def key(self, feature):
        start = self.places.get(feature[0])
        return None if start is None else (start << 3) + feature[1]


def build(program):
    command = f"clang {FLAGS} tests/programs/{program}.c -o {BUILD}/{program} -lm -ldl -lpthread"
    subprocess.run(command, shell=True, check=True)


def run(program, args, base, out, tries=0, behind=0):
    """Runs it; what it reaches of what is no draw. Draws are reported in the file `out`."""
    names = Names(f"{BUILD}/{program}")
    keys = [k for k in map(names.key, base) if k]
    with open(f"{BUILD}/base.bin", "wb") as f:
        f.write(b"".join(k.to_bytes(8, "little") for k in keys))
    places = f"XG_REACH_BASE={BUILD}/base.bin XG_REACH_ALL={BUILD}/all.bin" + (
        f" XG_TRIES={tries} XG_FROM={behind}" if tries else ""
    )
    subprocess.run(f"{places} {BUILD}/{program} {args} > {BUILD}/{out} 2>/dev/null", shell=True)
    data = open(f"{BUILD}/all.bin", "rb").read()
    return {names.of(int.from_bytes(data[k : k + 8], "little")) for k in range(0, len(data), 8)}


def read_kept(path, program, base):
    """(program and what, case and seed, seconds, features) of each draw that was reported."""
    names = Names(f"{BUILD}/{program}")
    for line in open(path, errors="replace"):
        words = line.split()
        if len(words) > 5 and words[0] == "KEEP":
            try:
                reached = (names.of(int(w, 16)) for w in words[5:])
                features = [f for f in reached if f not in base and f[0].startswith(("xg_", "xr_", "xlagpu_"))]
                yield f"{words[1]} {words[2]}", words[3], int(words[4]) * SECONDS_A_CALL, features
            except ValueError:  # a line of a process that was stopped
                continue


def choose(draws, seconds):
    """The draws with the most new features for their time, as many as take the seconds together."""
    number, sets = {}, []
    for d in draws:
        sets.append({number.setdefault(f, len(number)) for f in d[3]})
    cost = [0.0005 + d[2] for d in draws]
    queue = [(-len(s) / c, k) for k, (s, c) in enumerate(zip(sets, cost))]
    heapq.heapify(queue)
    done, taken, left = set(), [], seconds
    while queue:
        _, k = heapq.heappop(queue)
        sets[k] -= done
        score = -len(sets[k]) / cost[k]
        if not sets[k]:
            continue
        if queue and score > queue[0][0]:
            heapq.heappush(queue, (score, k))
        elif cost[k] <= left:
            done |= sets[k]
            left -= cost[k]
            taken.append(draws[k])
    print(f"{len(taken)} of {len(draws)} draws, {len(done)} of {len(number)} features, {seconds - left:.1f} s")
    return taken


def write(taken, only, behind):
    lines = {}
    for line in open("tests/seeds.txt") if only or behind else ():
        what, draws = " ".join(line.split()[:2]), line.split()[2:]
        if line[0] != "#" and (behind or only not in what):
            lines[what] = draws
    for what, draw, _, _ in taken:
        lines.setdefault(what, []).append(draw)
    with open("tests/seeds.txt", "w") as f:
        f.write(HEAD)
        for what in sorted(lines):
            draws = sorted(lines[what], key=lambda d: [int(w) for w in d.split(":")])
            f.write(f"{what} {' '.join(draws)}\n")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tries", type=int, default=4, help="of each module, statement and case")
    ap.add_argument("--random", type=int, default=300, help="random modules of each kind")
    ap.add_argument("--seconds", type=float, default=13, help="of the processor, for all draws that are taken")
    ap.add_argument("--behind", type=int, default=0, help="tries of an earlier call, whose draws stay")
    ap.add_argument("--only", default="", help="files whose path holds this")
    a = ap.parse_args()
    os.makedirs(BUILD, exist_ok=True)
    if os.path.exists("tests/seeds.txt") and not a.only and not a.behind:
        os.remove("tests/seeds.txt")
    base = set()
    for program in ("digests", "variants"):
        build(program)
        base |= run(program, arguments(program), base, "none.txt")
    draws = []
    for program in ("digests", "variants"):
        words = [f for w in arguments(program).split() if "/" in w for f in sorted(glob.glob(w))]
        files = " ".join(f for f in words if a.only in f)
        runs = [(files, a.tries)]
        if program == "digests" and not a.only:
            runs += [("--forms", a.tries), ("--choices 800", a.random), ("--medleys 100", a.random)]
        for args, tries in runs:
            behind = a.behind if tries == a.tries else a.behind and a.random
            run(program, args, base, "kept.txt", tries, behind)
            draws += [d for d in read_kept(f"{BUILD}/kept.txt", program, base) if d[3]]
    write(choose(draws, a.seconds), a.only, a.behind)


if __name__ == "__main__":
    main()
