#!/usr/bin/env python3
"""Asks the real cuDNN for plans of the graphs that the compiler writes, without a GPU: libcudnn.so.9 takes a device's
figures as text (from 9.11 on), so that its heuristics answer and its engines compile. By hand, beside the imitation of
tests/programs/libraries.c, which computes.

    python3 tests/scripts/cudnn_plans.py [M.hlo ...]      default: the forms below; needs build/xlagpu, cc

Engines that compile at run time look for libcuda.so.1. Where there is none a stand-in is built that loads nothing;
the program starts itself again so that it is found. Prints for each graph the engines with a plan, and their memory;
ends with 1 if a graph has none."""

import ctypes
import json
import os
import re
import subprocess
import sys

FOLDER = "build/cudnn_plans"
STAND_IN = """
#include <stddef.h>
static int thing[64];
#define OK(name) int name(void) { return 0; }
#define GIVES(name) int name(void **p) { *p = thing; return 0; }
int cuInit(unsigned f) { return 100; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d) { *d = 0; return 0; }
int cuCtxGetLimit(size_t *v) { *v = 1 << 20; return 0; }
int cuCtxPopCurrent(void **p) { if (p) *p = thing; return 0; }
int cuStreamGetCtx(void *s, void **p) { *p = thing; return 0; }
int cuGetErrorName(int e, const char **t) { *t = "none"; return 0; }
int cuGetErrorString(int e, const char **t) { *t = "none"; return 0; }
int cuKernelGetAttribute(int *v) { *v = 0; return 0; }
int cuOccupancyMaxPotentialClusterSize(int *n) { *n = 16; return 0; }
int cuLinkCreate(void) { return 1; }
GIVES(cuCtxGetCurrent) GIVES(cuLibraryLoadData) GIVES(cuLibraryLoadFromFile) GIVES(cuLibraryGetKernel)
OK(cuCtxPushCurrent) OK(cuLinkAddData) OK(cuLinkComplete) OK(cuLinkDestroy) OK(cuLaunchKernel)
OK(cuLaunchCooperativeKernel) OK(cuLaunchKernelEx) OK(cuLibraryUnload) OK(cuKernelSetAttribute)
"""
DEVICE = dict(
    maxGridSize=[2147483647, 65535, 65535], maxBlockSize=[1024, 1024, 64], regsPerBlock=65536,
    multiProcessorCount=132, warpSize=32, smClockRateKHz=1980000, memClockRateKHz=2619000, l2CacheSize=52428800,
    maxSharedMemoryPerBlock=49152, maxSharedMemoryPerBlockOptin=232448, reservedSharedMemoryPerBlock=1024,
    maxRegistersPerSM=65536, maxCtasPerSM=32, maxThreadsPerBlock=1024, maxThreadsPerSM=2048, deviceVer=900,
    driverVer=13000, cudaDeviceId=0, pciDeviceId=0x2330, totalGlobalMem=84942979072, isTccDriver=0,
    supportCoopLaunch=1, deviceName="NVIDIA H100 80GB HBM3", smVersion=900, driverVersion=13000)
WIDTHS = "0418480400400048444044440404444"  # of an attribute's element, by its type
DESCRIPTOR = 15


class Refused(Exception):
    pass


def dot(c, d, e, f):
    return ('{"lhs_contracting_dimensions":["%s"],"rhs_contracting_dimensions":["%s"],"lhs_batch_dimensions":["0","%s"],'
            '"rhs_batch_dimensions":["0","%s"]}' % (c, d, e, f))


def attention(t, batch, heads, own, rows, keys, depth, mask="NO_MASK", bias=None, inside=False):
    def shape(h, s):
        return f"{t}[{batch},{s},{h},{depth}]" if inside else f"{t}[{batch},{h},{s},{depth}]"
    dims = ('"bmm1_dot_dimension_numbers":' + (dot(3, 3, 2, 2) if inside else dot(3, 3, 1, 1)) +
            ',"bmm2_dot_dimension_numbers":' + (dot(3, 1, 1, 2) if inside else dot(3, 2, 1, 1)))
    result = f"{t}[{batch},{heads},{rows},{depth}]"
    return (f"HloModule m\nENTRY e {{\np0 = {shape(heads, rows)} parameter(0)\np1 = {shape(own, keys)} parameter(1)\n"
            f"p2 = {shape(own, keys)} parameter(2)\n" + (f"p3 = {bias} parameter(3)\n" if bias else "") +
            f"c = ({result}, u8[0]) custom-call(p0, p1, p2{', p3' if bias else ''}), custom_call_target="
            f"\"__cudnn$fmha{'ScaleBias' if bias else ''}Softmax\", backend_config={{\"cudnn_fmha_backend_config\":"
            f"{{\"fmha_scale\":0.125,\"mask_type\":\"{mask}\",{dims}}}}}\n"
            f"ROOT r = {result} get-tuple-element(c), index=0\n}}\n")


FORMS = {
    "attention": attention("bf16", 2, 8, 8, 512, 512, 64),
    "causal, positions outside": attention("bf16", 2, 8, 8, 512, 512, 64, "CAUSAL", inside=True),
    "heads that share keys": attention("f16", 2, 8, 2, 512, 512, 128, "CAUSAL"),
    "f32 bias": attention("bf16", 2, 8, 8, 512, 512, 64, bias="f32[1,8,512,512]"),
    "bias and mask": attention("bf16", 2, 8, 8, 512, 512, 64, "CAUSAL", bias="bf16[2,1,1,512]"),
    "odd lengths": attention("bf16", 2, 8, 8, 333, 517, 72, "CAUSAL"),
    "256 lanes": attention("bf16", 1, 4, 4, 512, 512, 256),
    "one row": attention("bf16", 8, 32, 8, 1, 2048, 128),
    "convolution": "HloModule m\nENTRY e {\np0 = bf16[64,28,28,128] parameter(0)\np1 = bf16[3,3,128,128] parameter(1)\n"
                   "ROOT r = bf16[64,28,28,128] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                   "dim_labels=b01f_01io->b01f\n}\n"}


def norm(name, t, rows, lanes, mean):
    centre = ("s = f32[R] reduce(w, z), dimensions={1}, to_apply=sum\nmean = f32[R] multiply(s, n)\n"
              "mb = f32[R,L] broadcast(mean), dimensions={0}\nd = f32[R,L] subtract(w, mb)\n")
    text = ("HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\nENTRY e {\n"
            "x = T[R,L] parameter(0)\ng = f32[L] parameter(1)\nb = f32[L] parameter(2)\nw = f32[R,L] convert(x)\n"
            "z = f32[] constant(0)\nc = f32[] constant(C)\nn = f32[R] broadcast(c), dimensions={}\n" +
            (centre if mean else "d = f32[R,L] copy(w)\n") +
            "q = f32[R,L] multiply(d, d)\nv = f32[R] reduce(q, z), dimensions={1}, to_apply=sum\n"
            "ms = f32[R] multiply(v, n)\ne = f32[] constant(1e-5)\neb = f32[R] broadcast(e), dimensions={}\n"
            "ve = f32[R] add(ms, eb)\nr = f32[R] rsqrt(ve)\nrb = f32[R,L] broadcast(r), dimensions={0}\n"
            "gb = f32[R,L] broadcast(g), dimensions={1}\nh = f32[R,L] multiply(d, rb)\ni = f32[R,L] multiply(h, gb)\n"
            "bb = f32[R,L] broadcast(b), dimensions={1}\nj = f32[R,L] add(i, bb)\nROOT o = T[R,L] convert(j)\n}\n")
    return {name: text.replace("T[", t + "[").replace("C)", f"{1 / lanes!r})").replace("[R", f"[{rows}").replace(
        "L]", f"{lanes}]")}


def batch_norm(kind, t, more):
    vectors = "".join(f"v{k} = f32[64] parameter({k + 1})\n" for k in range(more))
    array, call = f"{t}[8,14,14,64]", f"batch-norm-{kind}(x, {', '.join(f'v{k}' for k in range(more))})"
    root = f"ROOT r = {array} {call}, epsilon=1e-3, feature_index=3\n"
    if kind == "training":  # the variance is not read
        root = (root.replace(f"ROOT r = {array}", f"t = ({array}, f32[64], f32[64])") +
                f"ROOT r = {array} get-tuple-element(t), index=0\n")
    return {f"batch norm, {kind}": f"HloModule m\nENTRY e {{\nx = {array} parameter(0)\n{vectors}{root}}}\n"}


FORMS.update(norm("layer norm", "bf16", 512, 1023, True))
FORMS.update(norm("RMS norm", "f16", 7, 512, False))
FORMS.update(batch_norm("training", "f32", 2))
FORMS.update(batch_norm("inference", "f32", 4))


def need(status, what, library):
    if not status:
        return
    why = ctypes.create_string_buffer(1000)
    library.cudnnGetLastErrorString(why, 1000)
    raise Refused(f"{what}: status {status}: {why.value.decode()}")


class Cudnn:
    def __init__(self):
        self.l = ctypes.CDLL("libcudnn.so.9")
        self.device = self.new(38)
        text = json.dumps(DEVICE).encode()
        self.set(self.device, 2702, 24, len(text), text)
        self.done(self.device, "the device")

    def new(self, kind):
        d = ctypes.c_void_p()
        need(self.l.cudnnBackendCreateDescriptor(kind, ctypes.byref(d)), f"descriptor {kind}", self.l)
        return d

    def set(self, d, name, kind, n, data):
        need(self.l.cudnnBackendSetAttribute(d, name, kind, ctypes.c_int64(n), data), f"attribute {name}", self.l)

    def point(self, d, name, to):
        self.set(d, name, DESCRIPTOR, len(to), (ctypes.c_void_p * len(to))(*[t.value for t in to]))

    def done(self, d, what):
        need(self.l.cudnnBackendFinalize(d), what, self.l)

    def get(self, d, name, kind, n, data):
        found = ctypes.c_int64()
        need(self.l.cudnnBackendGetAttribute(d, name, kind, ctypes.c_int64(n), ctypes.byref(found), data),
             f"attribute {name}", self.l)
        return found.value

    def graph(self, words):
        """The descriptors, as rt/cudnn.c makes them; the handle of the graph is left out."""
        all_, k = [], 0
        while k < len(words):
            if words[k] == -1:
                if all_:
                    self.done(all_[-1], f"descriptor {len(all_) - 1}")
                all_.append(self.new(words[k + 1]))
                k += 2
                continue
            name, kind, n = words[k:k + 3]
            v = words[k + 3:k + 3 + n]
            k += 3 + n
            if name == -2:
                continue
            if kind == DESCRIPTOR:
                self.point(all_[-1], name, [all_[x] for x in v])
            else:
                data = b"".join((x & (1 << 64) - 1).to_bytes(8, "little")[:int(WIDTHS[kind])] for x in v)
                self.set(all_[-1], name, kind, n, data)
        self.done(all_[-1], "the graph")
        return all_[-1]

    def plan(self, config, refused):
        """Engine and memory, or why not."""
        engine, place, notes = self.new(2), ctypes.c_int64(), (ctypes.c_int32 * 16)()
        self.get(config, 300, DESCRIPTOR, 1, (ctypes.c_void_p * 1)(engine.value))
        self.get(engine, 1301, 3, 1, ctypes.byref(place))
        if any(refused >> note & 1 for note in notes[:self.get(engine, 1303, 11, 16, notes)]):
            return None
        plan, size = self.new(5), ctypes.c_int64()
        self.point(plan, 401, [config])
        self.point(plan, 407, [self.device])
        try:
            self.done(plan, "plan")
        except Refused:
            return None
        self.get(plan, 402, 3, 1, ctypes.byref(size))
        return f"engine {place.value}, {size.value} bytes"

    def plans(self, words, refused, most=3):
        graph, found = self.graph(words), []
        for mode in (3, 2):  # as the runtime asks: the best advice, then what always works
            heuristics, configs = self.new(4), [self.new(3) for _ in range(16)]
            self.point(heuristics, 201, [graph])
            self.set(heuristics, 200, 8, 1, ctypes.byref(ctypes.c_int32(mode)))
            self.point(heuristics, 204, [self.device])
            self.done(heuristics, "heuristics")
            n = self.get(heuristics, 202, DESCRIPTOR, 16, (ctypes.c_void_p * 16)(*[c.value for c in configs]))
            for config in configs[:n]:
                if len(found) < most:
                    plan = self.plan(config, refused)
                    if plan and plan not in found:
                        found.append(plan)
        return found


def with_driver():
    """libcuda.so.1, or the stand-in, can be found."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        os.makedirs(FOLDER, exist_ok=True)
        with open(f"{FOLDER}/cuda.c", "w") as f:
            f.write(STAND_IN)
        subprocess.check_call(["cc", "-w", "-shared", "-fPIC", f"{FOLDER}/cuda.c", "-o", f"{FOLDER}/libcuda.so.1"])
        paths = [os.path.abspath(FOLDER)] + [p for p in [os.environ.get("LD_LIBRARY_PATH")] if p]
        os.environ["LD_LIBRARY_PATH"] = ":".join(paths)
        os.execv(sys.executable, [sys.executable] + sys.argv)


def main():
    with_driver()
    library, missing = Cudnn(), 0
    os.makedirs(FOLDER, exist_ok=True)
    modules = [(m, open(m).read()) for m in sys.argv[1:]] or list(FORMS.items())
    for name, text in modules:
        with open(f"{FOLDER}/m.hlo", "w") as f:
            f.write(text)
        thunks = subprocess.run(["build/xlagpu", "compile", f"{FOLDER}/m.hlo", "--target=sm_90a",
                                 "--libraries=cudnn,always", "--emit=thunks"], capture_output=True, text=True).stdout
        graphs = sorted(set(re.findall(r"refused_notes = (\d+) : i64, graph = array<i64: ([^>]*)>", thunks)))
        if not graphs:
            print(f"{name}: no call of cuDNN")
            missing += 1
        for refused, words in graphs:
            try:
                found = library.plans([int(w) for w in words.split(",")], int(refused))
            except Refused as why:
                found = []
                print(f"{name}: {why}")
            print(f"{name}: {'; '.join(found) or 'NO PLAN'}", flush=True)
            missing += not found
    return missing != 0


if __name__ == "__main__":
    sys.exit(main())
