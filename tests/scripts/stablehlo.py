#!/usr/bin/env python3
"""Runs StableHLO's own interpreter tests from their text.

    python3 tests/scripts/stablehlo.py STABLEHLO [--tool build/xlagpu] [--platform interpreter] [--only REGEX] [-v]

STABLEHLO is the folder stablehlo/ of openxla/stablehlo: testdata, tests/interpret, tests/math and tests/chlo are read.
Each `check.` operation names a computed value and the right one; this script makes both results of the program, runs
that, and compares here: equal, within so many units in the last place, or within a tolerance, as the operation says.
Set apart and counted by reason: dimensions that are not known, several devices (interpreter.run_parallel), probes,
files whose own first line says RUN-DISABLED.
Needs NumPy. Ends with 'N right, N wrong, N refused of N with known dimensions'; exit status 1 under 99 %.
"""
import argparse, collections, glob, os, re, subprocess, sys, tempfile
import numpy

MANTISSA = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7, "f8E4M3FN": 3, "f8E5M2": 2, "f8E4M3": 3, "f8E3M4": 4,
            "f8E4M3FNUZ": 3, "f8E5M2FNUZ": 2, "f8E4M3B11FNUZ": 3, "f8E8M0FNU": 0, "f4E2M1FN": 1, "f6E2M3FN": 3,
            "f6E3M2FN": 2}
LOWEST = {"f64": -1022, "f32": -126, "f16": -14, "bf16": -126, "f8E4M3FN": -6, "f8E5M2": -14, "f8E4M3": -6,
          "f8E3M4": -2, "f8E4M3FNUZ": -7, "f8E5M2FNUZ": -15, "f8E4M3B11FNUZ": -10, "f8E8M0FNU": -127, "f4E2M1FN": 0,
          "f6E2M3FN": 0, "f6E3M2FN": -2}
FUNC = re.compile(r"^( *)func\.func( public| private| nested)? @([\w.$-]+|\"[^\"]*\")\((.*)$")
CALLED = {"max_ulp_difference": 3, "tolerance": 0.001}  # checks that are custom calls: tools/StablehloTranslateMain.cpp
FURTHEST = numpy.uint64(2 ** 64 - 1)  # from NaN and infinity to all others: tests/CheckOps.cpp
CHECK = re.compile(r"^\s*(?:stablehlo\.custom_call @|)\"?check\.(expect_\w+)\"?\s*\(?(.*)$")


def element(t):
    m = re.fullmatch(r"tensor<(?:[\d?]+x)*(.*?)>", t)
    return m.group(1) if m else None


def plain(name, t, at):
    """Lines that turn a value into one of a type that NumPy has, and its type."""
    e = element(t)
    to = None
    if re.match(r"f[468]E", e) or e in ("bf16", "f16"):
        to = "f32"
    elif re.fullmatch(r"s?i[248]", e):
        to = "i32"
    elif re.fullmatch(r"ui[248]", e):
        to = "ui32"
    if not to:
        return [], name, t
    other = t[: len(t) - len(e) - 1] + to + ">"
    return [f"%plain{at} = stablehlo.convert {name} : ({t}) -> {other}"], f"%plain{at}", other


def tensors(text):
    """The tensor types in a text."""
    out = []
    for m in re.finditer("tensor<", text):
        depth = 0
        for k in range(m.start(), len(text)):
            depth += text[k] == "<"
            depth -= text[k] == ">" and text[k - 1] != "-"
            if text[k] == ">" and not depth:
                out.append(text[m.start(): k + 1])
                break
    return out


def dense_type(text):
    """The value and the type of `dense<..> : type`."""
    depth = quoted = 0
    for k, c in enumerate(text):
        quoted ^= c == '"'
        if quoted:
            continue
        depth += c == "<"
        depth -= c == ">"
        if c == ">" and not depth:
            return text[: k + 1], tensors(text[k + 1:])[0]
    raise ValueError("no dense<..>")


class Case:
    def __init__(self, name):
        self.name, self.text, self.pairs = name, "", []

    def add_check(self, kind, rest, called, out, at):
        limit = dict(CALLED) if called else {}
        for key in ("max_ulp_difference", "min_ulp_difference", "tolerance"):
            m = re.search(key + r"\s*=\s*([\d.e+-]+)", rest)
            if m:
                limit[key] = float(m.group(1)) if key == "tolerance" else int(m.group(1))
        if kind.endswith("_const"):
            value, rest = rest.split(",", 1)
            dense, t = dense_type(rest.strip())
            out.append(f"%right{at} = stablehlo.constant {dense} : {t}")
            other, kind = f"%right{at}", kind[: -len("_const")]
        else:
            value, other = re.match(r"\s*(%[\w#]+)\s*,\s*(%[\w#]+)", rest).groups()
            t = tensors(rest)[0]
        names = []
        for k, v in enumerate((value.strip(), other)):
            lines, v, s = plain(v, t, f"{at}_{k}")
            out.extend(lines)
            names.append((v, s))
        self.pairs.append((kind, element(t), limit, names))

    def build(self, lines, start, end):
        """The function in lines[start:end] as @main that returns both values of each check."""
        body, at = [], 0
        for line in lines[start + 1: end]:
            m = CHECK.match(line)
            if m:
                self.add_check(m.group(1), m.group(2), "custom_call" in line, body, at)
                at += 1
            else:
                body.append(line)
        while body and not re.match(r"\s*(func\.)?return\b", body[-1]):
            body.pop()
        body.pop()
        results = [n for p in self.pairs for n in p[3]]
        types = ", ".join(t for _, t in results)
        body.append(f"return {', '.join(n for n, _ in results)} : {types}")
        args = FUNC.match(lines[start]).group(4)
        args = args[: closing(args)]
        head = f"func.func public @main({args}) -> ({types}) {{"
        others = [[l for l in part if not CHECK.match(l)] for part in (lines[:start], lines[end:])]
        self.text = "\n".join(others[0] + [head] + body + others[1])


def closing(text):
    depth = 1
    for k, c in enumerate(text):
        depth += c == "("
        depth -= c == ")"
        if not depth:
            return k
    return len(text)


def joined(lines):
    """Signatures and checks that go over several lines, as one."""
    out, open_ = [], None
    for line in lines:
        line = re.sub(r"(^|\s)//.*$", "", line)
        if open_ is not None:
            open_ += " " + line.strip()
        elif re.match(r"\s*func\.func|\s*\"?check\.|\s*stablehlo\.custom_call @check", line):
            open_ = line
        else:
            out.append(line)
            continue
        starts = open_.lstrip().startswith("func.func")
        done = open_.rstrip().endswith("{") or "{" in open_ and open_.rstrip().endswith("}") if starts else \
            open_.count("(") == open_.count(")") and open_.count("<") == open_.count(">") - open_.count("->") and \
            open_.count('"') % 2 == 0 and "tensor<" in open_
        if done:
            out.append(open_)
            open_ = None
    if open_ is not None:
        out.append(open_)
    return out


def cases_of(path, name):
    text = open(path).read()
    if "RUN-DISABLED" in text:
        yield None, None, None, None
        return
    for part, text in enumerate(re.split(r"^// -----.*$", text, flags=re.M)):
        lines = joined(text.splitlines())
        starts = [k for k, l in enumerate(lines) if FUNC.match(l)]
        for start in starts:
            indent = FUNC.match(lines[start]).group(1)
            end = next((k for k in range(start + 1, len(lines)) if re.match(indent + r"\}", lines[k])), None)
            if end is None or not any(CHECK.match(l) for l in lines[start:end]):
                continue
            case = Case(f"{name}:{part}:{FUNC.match(lines[start]).group(3)}")
            renamed = [FUNC.sub(r"\1func.func private @not_main(\4", l) if k != start and FUNC.match(l) and
                       FUNC.match(l).group(3) == "main" else l for k, l in enumerate(lines)]
            yield case, renamed, start, end


def reason_to_skip(text):
    if re.search(r"tensor<[^>]*\?|tensor<\*", text):
        return "dimensions that are not known"
    if "interpreter.run_parallel" in text or "distribution" in text:
        return "several devices"
    if "interpreter." in text or "expect_serialized_eq" in text:
        return "probes"
    return None


def ulps(a, b, e):
    """Representable numbers between a and b; both finite."""
    def index(v):
        if e in ("f32", "f64"):  # their bits count the numbers
            bits = numpy.abs(v).view("uint" + e[1:]).astype(object)
            return numpy.where(numpy.signbit(v), -bits, bits)
        m, low = MANTISSA[e], LOWEST[e]
        v = v.astype(numpy.float64)
        f, x = numpy.frexp(numpy.abs(v))
        x = numpy.where(v == 0, low, numpy.maximum(x - 1, low))
        whole = ((x - low) * 2.0 ** m + numpy.ldexp(numpy.abs(v), m - x)).astype(int).astype(object)
        return numpy.where(v < 0, -whole, whole)
    return numpy.abs(index(a) - index(b))


def close(kind, e, limit, got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if numpy.iscomplexobj(got):
        part = e[len("complex<"): -1]
        return close(kind, part, limit, got.real, want.real) or close(kind, part, limit, got.imag, want.imag)
    if got.dtype.kind != "f":
        bad = got != want
    else:
        with numpy.errstate(all="ignore"):
            same = (got == want) | (numpy.isnan(got) & numpy.isnan(want))
            finite = numpy.isfinite(got) & numpy.isfinite(want)
            bad = ~same
            if kind == "expect_close":
                away = ulps(numpy.where(finite, got, 0), numpy.where(finite, want, 0), e)
                away = numpy.where(finite, away, numpy.where(same, numpy.uint64(0), FURTHEST).astype(object))
                bad = (away > limit.get("max_ulp_difference", 1)) | (away < limit.get("min_ulp_difference", 0))
            elif kind == "expect_almost_eq":
                bad &= ~(finite & (numpy.abs(got - want) <= limit.get("tolerance", 1e-4)))
    if not bad.any():
        return None
    k = tuple(numpy.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size} differ, first at {list(map(int, k))}: {got[k]!r} instead of {want[k]!r}"


def run(case, a, folder):
    path, out = os.path.join(folder, "case.mlir"), os.path.join(folder, "case.npz")
    open(path, "w").write(case.text)
    try:
        r = subprocess.run([a.tool, "run", path, "--platform=" + a.platform, "--reference_platform=", "--quiet",
                            "--out=" + out], capture_output=True, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired:
        return "refused", "over 120 s"
    if r.returncode:
        return "refused", next((l for l in (r.stderr or r.stdout).splitlines() if "error" in l), "no message")
    with numpy.load(out) as z:
        results = [z[f"out{k}"] for k in range(2 * len(case.pairs))]
    for k, (kind, e, limit, _) in enumerate(case.pairs):
        wrong = close(kind, e, limit, results[2 * k], results[2 * k + 1])
        if wrong:
            return "wrong", f"check {k}: {wrong}"
    return "right", ""


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("folder")
    ap.add_argument("--tool", default="build/xlagpu")
    ap.add_argument("--platform", default="interpreter")
    ap.add_argument("--only", default="")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    count, apart = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(f for d in ("testdata", "tests/interpret", "tests/math", "tests/interpret/chlo")
                           for f in glob.glob(os.path.join(a.folder, d, "*.mlir"))):
            name = os.path.relpath(path, a.folder)
            if not re.search(a.only, name):
                continue
            for case, lines, start, end in cases_of(path, name):
                why = reason_to_skip("\n".join(lines)) if case else "files that StableHLO does not run either"
                if why:
                    apart[why] += 1
                    continue
                try:
                    case.build(lines, start, end)
                    what, message = run(case, a, folder)
                except (ValueError, AttributeError, IndexError, KeyError) as e:
                    what, message = "unclear", f"{type(e).__name__}: {e}"
                count[what] += 1
                if what != "right" or a.v:
                    print(f"{what}\t{case.name}\t{message}", flush=True)
    for why, n in sorted(apart.items()):
        print(f"set apart\t{n}\t{why}")
    total = sum(count.values())
    print(f"{count['right']} right, {count['wrong']} wrong, {count['refused']} refused, {count['unclear']} unclear"
          f" of {total} with known dimensions")
    sys.exit(count["right"] < 0.99 * total)


main()
