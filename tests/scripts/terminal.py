#!/usr/bin/env python3
"""What takes long says so on a terminal, is quiet in a pipe, and stops on Ctrl-C with a clean line. From the project's
root; ends with "N passed, N failed"."""

import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import time

TOOL, WORK = os.path.abspath("build/xlagpu"), pathlib.Path("build/terminal")
CLEAR = b"\r\x1b[K"
counts = {True: 0, False: 0}


def check(name, good, seen):
    counts[good] += 1
    print(f"  ok    {name}" if good else f"  FAIL  {name}: {seen[-300:]!r}")


def on_terminal(command, stop_at=None):
    """The exit status and what the terminal saw; Ctrl-C is typed once stop_at has been seen."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], command)
    seen, typed, end = b"", False, time.time() + 60
    while time.time() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                break
            if not more:
                break
            seen += more
        if stop_at and not typed and stop_at in seen:
            os.write(terminal, b"\x03")
            typed = True
    else:
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1], seen


def in_pipe(command, s):
    """What a pipe sees until the process ends, or is interrupted after so many seconds."""
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        return p.communicate(timeout=s)[0], p.returncode
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGINT)
        return p.communicate()[0], p.returncode


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    # Many blocks that take long together: a worker says how far it is whenever it has done some of them.
    (WORK / "long.ptx").write_text(
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r;\n"
        "mov.u32 %r, 0;\nL:\nadd.s32 %r, %r, 1;\nsetp.lt.s32 %p, %r, 300;\n@%p bra L;\nret;\n}\n"
    )
    sim = [TOOL, "sim", str(WORK / "long.ptx"), "--entry", "k", "--grid", "10000000", "--block", "32"]
    status, seen = on_terminal(sim, b"s left")
    stopped = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT
    check("the simulator shows progress and rest on a terminal", b"k: " in seen and b"%, " in seen, seen)
    check("Ctrl-C ends it as the signal does", stopped, seen)
    check("... and takes the line away", seen.split(b"s left")[-1].count(CLEAR) > 0, seen)
    said, status = in_pipe(sim, 2.5)
    check("in a pipe it is quiet, and is interrupted", said == b"" and status == -signal.SIGINT, said)
    # A compilation of more than a second.
    lines, n = ["ENTRY e {", " x0 = f32[64,64] parameter(0)"], int(os.environ.get("TERMINAL_OPS", "120000"))
    for i in range(n):
        lines += [f" d{i} = f32[64,64] dot(x{i}, x{i}), lhs_contracting_dims={{{i % 2}}}, rhs_contracting_dims={{0}}"]
        lines += [f" {'ROOT ' if i == n - 1 else ''}x{i + 1} = f32[64,64] sine(d{i})"]
    (WORK / "large.hlo").write_text("\n".join(lines + ["}"]))
    compile_it = [TOOL, "compile", str(WORK / "large.hlo"), "--target=sm_80", "-o", str(WORK / "large.xgx")]
    status, seen = on_terminal(compile_it, b"large.hlo: 1 s")
    check("a compilation says how long it takes", b"compiling build/terminal/large.hlo: 1 s" in seen, seen)
    stopped = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT
    check("Ctrl-C ends it, and takes the line away", stopped and CLEAR in seen.split(b" s\x1b[K")[-1], seen)
    print(f"{counts[True]} passed, {counts[False]} failed")
    return counts[False] != 0


sys.exit(main())
