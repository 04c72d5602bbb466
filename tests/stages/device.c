/* tests/stages/device.c -- what the tables say of a part: all its figures, those of its compute capability too.
 *
 * device       each line of the input is a part of the table, or "all": the names of all parts
 * device own   only what parts of one compute capability do not share */

static void device_print(xg_stage *io, const xg_device *d, bool own) {
    static const char *const mine[] = {"sm_count", "clock_mhz", "tensor_mhz", "tensor_f16", "memory_bytes", "bandwidth",
        "l2_bytes", "l2_bandwidth", "link_bandwidth", "network_bandwidth", "host_bandwidth"};
    size_t column, k;
    xg_printf(&io->out, "%s: cc %u%s%s\n", d->part, d->cc, d->warp_groups ? ", warp groups" : "",
        d->tensor_memory_i8 ? ", tensor memory, of integers too"
        : d->tensor_memory  ? ", tensor memory"
                            : "");
    column = 0;
#define X(figure, most, what) \
    for (k = 0; k < XG_COUNT(mine) && own && strcmp(mine[k], #figure) != 0; k++) {} \
    if (k < XG_COUNT(mine) || !own) { \
        xg_printf(&io->out, "%s%s %lld", column ? ", " : "  ", #figure, (long long)d->figure); \
        if (++column == 5) { \
            xg_putc(&io->out, '\n'); \
            column = 0; \
        } \
    }
    XLAGPU_TARGET_FIGURES(X)
#undef X
    if (column) xg_putc(&io->out, '\n');
}

static void stage_device(xg_stage *io) {
    const char *at = io->in.text, *end = at + io->in.size;
    bool own = strstr(io->args, "own") != NULL;
    size_t i;
    while (at < end) {
        const char *stop = (const char *)memchr(at, '\n', (size_t)(end - at));
        xg_str line = {at, 0};
        xg_device d;
        line.n = (uint32_t)((stop ? stop : end) - at);
        at = stop ? stop + 1 : end;
        if (xg_str_is(line, "all")) {
            for (i = 0; xg_device_part_name(i); i++) xg_printf(&io->out, "%s\n", xg_device_part_name(i));
        } else if (xg_device_of_part(line, &d))
            device_print(io, &d, own);
        else if (line.n)
            xg_printf(&io->out, "no part is called so\n");
    }
}
