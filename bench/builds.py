#!/usr/bin/env python3
"""builds.py [--write] -- what it costs to compile the two headers: seconds of the processor, bytes of code and data of
the object (`size`: text and data), and the compiler's memory, for each compiler that is here at -O0 and -Os. Prints a
table; --write puts it into README in place of the one that stands there.

Seconds are those that the processor spent (user and system), so that other work on the machine counts little."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UNITS = (
    ("compiler", "xlagpu.h", ()),
    ("compiler, `XLAGPU_SMALL`", "xlagpu.h", ("-DXLAGPU_SMALL",)),
    ("runtime with simulator", "xlagpu_runtime.h", ()),
    ("runtime, `XLAGPU_NO_SIMULATOR`", "xlagpu_runtime.h", ("-DXLAGPU_NO_SIMULATOR",)),
)
COMPILERS = (("gcc", "-O0"), ("gcc", "-Os"), ("clang", "-O0"), ("clang", "-Os"), ("tcc", "-O0"))
HEAD = "| seconds, MB of code and data, MB of memory |"


def compile_unit(compiler, level, header, defines, folder):
    source, made = os.path.join(folder, "u.c"), os.path.join(folder, "u.o")
    with open(source, "w") as f:
        f.write('#define XLAGPU_IMPLEMENTATION\n#include "%s"\n' % header)
    command = [compiler, "-w", level, *defines, "-I" + ROOT, "-c", source, "-o", made]
    if subprocess.run(command).returncode:
        sys.exit("failed: " + " ".join(command))


def usage(compiler, level, header, defines, folder):
    """Compiles in a process whose children's usage is this compilation's alone."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        compile_unit(compiler, level, header, defines, folder)
        use = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(write, b"%f %d" % (use.ru_utime + use.ru_stime, use.ru_maxrss))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit(1)
    seconds, memory = os.read(read, 100).split()
    sizes = subprocess.run(["size", os.path.join(folder, "u.o")], capture_output=True, text=True, check=True).stdout
    text, data = sizes.splitlines()[1].split()[:2]
    return float(seconds), int(text) + int(data), int(memory) * 1024


def table():
    columns = [c for c in COMPILERS if shutil.which(c[0])]
    lines = [HEAD + "".join(" %s %s |" % c if c[0] != "tcc" else " tcc |" for c in columns),
             "| -- |" + " -- |" * len(columns)]
    with tempfile.TemporaryDirectory() as folder:
        for name, header, defines in UNITS:
            row = "| %s |" % name
            for compiler, level in columns:
                seconds, size, memory = usage(compiler, level, header, defines, folder)
                row += " %.*f s, %.2f, %d |" % (1 if seconds < 10 else 0, seconds, size / 1e6, memory // 1000000)
                said = "%s %s, %s: %.2f s, %d bytes, %d bytes of memory"
                print(said % (compiler, level, name, seconds, size, memory), file=sys.stderr)
            lines.append(row)
    return lines


def main():
    lines = table()
    print("\n".join(lines))
    if "--write" not in sys.argv[1:]:
        return
    path = os.path.join(ROOT, "README.md")
    with open(path) as f:
        old = f.read().split("\n")
    at = old.index(next(line for line in old if line.startswith(HEAD)))
    end = at
    while old[end].startswith("|"):
        end += 1
    with open(path, "w") as f:
        f.write("\n".join(old[:at] + lines + old[end:]))


main()
