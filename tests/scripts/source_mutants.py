#!/usr/bin/env python3
"""How much of src/ the tests hold: one token is changed, and a test must fail. Needs tcc; run from the root, by soak.

    python3 tests/scripts/source_mutants.py [--count 120] [--seed 1] [--only PATH] [--texts] [--keep FILE]

A change is drawn from all tokens of src/*/*.[ch] that decide something: comparisons, &&, ||, !, + and - with blanks
around them, true and false, and numbers (which become one more, or 0 for 1). Changes that do not compile are drawn
again.

tcc compiles the runner of the text tests in half a second, so each change is a new build. Tests run in the order in
which they are likely to notice and quick: the texts of the changed room, the digests of what the compiler makes, the
other texts, the corpus on the simulator, then the programs. Only those run that call the changed function, which
clang's coverage has told before. The first that ends otherwise than without the change stops it; --texts stops behind
the texts. What tcc itself makes fail (the payloads of NaNs) fails in both. A survivor is printed with its place and its
line: it changes only a choice (a tuned number, an order among equals), or it wants a test. source_mutants.txt tells of
those of some runs. Ends with 'N caught, N survived' and the share."""

import argparse, glob, os, random, re, shutil, subprocess, sys, time

WORK = "build/source_mutants"
SWAPS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    " + ": " - ",
    " - ": " + ",
    "+=": "-=",
    "-=": "+=",
    "true": "false",
    "false": "true",
    "!": "",
}
TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
    r"|<<=?|>>=?|->|[<>=!]=|&&|\|\||[+-]=|\+\+|--| [+-] |[<>!]|[A-Za-z_]\w*|\d[\w.]*",
    re.S | re.M,
)
# Programs that notice changes of a room early; the others follow.
NEAR = {
    "sim": ["sim_isa", "kernels"],
    "rt": ["runtime", "api", "fake_cuda"],
    "kir": ["algebraic", "kernels"],
    "base": ["math"],
    "ptx": ["kernels"],
    "emit": ["coverage", "reductions"],
    "opt": ["metamorphic"],
    "fuse": ["graphs"],
    "hlo": ["texts", "damage"],
    "eval": ["math", "coverage"],
    "indexing": ["coverage"],
    "affine": ["coverage"],
    "plan": ["graphs", "memory"],
    "driver": ["api", "executable"],
    "api": ["api"],
    "cost": ["executable"],
}
ROOM_TEXTS = {"eval": ["eval", "evaluator"], "driver": ["pipeline"]}
SLACK = 10  # seconds; and three times what the test takes without a change
# What clang's coverage calls: the functions that ran are written when the runner ends.
VISITED = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static char *ran, *ran_end;
static const uintptr_t *place;
static void write_visited(void) {
    FILE *f = fopen(getenv("XG_VISITED"), "a");
    long k;
    for (k = 0; f && k < ran_end - ran; k++)
        if (ran[k]) fprintf(f, "%lx\n", (unsigned long)place[2 * k]);
    if (f) fclose(f);
}
void __sanitizer_cov_bool_flag_init(char *from, char *to) { ran = from, ran_end = to, atexit(write_visited); }
void __sanitizer_cov_pcs_init(const uintptr_t *from, const uintptr_t *to) { place = from, (void)to; }
"""


def run(command, seconds):
    """(what it says of its tests, seconds). A hang and a crash are said too."""
    start = time.time()
    try:
        r = subprocess.run(command, shell=True, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return "hangs", time.time() - start
    said = sorted(set(re.findall(r"^ *(?:FAIL.*|\d+ passed, \d+ failed)$", r.stdout, re.M)))
    return f"{r.returncode}\n" + "\n".join(said), time.time() - start


def candidates(path):
    """(start, end, what stands there instead) of each token that can be changed."""
    text, out = open(path).read(), []
    for m in TOKEN.finditer(text):
        t = m[0]
        if t in SWAPS:
            out.append((m.start(), m.end(), SWAPS[t]))
        elif re.fullmatch(r"\d+", t):
            out.append((m.start(), m.end(), "0" if t == "1" else str(int(t) + 1)))
    return text, out


def function_of(text, at):
    """The name of the function around a place; None in tables and types."""
    for m in reversed(list(re.finditer(r"^(\w[^\n;{}=#]*?\b(\w+)\(|[}#\w])", text[:at], re.M))):
        if m[2]:
            return m[2]
        if m[0] == "}":
            return None
    return None


class Tests:
    def __init__(self, only_texts):
        self.files = sorted(f for f in glob.glob("tests/text/**/*.txt", recursive=True) if "# run: " in open(f).read())
        self.programs, self.only_texts, self.without = self.listed(), only_texts, {}
        self.visits, self.watched = {}, set()

    def listed(self):
        """Programs of tests/scripts/programs.sh that ./build.sh test runs, with their arguments."""
        rows = re.findall(r"^(\w+)\|(?:api|src)\|([^|\n]*)\|", open("tests/scripts/programs.sh").read(), re.M)
        return {name: args for name, args in rows if args != "-"}

    def build(self, name, how="tcc -w", out=None):
        flags = "-DXLAGPU_DEBUG" if name == "runner" else "-DXLAGPU_IMPLEMENTATION"
        return f"{how} -std=gnu99 {flags} {WORK}/tests/programs/{name}.c -o {WORK}/{out or name} -lm -ldl -lpthread"

    def command(self, step):
        if step.endswith(".txt"):
            stop = step in self.without and "FAIL" not in self.without[step][0]
            return f"{WORK}/runner {'--stop' if stop else ''} {step}"
        if step == "corpus":
            return f"{self.tool()} && XLAGPU_TOOL={WORK}/xlagpu sh tests/scripts/corpus.sh host"
        stop = "--stop" if step == "digests" else ""
        return f"{self.build(step)} && {WORK}/{step} {stop} {self.programs[step]}"

    def tool(self, how="tcc -w", out="xlagpu"):
        for unit in ("compiler", "runtime"):
            header = "xlagpu_runtime.h" if unit == "runtime" else "xlagpu.h"
            open(f"{WORK}/unit_{unit}.c", "w").write(f'#define XLAGPU_IMPLEMENTATION\n#include "src/{header}"\n')
        libraries = "-lz -lm -ldl -lpthread"
        return f"{how} build/tool.o {WORK}/unit_compiler.c {WORK}/unit_runtime.c -o {WORK}/{out} {libraries}"

    def watch(self):
        """Which functions each test calls: only these tests can notice a change of one."""
        open(f"{WORK}/visited.c", "w").write(VISITED)
        how = f"clang -w -O0 -no-pie -fsanitize-coverage=func,inline-bool-flag,pc-table {WORK}/visited.o"
        if not shutil.which("clang") or subprocess.run(
            f"clang -w -c {WORK}/visited.c -o {WORK}/visited.o", shell=True
        ).returncode:
            return
        if self.watched_names(self.build("runner", how, "watched")):
            for f in self.files:
                self.watch_one(f, f"{WORK}/watched {f}")
        for p in [] if self.only_texts else self.programs:
            self.watched_names(self.build(p, how, "watched"))
            self.watch_one(p, f"{WORK}/watched {self.programs[p]}")
        if not self.only_texts and self.watched_names(self.tool(how, "watched")):
            self.watch_one("corpus", f"XLAGPU_TOOL={WORK}/watched sh tests/scripts/corpus.sh host")

    def watched_names(self, build):
        """Builds what is watched; its functions by their places."""
        if subprocess.run(build, shell=True, capture_output=True).returncode:
            sys.exit("clang does not build: " + build)
        self.names = {}
        for line in subprocess.run(["nm", f"{WORK}/watched"], capture_output=True, text=True).stdout.splitlines():
            place, _, name = line.rpartition(" ")
            if place.lower().endswith(" t"):
                self.names[int(place[:-2], 16)] = name
        self.watched |= set(self.names.values())
        return True

    def watch_one(self, step, command):
        out = f"{WORK}/visited.txt"
        if os.path.exists(out):
            os.remove(out)
        subprocess.run(f"XG_VISITED={os.path.abspath(out)} {command}", shell=True, capture_output=True)
        for line in set(open(out).read().split()) if os.path.exists(out) else ():
            self.visits.setdefault(self.names.get(int(line, 16)), set()).add(step)

    def steps(self, room, function):
        can = set(self.files) | set(self.programs) | {"corpus"}
        if function in self.watched:  # one that is always inlined has no counter
            can = self.visits.get(function, set())
        own = ROOM_TEXTS.get(room, [room])
        texts = sorted(can & set(self.files), key=lambda f: (f.split("/")[2] not in own, self.without[f][1]))
        if self.only_texts:
            return texts
        near = [p for p in NEAR.get(room, []) if p in self.programs]
        rest = sorted((p for p in self.programs if p not in near + ["digests"]), key=lambda p: self.without[p][1])
        first = sum(f.split("/")[2] in own for f in texts)
        return [p for p in texts[:first] + ["digests"] + texts[first:] + ["corpus"] + near + rest if p in can]

    def look(self):
        """What each test says and how long it takes without a change."""
        if subprocess.run(self.build("runner"), shell=True).returncode:
            sys.exit("tcc does not build the runner")
        self.watch()
        for step in self.files + ([] if self.only_texts else ["corpus"] + list(self.programs)):
            self.without[step] = run(self.command(step), 1000)

    def notice(self, room, function):
        """The step that notices the change; None; or False, where it does not compile."""
        if subprocess.run(self.build("runner"), shell=True, capture_output=True).returncode:
            return False
        for step in self.steps(room, function):
            said, took = self.without[step]
            if run(self.command(step), 3 * took + SLACK)[0] != said:
                return step
        return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=120)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--only", default="", help="files whose path holds this")
    ap.add_argument("--texts", action="store_true")
    ap.add_argument("--keep", help="a file for the survivors")
    a = ap.parse_args()
    if not shutil.which("tcc"):
        print("  not here: tcc")
        print("0 passed, 0 failed")
        return
    shutil.rmtree(WORK, ignore_errors=True)
    for d in ("src", "tests", "tools", "packages"):
        shutil.copytree(d, f"{WORK}/{d}", ignore=shutil.ignore_patterns("*.npz", "*.txt", "*.hlo", "*.ptx"))
    files = [p for p in sorted(glob.glob("src/*/*.[ch]")) if a.only in p]
    places = [(p, c) for p in files for c in candidates(p)[1]]
    rng, tests, caught, survivors = random.Random(a.seed), Tests(a.texts), 0, []
    tests.look()
    while caught + len(survivors) < a.count:
        path, (start, end, by) = rng.choice(places)
        text = open(path).read()
        line, copy = text.count("\n", 0, start) + 1, f"{WORK}/{path}"
        open(copy, "w").write(text[:start] + by + text[end:])
        began, by_what = time.time(), tests.notice(path.split("/")[1], function_of(text, start))
        open(copy, "w").write(text)
        if by_what is False:
            continue
        shown = (
            f"{path}:{line}: '{text[start:end].strip()}' -> '{by.strip()}'  "
            f" {text.splitlines()[line - 1].strip()[:100]}"
        )
        if by_what:
            caught += 1
        else:
            survivors.append(shown)
        print(f"{by_what or 'SURVIVED'}  {time.time() - began:.0f} s  {shown}", flush=True)
    if a.keep:
        open(a.keep, "w").write("".join(s + "\n" for s in survivors))
    share = 100 * caught / max(1, a.count)
    print(f"{caught} caught, {len(survivors)} survived: {share:.1f}%")
    print(f"{caught} passed, {len(survivors)} failed" if share < 92 else f"{a.count} passed, 0 failed")


if __name__ == "__main__":
    main()
