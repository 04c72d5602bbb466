#!/usr/bin/env python3
"""Wrong uses of the command line: wrong_uses.txt has a case each, with the input F.* and all that must be said.

    python3 tests/scripts/wrong_uses.py [--bless]      from the project's root; ends with "N passed, N failed"

A message says what is wrong, where, and what to do. --bless rewrites what is expected: read the difference.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

TABLE = pathlib.Path("tests/scripts/wrong_uses.txt")
FOLDER = pathlib.Path("build/wrong_uses")
TOOL = os.path.abspath("build/xlagpu")


def npy(shape):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(4 * shape[0])


def said(command, text):
    """The exit status and both outputs; addresses are of this run."""
    for word in command:
        if re.fullmatch(r"F\.\w+", word):
            (FOLDER / word).write_text(text)
    environment = {**os.environ, "XLA_FLAGS": ""}
    r = subprocess.run([TOOL, *command], cwd=FOLDER, capture_output=True, text=True, env=environment, timeout=60)
    return re.sub(r"0x[0-9A-F]+", "0x...", f"exit {r.returncode}\n{r.stdout}{r.stderr}".rstrip() + "\n")


def main():
    FOLDER.joinpath("folder").mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(FOLDER / "A.npz", "w") as z:
        z.writestr("arg0.npy", npy((4,)))
    FOLDER.joinpath("T.npy").write_bytes(npy((2,)))
    head, *cases = TABLE.read_text().split("\n== ")
    failed, written = 0, head
    for case in cases:
        given, _, expected = case.partition("\n----\n")
        name, command, *text = given.split("\n", 2)
        got = said(command[2:].split(), text[0] + "\n" if text else "")
        good = got == expected.rstrip("\n") + "\n" and not got.startswith("exit 0")
        if not good and "--bless" not in sys.argv:
            print(f"  FAIL  {name}: {command}\n{got}")
        failed += not good
        written += f"\n== {given}\n----\n{got}"
    if "--bless" in sys.argv:
        TABLE.write_text(written)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
