#!/usr/bin/env python3
"""Worked cases of partitioning: a folder with NAME.before.hlo, NAME.npz (whole arguments argN and results outN) and
NAME.after.hlo, what XLA's partitioner made of it.

    python3 tests/scripts/spmd_cases.py [--platform=host] FOLDER [NAME ...]

Each is propagated, partitioned and evaluated on its devices, NaN behind the ends of uneven parts, and held against the
results; a case without arrays is only partitioned. With --platform=host each device runs kernels, on the simulator. The
table says how many collectives there are and
how many bytes a device sends in them (rings), beside XLA's. Exit status 1 when a result differs."""
import glob, os, re, subprocess, sys, tempfile

BITS = {'pred': 8, 'bf16': 16}
KINDS = 'all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter'


def shape_bytes(text):
    total = 0
    for kind, dims in re.findall(r'([a-z][a-z0-9]*)\[([\d,]*)\]', text):
        bits = BITS.get(kind) or int(re.search(r'\d+', kind).group())
        for d in dims.split(','):
            bits *= int(d) if d else 1
        total += bits // 8
    return total


def group_size(line, devices):
    m = re.search(r'replica_groups=\[(\d+),(\d+)\]', line)
    if m:
        return int(m.group(2))
    m = re.search(r'replica_groups=\{\{([\d,]+)\}', line)
    if m:
        return m.group(1).count(',') + 1
    m = re.search(r"replica_groups=mesh\[(.*?)\].*?\{('[^}]*)\}(?:,|$| )", line)
    if m:
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", m.group(1)))
        product = 1
        for axis, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", m.group(2)):
            product *= int(part or sizes[axis])
        return product
    return devices


def computations(path):
    """The lines of each computation of a module's text; None: the entry's name."""
    out, name = {}, None
    for line in open(path):
        m = re.match(r'(ENTRY )?%?([\w.-]+)(?: \(.*\) -> .*)? \{', line)
        if m and not line.startswith('HloModule'):
            name = m.group(2)
            out[name] = []
            if m.group(1):
                out[None] = name
        elif name:
            out[name].append(line)
    return out


def trips(lines):
    """How often a loop with this condition runs: a counter from 0 is below a constant; 1 where it is not so."""
    text = ''.join(lines)
    limits = re.findall(r'= [su]32\[\](?:\{\})? constant\((\d+)\)', text)
    return int(limits[0]) if len(limits) == 1 and 'direction=LT' in text else 1


def times_run(comps):
    """How often each computation runs. A branch beside one that does nothing in a loop's last round misses that one."""
    out = {None: 1, comps[None]: 1}
    todo = [comps[None]]
    while todo:
        name = todo.pop()
        for line in comps[name]:
            n = out[name]
            loop = re.search(r' while\(.*condition=%?([\w.-]+), body=%?([\w.-]+)', line)
            called = re.findall(r'(?:to_apply|true_computation|false_computation|calls)=%?([\w.-]+)', line)
            if loop:
                n *= trips(comps[loop.group(1)])
                called = [loop.group(2)]
            elif 'last_iteration_noop' in line:
                n -= 1
            for c in called:
                out[c] = out.get(c, 0) + n
                todo.append(c)
    return out


def traffic(path, devices=8):
    """Collectives of a partitioned module, each instruction counted once, and what a device sends in them as often as
    they run."""
    count = sent = 0
    comps = computations(path)
    runs = times_run(comps)
    for name in runs:
        for line in comps[name] if name else []:
            m = re.match(r'\s*(?:ROOT )?\S+ = (.*?) (%s)\(' % KINDS, line)
            if not m:
                continue
            out, kind, g = shape_bytes(re.sub(r'\{[^}]*\}', '', m.group(1))), m.group(2), group_size(line, devices)
            count += 1
            sent += runs[name] * {'all-gather': out * (g - 1) / g, 'all-reduce': 2 * out * (g - 1) / g,
                                  'reduce-scatter': out * (g - 1), 'all-to-all': out * (g - 1) / g,
                                  'collective-permute': out}[kind]
    return count, sent


def partition(base):
    out = os.path.join(tempfile.mkdtemp(), 'partitioned.hlo')
    passes = '--passes=sharding-propagation,spmd-partitioner'
    p = subprocess.run(['build/xlagpu', 'opt', base + '.before.hlo', passes, '-o', out], capture_output=True, text=True)
    return p, *(traffic(out) if p.returncode == 0 else (-1, -1))


def run(base, devices, platform):
    p, count, sent = partition(base)
    if p.returncode == 0 and os.path.exists(base + '.npz'):
        p = subprocess.run(['build/xlagpu', 'run', base + '.before.hlo', '--platform=' + platform,
                            '--devices=%d' % devices, '--args', base + '.npz', '--expect', base + '.npz',
                            '--rtol=1e-4', '--atol=1e-4'], capture_output=True, text=True)
    return p, count, sent


def main():
    args, platform = sys.argv[1:], 'interpreter'
    if args[0].startswith('--platform='):
        platform = args.pop(0).split('=')[1]
    folder, names = args[0], args[1:]
    names = names or sorted(os.path.basename(f)[:-11] for f in glob.glob(folder + '/*.before.hlo'))
    right = less = fewer = 0
    print('case\tright\tcollectives\tXLA\tbytes sent\tXLA')
    for name in names:
        p, count, sent = run(os.path.join(folder, name), 8, platform)
        xla_count, xla_sent = traffic(os.path.join(folder, name + '.after.hlo'))
        right += p.returncode == 0
        less += p.returncode == 0 and sent <= xla_sent
        fewer += p.returncode == 0 and count <= xla_count
        print('%s\t%s\t%d\t%d\t%d\t%d%s' % (name, 'yes' if p.returncode == 0 else 'NO', count, xla_count, sent,
                                            xla_sent, '' if sent <= xla_sent else '\tmore'))
        if p.returncode:
            print(p.stderr.strip())
    print('%d of %d right; as few bytes as XLA or fewer in %d, as few collectives in %d' % (right, len(names), less,
                                                                                        fewer))
    return right != len(names)


if __name__ == '__main__':
    sys.exit(main())
