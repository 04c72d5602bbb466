#!/usr/bin/env python3
"""reference.py [--check] -- writes docs/reference.md: every public declaration with its comment, from src/xlagpu.h and
src/xlagpu_runtime.h, and the tables that they expand. --check: says whether the file is what it would write."""
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "docs", "reference.md")
HEADERS = ("xlagpu.h", "xlagpu_runtime.h")
WIDTH = 120


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def comment_text(lines):
    """A comment without its stars, as one paragraph."""
    return " ".join(re.sub(r"^\s*/?\*+/?\s?|\s*\*/\s*$", "", line).strip() for line in lines).strip()


def declarations(header):
    """(section, comment, lines of code) of each run of declarations in the part of a header that users see."""
    lines = read("src", header).split("\n")
    end = next((k for k, l in enumerate(lines) if "XLAGPU_IMPLEMENTATION" in l and l.startswith("#")), len(lines))
    section, comment, code, k = "", [], [], 0
    first = next(k for k, l in enumerate(lines) if l.startswith("typedef") or l.startswith("/* ----"))
    for k in range(first, end):
        line = lines[k]
        inside = code and not complete(code)
        if inside:
            code.append(line)
        elif line.startswith("/*") or (comment and not comment_closed(comment)):
            if code:
                yield section, comment_text(comment), code
                comment, code = [], []
            if comment and comment_closed(comment):
                comment = []
            comment.append(line)
            if comment_closed(comment) and line.startswith("/* ----"):
                section = re.sub(r"^/\* -+ | -+ \*/$|\s*-+$", "", line)
                comment = []
            elif comment_closed(comment) and comment[0].startswith("/* ----"):
                section = re.sub(r"^/\* -+ | -+.*$", "", comment[0])
                comment = ["/*" + c if n == 0 else c for n, c in enumerate(comment[1:])]
        elif line.startswith(("XLAGPU_DEF", "typedef", "#define XLAGPU_", "enum")):
            code.append(line)
        elif not line.strip() or line.startswith("#"):
            if code:
                yield section, comment_text(comment), code
            comment, code = [], []
    if code:
        yield section, comment_text(comment), code


def comment_closed(lines):
    return lines[-1].rstrip().endswith("*/")


def complete(code):
    """Whether the last declaration has ended."""
    text = "\n".join(code)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if "/*" in text:
        return False
    last = text.rstrip()
    return last.count("{") == last.count("}") and (last.endswith(";") or last.split("\n")[-1].startswith("#"))


def rows(header, macro):
    """The rows of a list macro."""
    text = read("src", "api", header)
    body = re.search(r"#define %s\(X\)((?:.*\\\n)*.*\n)" % macro, text)
    return re.findall(r"X\(([^,]+),\s*(.*?)\)\s*\\?$", body.group(1), flags=re.M) if body else []


def wrapped(text):
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def page():
    out = ["# Reference", "", wrapped(
        "Every public type and function, from the comments of the two headers (`tools/reference.py` writes this page). "
        "[api.md](api.md) goes by what you want to do."), ""]
    for header in HEADERS:
        entries = list(declarations(header))
        names = []
        for section, _, code in entries:
            for name in re.findall(r"XLAGPU_DEF [^;(]*?\b(xlagpu_\w+)\(", "\n".join(code)):
                names.append((section, name))
        out += ["## `%s`" % header, "", "| part | functions |", "| -- | -- |"]
        for section in dict.fromkeys(s for s, _ in names):
            out.append("| %s | %s |" % (section or "general", ", ".join("`%s`" % n for s, n in names if s == section)))
        out.append("")
        now = None
        for section, comment, code in entries:
            if section != now:
                out += ["### %s" % (section or "general"), ""]
                now = section
            if comment:
                out += [wrapped(comment), ""]
            out += ["```c"] + [line.rstrip() for line in code] + ["```", ""]
    out += ["## Status codes", "", "| code | text |", "| -- | -- |"]
    for name, text in rows("status.h", "XLAGPU_STATUSES"):
        out.append("| `XLAGPU_%s` | %s |" % (name, text.strip().strip('"')))
    out += ["", "## Element types", "", "| type | text, bits, class |", "| -- | -- |"]
    for name, text in rows("status.h", "XLAGPU_TYPES"):
        out.append("| `XLAGPU_%s` | %s |" % (name, text.replace('"', "`")))
    out += ["", "## Figures of a target", "", "| figure | what |", "| -- | -- |"]
    for name, text in rows("target.h", "XLAGPU_TARGET_FIGURES"):
        out.append("| `%s` | %s |" % (name, re.search(r'"(.*)"', text).group(1)))
    return "\n".join(out) + "\n"


def main():
    text = page()
    if "--check" in sys.argv:
        if not os.path.exists(OUT) or read("docs", "reference.md") != text:
            print("docs/reference.md is not what tools/reference.py writes: run it")
            return 1
        return 0
    with open(OUT, "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
