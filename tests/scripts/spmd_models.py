#!/usr/bin/env python3
"""Whole models on meshes of devices: annotated here, propagated and partitioned by us and, where there is a Python with
jax (--jax PYTHON), by XLA's pipeline for CPUs.

    python3 tests/scripts/spmd_models.py [--jax PYTHON] [--keep FOLDER] MODEL.hlo ...

A mesh DxM has D devices along "data", by which batches and one dimension of each matrix are split (fully sharded data
parallelism), and M along "model", by which heads, columns of matrices that widen and rows of those that narrow are
(tensor parallelism). Parameters and results are annotated by their shapes, so that what a step updates comes back as it
went in. Only what divides evenly is split.

The table says how much processor time propagation and partitioning take (the process with the passes less the process
without; XLA: its whole compilation), how many collectives there are, what a device sends in them (rings), and the bytes
of its arguments and results."""
import argparse, os, re, resource, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from spmd_cases import shape_bytes, traffic

MESHES = [(8, 1), (1, 8), (2, 4), (4, 2)]
PASSES = 'sharding-propagation,spmd-partitioner'


def places(kind, dims):
    """By dimension: which axis may split it, 'd'ata or 'm'odel, the wanted one first."""
    if kind[0] in 'su' or kind == 'pred' or not dims:
        return ['d' if k == 0 and len(dims) > 1 else '' for k in range(len(dims))]
    if len(dims) == 1:
        return ['']
    if len(dims) == 2:
        return ['m', 'd'] if dims[0] >= dims[1] else ['d', 'm']
    return ['d'] + [''] * (len(dims) - 3) + ['m', ''] if len(dims) > 3 else ['d', '', 'm']


def sharding(kind, dims, mesh):
    size = {'d': mesh[0], 'm': mesh[1]}
    used = [p if p and size[p] > 1 and n % size[p] == 0 else '' for p, n in zip(places(kind, dims), dims)]
    order = [p for p in used if p]
    if not order:
        return '{replicated}'
    rest = [p for p in 'dm' if p not in order and size[p] > 1]
    tiles = [str(size[p]) if p else '1' for p in used] + [str(size[p]) for p in rest]
    given = [p for p in 'dm' if size[p] > 1]
    wanted = order + rest
    devices = '[%d]' % (mesh[0] * mesh[1])
    if wanted != given:
        devices = '[%d,%d]T(1,0)' % mesh
    return '{devices=[%s]<=%s%s}' % (','.join(tiles), devices, ' last_tile_dim_replicate' if rest else '')


def annotate(text, mesh):
    def of(m):
        return sharding(m.group(1), [int(d) for d in m.group(2).split(',') if d], mesh)

    head, entry = re.split(r'^(?=ENTRY)', text, maxsplit=1, flags=re.M)
    array = r'([a-z][a-z0-9]*)\[([\d,]*)\](?:\{[\d,]*\})?'
    entry = re.sub(r'^(\s+\S+ = )%s( parameter\(\d+\))' % array,
                   lambda m: m.group(0) + ', sharding=' +
                   sharding(m.group(2), [int(d) for d in m.group(3).split(',') if d], mesh), entry, flags=re.M)
    root = re.search(r'^\s+ROOT \S+ = (\(.*?\)|\S+) [a-z-]+\(.*$', entry, flags=re.M)
    results = [of(m) for m in re.finditer(array, re.sub(r'/\*.*?\*/', '', root.group(1)))]
    said = '{' + ', '.join(results) + '}' if root.group(1)[0] == '(' else results[0]
    entry = entry.replace(root.group(0), root.group(0) + ', sharding=' + said)
    head = re.sub(r'^(HloModule [^\n]*)', r'\1, num_partitions=%d' % (mesh[0] * mesh[1]), head, count=1)
    return head + entry


def argument_bytes(path):
    layout = re.search(r'entry_computation_layout=\{(.*?)\}(?:, \w+=|\n)', open(path).readline() + '\n').group(1)
    return shape_bytes(re.sub(r'\{[^}]*\}|/\*.*?\*/', '', layout))


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command):
    best = None
    for _ in range(3):
        begin = processor_seconds()
        p = subprocess.run(command, capture_output=True, text=True)
        best = min(best or 1e9, processor_seconds() - begin)
        if p.returncode:
            print(p.stderr)
            sys.exit(1)
    return best


def ours(path, out):
    plain = run(['build/xlagpu', 'opt', path, '--passes=', '-o', '/dev/null'])
    return max(run(['build/xlagpu', 'opt', path, '--passes=' + PASSES, '-o', out]) - plain, 1e-4)


XLA = r'''
import glob, os, re, sys, tempfile, time
dump = tempfile.mkdtemp()
os.environ['XLA_FLAGS'] = ('--xla_force_host_platform_device_count=8 --xla_dump_hlo_as_text --xla_dump_to=' + dump +
                           ' --xla_dump_hlo_pass_re=.*spmd.*')
os.environ['JAX_PLATFORMS'] = 'cpu'
import jax, numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jmlir
from jax._src.lib import xla_client as xc
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir
text = open(sys.argv[1]).read()
client = xla_bridge.get_backend('cpu')
module = _jax.mlir.hlo_to_stablehlo(_hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
o = xc.CompileOptions()
o.num_replicas, o.num_partitions = 1, 8
b = o.executable_build_options
b.num_replicas, b.num_partitions, b.use_spmd_partitioning, b.use_shardy_partitioner = 1, 8, True, False
o.device_assignment = xc.DeviceAssignment.create(np.arange(8).reshape(1, 8))
with jmlir.make_ir_context():
    parsed = ir.Module.parse(module)
    begin = time.process_time()
    client.compile_and_load(parsed, _jax.DeviceList(tuple(jax.devices()[:8])), o, [])
    print('seconds', time.process_time() - begin)
found = sorted(glob.glob(dump + '/*after_spmd-partitioning*.txt'))
text = re.sub(r', metadata=\{[^{}]*\}', '', open(found[-1]).read())
open(sys.argv[2], 'w').write(text[text.index('HloModule'):])
'''


def xla(python, path, out):
    p = subprocess.run([python, '-c', XLA, path, out], capture_output=True, text=True)
    m = re.search(r'^seconds (\S+)', p.stdout, flags=re.M)
    if not m:
        print(p.stderr[-2000:])
        return None
    return float(m.group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--jax')
    parser.add_argument('--keep', default=tempfile.mkdtemp())
    parser.add_argument('--mesh', action='append')
    parser.add_argument('models', nargs='+')
    o = parser.parse_args()
    meshes = [tuple(int(n) for n in m.split('x')) for m in o.mesh] if o.mesh else MESHES
    print('model\tmesh\tby\tCPU ms\tcollectives\tbytes sent\targuments and results')
    for model in o.models:
        text = open(model).read()
        for mesh in meshes:
            name = '%s.%dx%d' % (os.path.basename(model)[:-4], *mesh)
            base = os.path.join(o.keep, name)
            open(base + '.hlo', 'w').write(annotate(text, mesh))
            rows = [('ours', ours(base + '.hlo', base + '.ours.hlo'), base + '.ours.hlo')]
            if o.jax:
                seconds = xla(o.jax, base + '.hlo', base + '.xla.hlo')
                if seconds:
                    rows.append(('XLA', seconds, base + '.xla.hlo'))
            for who, seconds, path in rows:
                print('%s\t%dx%d\t%s\t%.1f\t%d\t%d\t%d' % (os.path.basename(model)[:-4], *mesh, who, 1000 * seconds,
                                                       *traffic(path), argument_bytes(path)), flush=True)


if __name__ == '__main__':
    main()
