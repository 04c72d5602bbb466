#!/usr/bin/env python3
"""The colours of packages/editor: what its grammars say of the words in texts that are known by other means.

    python3 tests/scripts/grammar.py TOOL      from the project's root; ends with "N passed, N failed"

The grammars are run as an editor runs them, as far as they go: at each place of a line the pattern that matches first,
regions from begin to end over lines. HLO: the words that the tool's own check takes for opcodes. PTX: what it prints.
"""

import json
import pathlib
import re
import subprocess
import sys

EDITOR = pathlib.Path("packages/editor")
passed, failed = 0, 0


def expect(ok, what):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("FAIL", what)


def load(name):
    grammar = json.loads((EDITOR / name).read_text())
    patterns = []
    for p in grammar["patterns"]:
        inner = "|".join([f"(?:{q['match']})" for q in p.get("patterns", [])] + [f"(?P<end>{p.get('end', '')})"])
        patterns.append((re.compile(p.get("match", p.get("begin"))), re.compile(inner) if "end" in p else None, p))
    return patterns


def tokens(patterns, text):
    """(scope, word) of each word that a pattern names."""
    inside = None
    for line in text.split("\n"):
        at = 0
        while at <= len(line):
            if inside:
                end = inside.search(line, at)
                if not end:
                    break
                at = end.end()
                inside = None if end.group("end") is not None else inside
                continue
            found = [(m.start(), k) for k, (r, _, _) in enumerate(patterns) if (m := r.search(line, at))]
            if not found:
                break
            _, k = min(found)
            rule, end, p = patterns[k]
            m = rule.search(line, at)
            if "name" in p:
                yield p["name"], m.group()
            for number, capture in p.get("captures", {}).items():
                if m.group(int(number)):
                    yield capture["name"], m.group(int(number))
            inside, at = end, m.end() + (m.end() == m.start())


def said(patterns, text, part):
    return [word for scope, word in tokens(patterns, text) if scope.startswith(part)]


def hlo(tool):
    patterns = load("hlo.tmLanguage.json")
    line = '  ROOT %y.1 = bf16[2,<=3]{1,0:T(8,128)} custom-call(x, -1.5e-3), custom_call_target="a \\" b", '
    line += "dims={0} // add("
    want = [
        ("keyword.control", "ROOT"), ("entity.name.variable", "%y.1"), ("storage.type", "bf16"),
        ("constant.numeric.dimensions", "[2,<=3]"), ("comment.layout", "{1,0:T(8,128)}"),
        ("support.function", "custom-call"), ("constant.numeric", "-1.5e-3"),
        ("variable.parameter", "custom_call_target"), ("variable.parameter", "dims"), ("comment.line", "// add("),
    ]
    got = list(tokens(patterns, line))
    for scope, word in want:
        expect(any(s.startswith(scope) and w == word for s, w in got), f"{word} is no {scope}: {got}")
    expect(not said(patterns, "/* add(\n ROOT */ x = f32[] add(a)", "keyword.control"), "a comment over lines")
    for path in sorted(pathlib.Path("tests/corpus").glob("*.hlo")):
        text = subprocess.run([tool, "opt", path, "--passes="], capture_output=True, text=True).stdout
        ops = [m.group(1) for m in re.finditer(r"^  (?:ROOT )?%?[\w.-]+ = .*?[\])}] ([a-z][a-z0-9-]*)\(", text, re.M)]
        coloured = said(patterns, text, "support.function")
        expect(ops and coloured == ops, f"{path}: opcodes {[o for o in ops if o not in coloured][:5]}")
        expect(len(said(patterns, text, "entity.name.variable")) == len(ops), f"{path}: names of instructions")


def ptx(tool):
    patterns = load("ptx.tmLanguage.json")
    line = "@!%p1 ld.global.nc.v4.f32 {%f1, %f2}, [%rd1+16]; // mov"
    got = list(tokens(patterns, line))
    for scope, word in [("keyword.control.guard", "@!%p1"), ("support.function", "ld.global.nc.v4.f32"),
                        ("variable.other", "%rd1"), ("constant.numeric", "16"), ("comment.line", "// mov")]:
        expect(any(s.startswith(scope) and w == word for s, w in got), f"{word} is no {scope}: {got}")
    for path in sorted(pathlib.Path("tests/corpus").glob("*.hlo"))[::4]:
        run = [tool, "compile", path, "--target=sm_90a", "--emit=ptx"]
        text = subprocess.run(run, capture_output=True, text=True).stdout
        code = [re.sub(r"//.*", "", s).strip() for s in text.split("\n")]
        code = [re.sub(r"^@!?%?[\w$]+\s+", "", s) for s in code]
        ops = [m.group() for s in code if (m := re.match(r"[a-z][\w.:]*(?=[^:\w.].*;$|;$)", s))]
        coloured = said(patterns, text, "support.function")
        expect(bool(ops) == bool(text.strip()) and coloured == ops, f"{path}: instructions")


def main():
    package = json.loads((EDITOR / "package.json").read_text())
    version = subprocess.run(["sh", "packages/version.sh"], capture_output=True, text=True).stdout.strip()
    expect(package["version"] == version, "the version is the project's")
    for g in package["contributes"]["grammars"]:
        grammar = json.loads((EDITOR / g["path"]).read_text())
        expect(grammar["scopeName"] == g["scopeName"], g["path"])
    for lang in package["contributes"]["languages"]:
        json.loads((EDITOR / lang["configuration"]).read_text())
    hlo(sys.argv[1])
    ptx(sys.argv[1])
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
