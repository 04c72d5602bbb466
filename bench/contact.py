#!/usr/bin/env python3
"""bench/contact.py DIR [--write] -- what ./build.sh gpu-contact brought back, as tests, constants and a page.

Prints a summary: runs that are wrong, figures of the device beside those of the table, the slowest modules. With
--write:
  tests/gpu/approx.tsv    bits of approximations on the device: build/bench_probe --platform=host --check=... holds the
                          simulator to them
  tests/gpu/cases.tsv     status and time of each corpus case and variant: what the next contact is compared with
  DIR/constants.tsv       figures of xlagpu_target_desc that were measured, under their names in src/api
  docs/performance.md     the part between the two marks "measured on a GPU"
Needs nothing but Python."""

import os, re, shutil, sys

BEGIN, END = "<!-- measured on a GPU: bench/contact.py writes this -->", "<!-- end of what was measured on a GPU -->"


def rows(path):
    """A tab-separated file as dictionaries; lines with # and files that are not there give none."""
    if not os.path.exists(path):
        return []
    lines = [line.rstrip("\n") for line in open(path, errors="replace") if line.strip() and not line.startswith("#")]
    head = lines[0].split("\t") if lines else []
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def device(directory):
    """The name in the head of the probe's file."""
    path = os.path.join(directory, "probe.tsv")
    first = open(path).readline() if os.path.exists(path) else ""
    return first.lstrip("# ").strip() or "an unknown device"


def constants(directory):
    """(field, value, unit, probe) of the figures that the time model has a name for."""
    found = []
    for row in rows(os.path.join(directory, "probe.tsv")):
        if row.get("figure", "-") != "-":
            found.append((row["figure"], float(row["value"]), row["unit"], row["name"]))
    return found


def wrong(tests):
    return [t for t in tests if t["status"] != "0"]


def compared(tests, path):
    """Runs that were right at the contact before and are not now, and such that take half as long again."""
    before = {(t["case"], t["variant"]): t for t in rows(path)}
    lines = []
    for t in tests:
        old = before.get((t["case"], t["variant"]))
        if old and old["status"] == "0" and t["status"] != "0":
            lines.append("%s (%s) was right before" % (t["case"], t["variant"]))
    return lines


def jit(directory):
    """Registers, spills and compile time of all kernels, from the driver's words."""
    registers, spilling, took, folder = [], 0, 0.0, os.path.join(directory, "jit")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        text = open(os.path.join(folder, name), errors="replace").read()
        registers += [int(n) for n in re.findall(r"Used (\d+) registers", text)]
        spilling += sum(int(n) > 0 for n in re.findall(r"(\d+) bytes spill stores", text))
        took += sum(float(n) for n in re.findall(r"^# .*: ([0-9.]+) ms$", text, re.M))
    return registers, spilling, took


def table(head, lines):
    return ["| " + " | ".join(line) + " |" for line in [head, ["--"] * len(head), *lines]] + [""] if lines else []


def peers(directory):
    """What bench/peers.py measured, as tables: kernels beside PyTorch, models beside XLA."""
    units = {"flops": "TFLOP/s", "bytes": "GB/s"}
    kernels = [r for r in rows(os.path.join(directory, "peers.tsv")) if r.get("limit") in units]
    models = [r for r in rows(os.path.join(directory, "models.tsv")) if r.get("limit") == "model"]
    times = "ours is so many times as fast"
    out = table(
        ["case", "us", "PyTorch's us", times, "rate", "error"],
        [[r["case"], r["us"], r["peer_us"], r["ratio"], "%s %s" % (r["rate"], units[r["limit"]]),
          r["error"] + (" WRONG" if r["verdict"] else "")] for r in kernels],
    )  # fmt: skip
    return out + table(
        ["model", "us a step", "XLA's us", times, "apart from XLA's results"],
        [[r["case"], r["us"], r["peer_us"], r["ratio"], r["error"]] for r in models],
    )


def page(directory, tests, bench):
    """The part of docs/performance.md."""
    out = [BEGIN, "", "## On a GPU: %s" % device(directory), ""]
    out += [
        "%d of %d runs of the corpus are right (`./build.sh gpu-contact`)."
        % (len(tests) - len(wrong(tests)), len(tests)),
        "",
    ]
    if bench:
        out += ["| module | kernels | us a run | GB/s | time of a copy of as many bytes |", "|---|---|---|---|---|"]
        for b in sorted(bench, key=lambda b: -float(b["microseconds"])):
            out.append(
                "| %s | %s | %s | %s | %s |"
                % (os.path.basename(b["module"]), b["kernels"], b["microseconds"], b["GB_per_s"], b["copy_over_run"])
            )
        out.append("")
    out += peers(directory)
    out += ["| figure | measured | unit | of the time model |", "|---|---|---|---|"]
    for row in rows(os.path.join(directory, "probe.tsv")):
        out.append("| %s | %s | %s | %s |" % (row["name"], row["value"], row["unit"], row["figure"]))
    registers, spilling, took = jit(directory)
    if registers:
        out += [
            "",
            "The driver's compiler: %d kernels, %d registers at most, %d of them spill, %.0f ms in all."
            % (len(registers), max(registers), spilling, took),
        ]
    return "\n".join(out + ["", END]) + "\n"


def put_page(path, text):
    """Replaces what stands between the marks; without marks it goes to the end."""
    old = open(path).read() if os.path.exists(path) else ""
    old = old.replace("Nothing here was measured on a GPU yet.\n", "")
    i, j = old.find(BEGIN), old.find(END)
    new = old[:i] + text + old[j + len(END) + 1 :] if 0 <= i < j else old.rstrip("\n") + "\n\n" + text
    open(path, "w").write(new)


def write_table(path, head, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write("\t".join(head) + "\n")
        for line in lines:
            f.write("\t".join(str(x) for x in line) + "\n")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 1 or not os.path.isdir(arguments[0]):
        sys.exit(__doc__)
    directory, root = arguments[0], os.environ.get("CONTACT_ROOT", ".")
    tests, bench = rows(os.path.join(directory, "tests.tsv")), rows(os.path.join(directory, "bench.tsv"))
    cases = os.path.join(root, "tests/gpu/cases.tsv")
    print("%s: %d runs, %d wrong" % (device(directory), len(tests), len(wrong(tests))))
    for t in wrong(tests):
        print("  %s (%s): status %s: %s" % (t["case"], t["variant"], t["status"], t.get("verdict", "")))
    for line in compared(tests, cases):
        print("  " + line)
    for name in ("peers.tsv", "models.tsv"):
        for r in rows(os.path.join(directory, name)):
            if r.get("limit") == "FAILED" or r.get("verdict"):
                print("  %s: %s %s" % (r["case"], r["limit"], r.get("verdict") or r.get("us")))
    for field, value, unit, name in constants(directory):
        print("  %-24s %12g %-12s (%s)" % (field, value, unit, name))
    left = os.path.join(directory, "left_out.txt")
    if os.path.exists(left):
        print("".join("  left out: " + line for line in open(left)), end="")
    if "--write" not in sys.argv:
        return
    write_table(os.path.join(directory, "constants.tsv"), ["figure", "value", "unit", "probe"], constants(directory))
    write_table(
        cases,
        ["case", "variant", "status", "seconds"],
        [(t["case"], t["variant"], t["status"], t["seconds"]) for t in tests],
    )
    approx = os.path.join(directory, "approx.tsv")
    if os.path.exists(approx):
        shutil.copy(approx, os.path.join(root, "tests/gpu/approx.tsv"))
    put_page(os.path.join(root, "docs/performance.md"), page(directory, tests, bench))


main()
