#!/usr/bin/env python3
"""How much of src/ the tests hold: one token is changed, and a test must fail. Needs tcc; run from the root, by soak.

    python3 tests/scripts/source_mutants.py [--count 120] [--seed 1] [--only PATH] [--texts] [--jobs 1] [--seconds S]

A change is drawn from all tokens of src/*/*.[ch] that decide something: comparisons, &&, ||, !, + and - with blanks
around them, true and false, and numbers (which become one more, or 0 for 1), but for sizes of arrays, of which one
element more changes nothing. Changes that do not compile are drawn again.

tcc compiles the runner of the text tests in half a second, so each change is a new build; clang compiles it where the
function is one for AVX2, which tcc leaves out. Tests run in the order in which they are likely to notice and quick: the
texts of the changed room, the digests of what the compiler makes and of what damaged tests say, the other texts, the
corpus on the simulator, then the programs. Only those run that call the changed function, which clang's coverage has
told before. The first that ends otherwise than without the change stops it; --texts stops behind the texts. What tcc
itself makes fail (the payloads of NaNs) fails in both. A survivor is printed with its place and its line: it changes
only a choice (a tuned number, an order among equals), or it wants a test. source_mutants.txt tells of those of some
runs. Ends with 'N caught, N survived' and the share.

A test that hangs is one that takes thrice its processor time and ten seconds: what else the machine does counts for
nothing. build/source_mutants/ keeps what was found: SEED.log has a line a change, and a second call with the same
arguments goes on behind the last; so does one after --seconds have ended the first. It refuses to go on where code or
tests have changed since. With --quick only short texts and the detectors run; a call without it afterwards goes on
with the survivors. Which functions a test calls is kept until its own files change (rm -r renews it)."""

import argparse, glob, hashlib, json, os, random, re, resource, shutil, signal, subprocess, sys
import tempfile, threading, time

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
DETECTORS = ["variants", "digests"]
QUICK = 3  # seconds: longer texts come behind the detectors
ROOM_TEXTS = {"eval": ["eval", "evaluator"], "driver": ["pipeline"]}
SLACK = 10  # seconds of the processor; and three times what the test takes without a change
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


def run(command, seconds, cwd="."):
    """(what it says of its tests, seconds of the processor). A hang and a crash are said too: a hang is a process that
    takes more than `seconds` of the processor, or waits without an end."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))

    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(
            command,
            shell=True,
            cwd=cwd,
            stdout=out,
            stderr=subprocess.DEVNULL,
            preexec_fn=limit,
            start_new_session=True,
        )
        stopped = []
        timer = threading.Timer(120 + 20 * seconds, lambda: (stopped.append(1), os.killpg(p.pid, signal.SIGKILL)))
        timer.start()
        _, status, used = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    took = used.ru_utime + used.ru_stime
    if stopped or p.returncode in (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL):
        return "hangs", took
    said = sorted(set(re.findall(r"^ *(?:FAIL.*|\d+ passed, \d+ failed)$", text, re.M)))
    return f"{p.returncode}\n" + "\n".join(said), took


def digest_of(paths):
    h = hashlib.sha256()
    for p in paths:
        if os.path.isfile(p):
            h.update(p.encode() + b"\0" + open(p, "rb").read())
    return h.hexdigest()[:16]


def built(command, cwd="."):
    return subprocess.run(command, shell=True, capture_output=True, cwd=cwd).returncode == 0


def write_units(folder):
    for unit, header in (("compiler", "xlagpu.h"), ("runtime", "xlagpu_runtime.h")):
        text = f'#define XLAGPU_IMPLEMENTATION\n#include "../../src/{header}"\n'
        open(f"{folder}/unit_{unit}.c", "w").write(text)


DECLARES = re.compile(r"\s*(?!return\b|else\b|case\b|goto\b)[A-Za-z_]\w*[\s*]+[A-Za-z_]")
DECLARED = re.compile(r"(?:[A-Za-z_]\w*[\s*]+)*[\s*]*[A-Za-z_]\w*(?:\[[^\]]*\])*")


def is_size(text, start, end):
    """Whether the number is the size of an array that is declared there."""
    if text[start - 1] != "[" or text[end] != "]" or text[start:end] == "1":
        return False
    head = text[max(text.rfind(c, 0, start) for c in ";{}/") + 1 : start - 1]
    depth, last = 0, 0
    for k, c in enumerate(head):
        depth += (c in "([") - (c in ")]")
        last = k + 1 if c == "," and depth == 0 else last
    return depth == 0 and bool(DECLARES.match(head)) and bool(DECLARED.fullmatch(head[last:].strip()))


def candidates(path):
    """(start, end, what stands there instead) of each token that can be changed."""
    text, out = open(path).read(), []
    for m in TOKEN.finditer(text):
        t = m[0]
        if t in SWAPS:
            out.append((m.start(), m.end(), SWAPS[t]))
        elif re.fullmatch(r"\d+", t) and not is_size(text, m.start(), m.end()):
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
    """The steps, what each says without a change, how long it takes, and which functions it calls."""

    def __init__(self, only_texts, quick):
        self.files = sorted(f for f in glob.glob("tests/text/**/*.txt", recursive=True) if "# run: " in open(f).read())
        self.programs, self.only_texts = self.listed(), only_texts
        if quick:
            self.programs = {p: args for p, args in self.programs.items() if p in DETECTORS}
        self.quick = quick
        self.steps_all = self.files + ([] if only_texts or quick else ["corpus"])
        self.steps_all += [] if only_texts else list(self.programs)
        self.keys = {s: self.key_of(s) for s in self.steps_all}
        self.sources = digest_of(sorted(glob.glob("src/**/*.*", recursive=True)))
        self.path = f"{WORK}/known.json"
        known = json.load(open(self.path)) if os.path.exists(self.path) else {}
        self.visits, self.without = known.get("visits", {}), known.get("without", {})
        self.watched = set(known.get("watched", []))
        self.calls, self.saved = {}, time.time()

    def save(self):
        self.saved = time.time()
        text = json.dumps({"visits": self.visits, "without": self.without, "watched": sorted(self.watched)})
        open(self.path + ".new", "w").write(text)
        os.replace(self.path + ".new", self.path)

    def listed(self):
        """Programs of tests/scripts/programs.sh that ./build.sh test runs, with their arguments."""
        rows = re.findall(r"^(\w+)\|(?:api|src|own)\|([^|\n]*)\|", open("tests/scripts/programs.sh").read(), re.M)
        return {name: args for name, args in rows if args != "-"}

    def key_of(self, step, own=False):
        """Of all that a step consists of beside src/; own: without what it shares with others."""
        shared = [] if own else glob.glob("tests/stages/*") + glob.glob("tests/programs/*.h")
        if " " in step:
            own = ["digests.c", "medley.h", "sweep.h", "forms.h", "hurt.h", "loads.h", "table.h"]
            return digest_of([step.split()[1], "tests/seeds.txt"] + ["tests/programs/" + f for f in own])
        if step.endswith(".txt"):
            return digest_of([step])
        if step == "corpus":
            return digest_of(sorted(glob.glob("tests/corpus/*")))
        words = [sorted(glob.glob(w)) for w in self.programs[step].split()]
        tables = glob.glob("tests/*.txt") if step in DETECTORS and not own else []
        return digest_of([f"tests/programs/{step}.c"] + sorted(shared + tables) + sum(words, []))

    def build(self, name, how="tcc -w", out=None):
        flags = "-DXLAGPU_DEBUG" if name == "runner" else "-DXLAGPU_IMPLEMENTATION"
        if name == "object":  # tcc leaves out what it tests
            how = how.replace("tcc", "gcc")
        return f"{how} -std=gnu99 {flags} tests/programs/{name}.c -o build/m/{out or name} -lm -ldl -lpthread"

    def command(self, step):
        """A step is a program, "corpus", texts, or a detector and the texts that it is shown."""
        word, _, texts = step.partition(" ")
        if step.endswith(".txt") and word not in DETECTORS:
            return f"build/m/runner {'' if 'FAIL' in self.said(step) else '--stop'} {step}"
        if step == "corpus":
            return f"{self.tool()} && XLAGPU_TOOL=build/m/xlagpu sh tests/scripts/corpus.sh host"
        stop = "--stop" if word in DETECTORS else ""
        return f"{self.build(word)} && build/m/{word} {stop} {texts or self.programs[word]}"

    def tool(self, how="tcc -w", out="xlagpu"):
        units = "build/m/unit_compiler.c build/m/unit_runtime.c"
        return f"{how} -std=gnu11 -DXG_HAVE_ZLIB tools/*.c {units} -o build/m/{out} -lz -lm -ldl -lpthread"

    def said(self, step):
        return self.without[step][2] if step in self.without else ""

    def cost(self, step):
        if " " in step:
            return sum(self.cost(s) for s in step.split())
        return self.without[step][3] if step in self.without else self.visits.get(f"digests {step}", [0, 0, 0])[2]

    def name(self, step):
        """What it is in the log: the order of its texts depends on the machine."""
        return " ".join(sorted(step.split()))

    def noticed(self, step, said):
        """Whether it ends otherwise than without the change. Of several texts all passed, each file of a detector."""
        return not said.startswith("0\n") if " " in step else said != self.said(step)

    def watch(self):
        """Which functions each test calls: only these tests can notice a change of one."""
        how = "clang -w -O0 -no-pie -fsanitize-coverage=func,inline-bool-flag,pc-table build/m/visited.o"
        parts = self.parts_of_digests()
        missing = [s for s in self.steps_all + parts if self.visits.get(s, [0])[0] != self.key_of(s, True)]
        if self.quick:  # a detector calls nearly everything
            missing = [s for s in missing if s not in DETECTORS]
        open("build/m/visited.c", "w").write(VISITED)
        if not missing or not shutil.which("clang") or not built("clang -w -c build/m/visited.c -o build/m/visited.o"):
            return
        made = None
        for s in missing:
            word, _, part = s.partition(" ")
            program = "runner" if word.endswith(".txt") else word
            if program != made:
                self.watched_names(self.tool(how, "watched") if s == "corpus" else self.build(program, how, "watched"))
                made = program
            if s == "corpus":
                self.watch_one(s, "XLAGPU_TOOL=build/m/watched sh tests/scripts/corpus.sh host")
            else:
                what = s if program == "runner" else part.replace("=", " ") or self.programs[s]
                self.watch_one(s, f"build/m/watched {what}")
        self.save()

    def parts_of_digests(self):
        """A step for each file of which the digests have a line, and one for each kind of what they make themselves."""
        words = "" if self.only_texts else self.programs["digests"]
        flags = re.findall(r"--\w+(?: \d+)?", words)
        files = [f for w in re.findall(r"tests/\S+", words) for f in sorted(glob.glob(w))]
        return [f"digests {f}" for f in files] + ["digests " + f.replace(" ", "=") for f in flags]

    def watched_names(self, build):
        """Builds what is watched; its functions by their places."""
        if not built(build):
            sys.exit("clang does not build: " + build)
        self.names = {}
        for line in subprocess.run(["nm", "build/m/watched"], capture_output=True, text=True).stdout.splitlines():
            place, _, name = line.rpartition(" ")
            if place.lower().endswith(" t"):
                self.names[int(place[:-2], 16)] = name
        self.watched |= set(self.names.values())

    def watch_one(self, step, command):
        out = "build/m/visited.txt"
        if os.path.exists(out):
            os.remove(out)
        took = run(f"XG_VISITED={os.path.abspath(out)} {command}", 1000)[1]
        places = set(open(out).read().split()) if os.path.exists(out) else ()
        called = sorted({self.names.get(int(p, 16), "") for p in places})
        self.visits[step] = [self.key_of(step, True), called, took]
        if time.time() > self.saved + 20:
            self.save()

    def steps(self, room, function):
        """In the order in which they run. Texts that are quick go together, and a detector with them."""
        can = set(self.steps_all)
        if function in self.watched:  # one that is always inlined has no counter
            can = self.calls.get(function, set()) | set(DETECTORS)
        can &= set(self.steps_all)
        own = ROOM_TEXTS.get(room, [room])
        texts = sorted(can & set(self.files), key=self.cost)
        quick = [f for f in texts if self.cost(f) < QUICK and "FAIL" not in self.said(f)]
        first = " ".join(f for f in quick if f.split("/")[2] in own)
        second = " ".join(f for f in quick if f.split("/")[2] not in own)
        slow = [f for f in texts if f not in quick]
        if self.only_texts:
            return [s for s in (first, second) if s] + slow
        order = [first, first and "variants " + first, second, second and "variants " + second]
        order.insert(len(order) if room in ("sim", "import", "rt", "eval") else 2, self.digests(function))
        order += ["variants"] if not self.quick or not texts else []
        if not self.quick:
            near = [p for p in NEAR.get(room, []) if p in self.programs]
            rest = sorted((p for p in self.programs if p not in near + DETECTORS), key=self.cost)
            order += [s for s in slow + ["corpus"] + near + rest if s in can]
        return [s for s in order if s]

    def digests(self, function):
        """The step of what calls the function where the digests come from, quick files first; none: there is none."""
        if function not in self.watched:
            return "digests"
        parts = [s for s in self.calls.get(function, ()) if s.startswith("digests ")]
        parts.sort(key=lambda s: (not s.startswith("digests --"), self.visits[s][2]))
        return " ".join(["digests"] + [s.split(" ")[1].replace("=", " ") for s in parts]) if parts else ""

    def look(self):
        """What each test says and how long it takes without a change."""
        if not built(self.build("runner")):
            sys.exit("tcc does not build the runner")
        self.watch()
        for s in self.steps_all:
            if self.without.get(s, [0, 0])[:2] != [self.keys[s], self.sources]:
                self.without.pop(s, None)
                self.without[s] = [self.keys[s], self.sources, *run(self.command(s), 1000)]
                if time.time() > self.saved + 20:
                    self.save()
        self.save()
        parts = set(self.parts_of_digests())
        for s, (_, called, *_) in self.visits.items():
            for f in called if s in self.keys or s in parts else ():
                self.calls.setdefault(f, set()).add(s)


class Worker:
    """A folder of its own, in which src/ is changed."""

    def __init__(self, number, tests):
        self.at, self.tests, self.number = f"{WORK}/{number}", tests, number
        shutil.rmtree(self.at, ignore_errors=True)
        os.makedirs(f"{self.at}/build/m")
        for d in ("src", "tools", "packages", "tests/programs", "tests/stages"):
            shutil.copytree(d, f"{self.at}/{d}", ignore=shutil.ignore_patterns("build"))
        for p in glob.glob("tests/*") + glob.glob("*"):
            if not os.path.exists(f"{self.at}/{p}"):
                os.symlink(os.path.abspath(p), f"{self.at}/{p}")
        write_units(f"{self.at}/build/m")

    def notice(self, room, function, passed):
        """The step that notices the change; None; or False, where it does not compile. passed: steps that do not."""
        vectors = "avx2" in (function or "") and shutil.which("clang")
        if not built(self.tests.build("runner", "clang -w -O0" if vectors else "tcc -w"), self.at):
            return False
        for step in self.tests.steps(room, function):
            if self.tests.name(step) in passed or (vectors and "FAIL" in self.tests.said(step)):
                continue
            said = run(self.tests.command(step), 3 * self.tests.cost(step) + SLACK, self.at)[0]
            if self.tests.noticed(step, said):
                return step if len(step) < 60 else step[:50] + " ..."
            passed.append(self.tests.name(step))
        return None

    def attempt(self, change, passed):
        path, (start, end, by) = change
        text = open(path).read()
        line, copy, began = text.count("\n", 0, start) + 1, f"{self.at}/{path}", time.time()
        open(copy, "w").write(text[:start] + by + text[end:])
        step = self.notice(path.split("/")[1], function_of(text, start), passed)
        open(copy, "w").write(text)
        shown = f"{path}:{line}: '{text[start:end].strip()}' -> '{by.strip()}'   "
        shown += text.splitlines()[line - 1].strip()[:100]
        said = "" if step is False else step or "SURVIVED"
        return {"step": said, "took": int(time.time() - began), "what": shown, "passed": [] if step else passed}


class Run:
    """Changes in the order in which they are drawn, and the log of what became of them."""

    def __init__(self, a, tests):
        places = [(p, c) for p in sorted(glob.glob("src/*/*.[ch]")) if a.only in p for c in candidates(p)[1]]
        rng = random.Random(a.seed)
        self.a, self.tests, self.next, self.done = a, tests, 0, {}
        self.changes = [rng.choice(places) for _ in range(20 * a.count)]
        self.lock, self.end, self.path = threading.Lock(), time.time() + a.seconds, f"{WORK}/{a.seed}.log"
        files = glob.glob("tests/**/*.*", recursive=True)
        key = digest_of(sorted(f for f in files if "/scripts/" not in f) + ["tests/scripts/programs.sh"])
        key = f"code {tests.sources}, tests {key}"
        if os.path.exists(self.path):
            lines = open(self.path).read().splitlines()
            if lines[0] != key:
                sys.exit(f"{self.path} is of other code or tests: remove it")
            self.done = {r["draw"]: r for r in map(json.loads, lines[1:])}
        else:
            open(self.path, "w").write(key + "\n")

    def counted(self):
        """The tried ones before the first that is not, as many as were asked for."""
        out = []
        for k in range(len(self.changes)):
            if k not in self.done or len(out) == self.a.count:
                break
            out += [self.done[k]] if self.done[k]["step"] else []
        return out

    def take(self):
        with self.lock:
            while self.next in self.done and not self.goes_on(self.next):
                self.next += 1
            left = self.a.count - sum(bool(r["step"]) for r in self.done.values())
            if (left <= 0 and self.next not in self.done) or time.time() > self.end or self.next == len(self.changes):
                return None
            self.next += 1
            return self.next - 1

    def goes_on(self, k):
        """A survivor, for which there are more steps than it was tried with."""
        if self.done[k]["step"] != "SURVIVED":
            return False
        path, (start, _, _) = self.changes[k]
        steps = self.tests.steps(path.split("/")[1], function_of(open(path).read(), start))
        return set(map(self.tests.name, steps)) - set(self.done[k]["passed"])

    def work(self, worker):
        while worker.number and os.getloadavg()[0] > os.cpu_count() and time.time() < self.end - 20:
            time.sleep(10)  # the first goes on anyway; the others wait until the machine idles
        while (k := self.take()) is not None:
            r = worker.attempt(self.changes[k], self.done.get(k, {}).get("passed", []))
            with self.lock:
                self.done[k] = {"draw": k, **r}
                open(self.path, "a").write(json.dumps(self.done[k]) + "\n")
                if r["step"]:
                    print(f"{r['step']}  {r['took']} s  {r['what']}", flush=True)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=120)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--only", default="", help="files whose path holds this")
    ap.add_argument("--texts", action="store_true")
    ap.add_argument("--quick", action="store_true", help="only texts of less than three seconds, and the detectors")
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=1e9, help="no new change is begun after as many")
    a = ap.parse_args()
    if not shutil.which("tcc"):
        print("  not here: tcc")
        print("0 passed, 0 failed")
        return
    os.makedirs("build/m", exist_ok=True)
    os.makedirs(WORK, exist_ok=True)
    write_units("build/m")
    tests = Tests(a.texts, a.quick)
    tests.look()
    r = Run(a, tests)
    threads = [threading.Thread(target=r.work, args=(Worker(k, tests),)) for k in range(a.jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    counted = r.counted()
    lost = [c["what"] for c in counted if c["step"] == "SURVIVED"]
    caught = len(counted) - len(lost)
    share = 100 * caught / max(1, len(counted))
    print("".join(f"SURVIVED  {s}\n" for s in lost) + f"{caught} caught, {len(lost)} survived: {share:.1f}%")
    print(f"{caught} passed, {len(lost)} failed" if share < 92 else f"{len(counted)} passed, 0 failed")


if __name__ == "__main__":
    main()
