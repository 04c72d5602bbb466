#!/usr/bin/env python3
"""Every source file and every internal function that a document names in backticks exists. Run by ./build.sh check.

A path counts from src/ or from the root, a bare name is that of any file in src/, tools/ or tests/; `*` stands for any
letters. A document says of what is gone "in 0.1": such lines are left out. Prints a line for each name that is wrong."""

import fnmatch, glob, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCS = ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))


def main():
    tree = [os.path.relpath(os.path.join(folder, f), ROOT)
            for top in ("src", "tools", "tests", "examples", "bench", "packages", "docs")
            for folder, _, files in os.walk(os.path.join(ROOT, top)) for f in files]
    text = "".join(open(os.path.join(ROOT, f), errors="replace").read()
                   for f in tree if f.startswith("src/") and f[-2:] in (".c", ".h"))
    functions = set(re.findall(r"\bx[gr]_\w+", text))
    names = tree + [f[4:] for f in tree if f.startswith("src/")] + [os.path.basename(f) for f in tree]
    wrong = 0
    for doc in DOCS:
        for number, line in enumerate(open(os.path.join(ROOT, doc)), 1):
            if "in 0.1" in line:
                continue
            for name in re.findall(r"`([\w*./]+)`", line):
                if re.fullmatch(r"x[gr]_\w+", name):
                    fine = name in functions
                elif re.fullmatch(r"(src/)?([a-z_]+/)?[a-z_0-9*]+\.[ch]", name):
                    fine = bool(fnmatch.filter(names, name))
                else:
                    continue
                if not fine:
                    wrong += 1
                    print("%s:%d: there is no %s" % (os.path.relpath(os.path.join(ROOT, doc), ROOT), number, name))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
