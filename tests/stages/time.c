/* tests/stages/time.c -- the model of time over counts that are given.
 *
 * time PART    each line of the input that does not begin with # is a kernel of that part: "blocks=132 threads=128
 *              read_bytes=1000000 f32=10 ..". Pipes and matrix units by their names in the table (f32, special ..;
 *              macs_f16, warp_macs_f8 ..), the rest by the fields of xg_cost_counts. Prints microseconds, what limits,
 *              the share of the device's best, the blocks of a multiprocessor, and each term of more than a thousandth
 *              of the time in microseconds. */

static int64_t *time_field(xg_cost_counts *c, xg_str name) {
    static const char *const pipes[] = {
#define X(NAME, text, figure) text,
        XG_COST_PIPES(X)
#undef X
    };
    static const char *const tensors[] = {
#define X(NAME, text, figure) "macs_" text, "warp_macs_" text,
        XG_COST_TENSORS(X)
#undef X
    };
    uint32_t k;
    for (k = 0; k < XG_COUNT(pipes); k++)
        if (xg_str_is(name, pipes[k])) return &c->pipes[k];
    for (k = 0; k < XG_COUNT(tensors); k++)
        if (xg_str_is(name, tensors[k])) return k & 1 ? &c->warp_macs[k / 2] : &c->macs[k / 2];
#define FIELD(f) \
    if (xg_str_is(name, #f)) return &c->f;
    FIELD(blocks)
    FIELD(threads)
    FIELD(shared_bytes)
    FIELD(registers)
    FIELD(issued)
    FIELD(shared_passes)
    FIELD(unit_passes)
    FIELD(bulk_sectors)
    FIELD(multicast_sectors)
    FIELD(l1_passes)
    FIELD(l2_sectors)
    FIELD(read_bytes)
    FIELD(written_bytes)
    FIELD(warp_clocks)
    FIELD(warp_issued)
    FIELD(warp_tensor)
    FIELD(barriers)
#undef FIELD
    return NULL;
}
static void time_counts(xg_stage *io, xg_str line, xg_cost_counts *c) {
    const char *at = line.p, *end = line.p + line.n;
    memset(c, 0, sizeof *c);
    while (at < end) {
        const char *name = at, *value;
        int64_t *field;
        while (at < end && *at != '=') at++;
        field = time_field(c, xg_str_of(name, (size_t)(at - name)));
        if (!field || at == end) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no count '%.*s'", (int)(at - name), name);
        value = at + 1;
        for (at = value; at < end && *at >= '0' && *at <= '9'; at++) *field = *field * 10 + (*at - '0');
        while (at < end && *at == ' ') at++;
    }
}
static void time_us(xg_stage *io, int64_t picoseconds) {
    xg_printf(&io->out, "%lld.%02lld", (long long)(picoseconds / 1000000), (long long)(picoseconds / 10000 % 100));
}
static void time_line(xg_stage *io, const xg_device *d, xg_str line) {
    xg_cost_prediction p;
    xg_cost_counts c;
    uint32_t k;
    time_counts(io, line, &c);
    p = xg_cost_predict(d, &c);
    time_us(io, p.picoseconds);
    xg_printf(&io->out, " us, %s, %lld of 1000, %lld resident:", xg_cost_limit_name(p.limit), (long long)p.permille,
        (long long)p.residents);
    for (k = 0; k < XG_LIMIT_COUNT; k++) {
        if (p.terms[k] <= p.picoseconds / 1000) continue;
        xg_printf(&io->out, " %s ", xg_cost_limit_name(k));
        time_us(io, p.terms[k]);
    }
    xg_putc(&io->out, '\n');
}

static void stage_time(xg_stage *io) {
    const char *at = io->in.text, *end = at + io->in.size;
    xg_device d;
    if (!xg_device_of_part(xg_str_z(io->args), &d)) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no part is called so");
    while (at < end) {
        const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at));
        xg_str line = xg_str_of(at, (size_t)((stop ? stop : end) - at));
        at = stop ? stop + 1 : end;
        if (line.n && line.p[0] != '#') time_line(io, &d, line);
    }
}
