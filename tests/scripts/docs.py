#!/usr/bin/env python3
"""docs.py [--write] [--all] [FILE.md...] -- the documents are true: their commands run, their outputs are what stands
there.

A block ```sh is commands. Where a block ```text follows, the commands are one script whose output must be that text
(--write puts the output there); else each line must exit with 0, or with N where its comment says "exit N". They run
in a scratch folder that has the tool, the sources and a few files by the names that documents use (M.hlo, A.npz, K.ptx
...). What compiles or installs (cc, cmake, pip, ./build.sh) runs with --all only. Then the reference is compared with
the headers (reference.py), and each link within the documents must lead somewhere."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = ("cc ", "c++ ", "g++ ", "gcc ", "clang", "cmake", "pip", "python", "./build.sh", "sudo", "apt", "emcc", "nvcc",
        "sh ", "mkdir -p build", "build/xlagpu-llvm ")
LIMIT_S = 120

KERNEL = """.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .f32 %f<2>;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p, %r4, %r0;
    @%p bra done;
    mad.wide.u32 %rd2, %r4, 4, %rd0;
    mad.wide.u32 %rd3, %r4, 4, %rd1;
    ld.global.f32 %f0, [%rd2];
    add.f32 %f1, %f0, %f0;
    st.global.f32 [%rd3], %f1;
done:
    ret;
}
"""


def npy(values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    data = struct.pack("<%df" % len(values), *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def scratch(folder):
    """What documents name: the repository's files, and a module with arguments and results."""
    for name in os.listdir(ROOT):
        if name not in ("build", ".git"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "build"))
    os.symlink(os.path.join(ROOT, "build", "xlagpu"), os.path.join(folder, "build", "xlagpu"))
    corpus = os.path.join(ROOT, "tests", "corpus")
    shutil.copy(os.path.join(corpus, "layernorm_grad.hlo"), os.path.join(folder, "M.hlo"))
    shutil.copy(os.path.join(corpus, "layernorm_grad.npz"), os.path.join(folder, "A.npz"))
    shutil.copy(os.path.join(corpus, "layernorm_grad.hlo"), os.path.join(folder, "B.hlo"))
    shutil.copy(os.path.join(corpus, "layernorm_grad.hlo"), os.path.join(folder, "A.hlo"))
    with open(os.path.join(folder, "K.ptx"), "w") as f:
        f.write(KERNEL)
    with open(os.path.join(folder, "X.npy"), "wb") as f:
        f.write(npy([float(k) for k in range(64)]))


def run(script, folder):
    env = dict(os.environ, LC_ALL="C.UTF-8")
    try:
        done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, timeout=LIMIT_S,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return 124, "it ran longer than %d s\n" % LIMIT_S
    return done.returncode, done.stdout.decode("utf-8", "replace")


def blocks_of(lines):
    """[kind, first line, line behind the last] of each fenced block."""
    found, at = [], None
    for k, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if at is None:
            at = (line[3:].strip(), k + 1)
        else:
            found.append([at[0], at[1], k])
            at = None
    return found


def commands_of(text):
    """Lines with what they continue on, and the exit status that a comment asks for."""
    for line in re.sub(r"\\\n\s*", " ", text).split("\n"):
        command = line.strip()
        if command and not command.startswith("#"):
            status = re.search(r"#.*\bexit (\d+)", command)
            yield command, int(status.group(1)) if status else 0


def is_long(command):
    return any(part.strip().startswith(LONG) for part in re.split(r"&&|;", command))


def check_file(path, folder, everything, write):
    """Runs the blocks of a document; the problems found, and how many commands ran."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    problems, ran, blocks, moved = [], 0, blocks_of(lines), 0
    for n, (kind, first, end) in enumerate(blocks):
        if kind != "sh":
            continue
        text = "\n".join(lines[first + moved:end + moved])
        place = "%s:%d" % (os.path.relpath(path, ROOT), first + moved + 1)
        follows = blocks[n + 1] if n + 1 < len(blocks) and blocks[n + 1][0] == "text" else None
        if follows and all(not line.strip() for line in lines[end + moved + 1:follows[1] + moved - 1]):
            status, said = run(text, folder)
            ran += 1
            want = lines[follows[1] + moved:follows[2] + moved]
            got = [line.rstrip() for line in said.rstrip("\n").split("\n")]
            if write and want != got:
                lines[follows[1] + moved:follows[2] + moved] = got
                moved += len(got) - len(want)
            elif want != got:
                k = next((k for k in range(min(len(want), len(got))) if want[k] != got[k]), min(len(want), len(got)))
                problems.append("%s: another output from line %d on (docs.py --write puts it there): %s" %
                                (place, k + 1, (got + ["nothing"])[k][:150]))
            continue
        for command, status in commands_of(text):
            if is_long(command) and not everything:
                continue
            ran += 1
            code, said = run(command, folder)
            if code != status:
                problems.append("%s: exit status %d: %s\n%s" % (place, code, command, said[-600:]))
    if write:
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
    return problems, ran


def c_problems(path, folder):
    """Fragments of C stand for themselves behind the usual headers; each public name in the text is one."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    place = os.path.relpath(path, ROOT)
    public = set()
    for where in ("src", os.path.join("src", "api")):
        for name in os.listdir(os.path.join(ROOT, where)):
            if name.endswith(".h"):
                with open(os.path.join(ROOT, where, name), encoding="utf-8") as f:
                    public |= set(re.findall(r"\bxlagpu_\w+", f.read()))
    for name in sorted(set(re.findall(r"\bxlagpu_\w+\b(?!\.)", re.sub(r"```.*?```", "", text, flags=re.S)))):
        if name not in public and not os.path.exists(os.path.join(ROOT, name + ".h")) and "kernel" not in name:
            yield "%s: there is no %s in the headers" % (place, name)
    if os.path.basename(path) == "reference.md":
        return
    for n, block in enumerate(re.findall(r"^```c\n(.*?)^```", text, flags=re.S | re.M)):
        if "#include" in block:
            continue # a whole program: examples.sh builds it
        source = os.path.join(folder, "fragment.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write('#include "%s/src/xlagpu.h"\n#include "%s/src/xlagpu_runtime.h"\n' % (ROOT, ROOT))
            f.write("#include <stdio.h>\n#include <string.h>\n" + block)
        code, said = run("%s -std=c99 -fsyntax-only -Wall -Wno-unused-function -Werror fragment.c" %
                         os.environ.get("CC", "cc"), folder)
        if code:
            yield "%s: fragment %d of C: %s" % (place, n + 1, said[-400:])


def broken_links(path):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"```.*?```", "", f.read(), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target and not os.path.exists(os.path.join(os.path.dirname(path), target)):
            yield "%s: there is no %s" % (os.path.relpath(path, ROOT), target)


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("--")]
    docs = sorted(os.path.join(ROOT, "docs", n) for n in os.listdir(os.path.join(ROOT, "docs")) if n.endswith(".md"))
    files = [os.path.abspath(w) for w in words] or [os.path.join(ROOT, "README.md")] + docs
    problems, ran = [], 0
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            scratch(folder)
            found, n = check_file(path, folder, "--all" in sys.argv, "--write" in sys.argv)
            problems += found
            problems += c_problems(path, folder)
            ran += n
        problems += broken_links(path)
    reference = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "reference.py"), "--check"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if reference.returncode:
        problems.append(reference.stdout.decode().strip())
    for p in problems:
        print("FAIL " + p)
    print("%d documents" % len(files))
    print("%d passed, %d failed" % (max(0, ran - len(problems)), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
