#!/usr/bin/env python3
"""Prints every call in src/ two of whose arguments create operations or instructions: C leaves open which is created
first, so compilers would number them differently. XG_KOP2 and its kin evaluate in a stated order and are left out, with
the local macros that are made of them; other local macros count as the calls that they are. Run by check.sh.

    python3 tests/scripts/order.py [DIR]
"""

import glob, os, re, sys

MAKERS = {"xg_kir_op", "xg_hb_op", "xg_inst_new"}  # what all others go through


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + "_" * (len(m.group(0)) - 2) + '"', text)


def bodies(text):
    """name, type of the result and body of each function."""
    for m in re.finditer(r"^(?:XG_NOINLINE )?XG_FN ([\w *]+?)(xg_\w+)\([^;{]*?\) \{", text, re.M):
        line = text.find("\n", m.end())
        end = line if text[m.end() : line].rstrip().endswith("}") else text.find("\n}", m.end())
        yield m.group(2), m.group(1).strip(), text[m.end() : end]


DEFINITION = re.compile(r"^#define ([A-Z]\w*)\([^)]*\)((?:.*\\\n)*.*)$", re.M)


def local_macros(text, makers):
    """name and whether its arguments come in a stated order, of each macro that creates something."""
    found = {}
    for name, body in DEFINITION.findall(text):
        uses = set(re.findall(r"\b(\w+)\(", body))
        if not name.startswith("XG_") and ("XG_KOP" in body or uses & (makers | set(found))):
            found[name] = "XG_KOP" in body
    return found


def calls(text, macros):
    """line, name and arguments of each call."""
    text = DEFINITION.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    names = "|".join([r"xg_\w+"] + [name for name in macros if not macros[name]])
    for m in re.finditer(rf"\b({names})\(", text):
        if text.startswith("XG_", text.rfind("\n", 0, m.start()) + 1):
            continue  # a definition
        depth, at, start, arguments = 1, m.end(), m.end(), []
        while at < len(text) and depth:
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if depth == 0 or (depth == 1 and text[at] == ","):
                arguments.append(text[start:at])
                start = at + 1
            at += 1
        yield text.count("\n", 0, m.start()) + 1, m.group(1), arguments


def main():
    files = sorted(glob.glob(os.path.join(sys.argv[1] if len(sys.argv) > 1 else "src", "**", "*.[ch]"), recursive=True))
    texts = {f: without_comments(open(f).read()) for f in files}
    if not files:
        sys.exit("no source files")
    called, makers, more = {}, set(MAKERS), True
    for text in texts.values():
        for name, result, body in bodies(text):
            called[name] = (result, set(re.findall(r"\b(xg_\w+)\(", body)))
    while more:
        more = {n for n, (_, of) in called.items() if n not in makers and of & makers}
        makers |= more
    makers = {n for n in makers if called.get(n, ("",))[0] != "void"}
    for f, text in texts.items():
        macros = local_macros(text, makers)
        creates = makers | set(macros)
        for line, name, arguments in calls(text, macros):
            if sum(any(x in creates for x in re.findall(r"\b(\w+)\(", a)) for a in arguments) > 1:
                print(f"{f}:{line}: {name}: two arguments create something")


main()
