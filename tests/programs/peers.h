/* tests/programs/peers.h -- small all-reduces by kernels that read what other devices have.
 *
 * Each of four devices has other numbers, which are small integers: all types but pred hold every sum and product of
 * them that is asked for exactly, so that the expectation is an integer. Who includes it also includes collectives.h
 * and says of which of its programs the kernels ran: xlagpu_rt_stats counts launches. */
#ifndef XLAGPU_TESTS_PEERS_H
#define XLAGPU_TESTS_PEERS_H

enum {
    PEERS_MOST = 3, /* operands */
    PEERS_ROW = 37, /* elements of the first; each further operand has 11 more */
    PEERS_TEXT = 8000
};
/* What is said of the device, and the kernels that are expected to do it. On the first one bytes are dear: a multicast
 * object is sooner than kernels that read all operands, and these than NCCL. */
#define PEERS_SLOW_LINKS \
    ", frontend_attributes={xlagpu.device=\"H100, launch_ns=1, meet_ns=1, link_bandwidth=1000000000\"}"
static const char *peers_device = "", *peers_kernel = "peers";
static int peers_size(int k) { return PEERS_ROW + 11 * k; }
/* What device d has of element i: 1, 2 or 3. */
static double peers_input(int d, int i) { return 1 + (d * 5 + i * 7) % 3; }

static double peers_reduced(const char *op, const int *group, int n, int i) {
    double r = peers_input(group[0], i);
    int k;
    for (k = 1; k < n; k++) {
        double x = peers_input(group[k], i);
        if (strcmp(op, "add") == 0) r += x;
        if (strcmp(op, "multiply") == 0) r *= x;
        if (strcmp(op, "minimum") == 0 && x < r) r = x;
        if (strcmp(op, "maximum") == 0 && x > r) r = x;
    }
    return r;
}
/* Whole arrays f32[4, size], a row for each device; inside it is `type`. */
static void peers_text(char *t, const char *type, const char *op, const char *groups, int operands) {
    char list[100] = "", types[200] = "", *at = t;
    int k;
    at += sprintf(at,
        "HloModule peers, num_partitions=4%s\nop { a = %s[] parameter(0)\n b = %s[] parameter(1)\n ROOT c = %s[] %s(a, "
        "b) "
        "}\nENTRY e {\n",
        peers_device, type, type, type, op);
    for (k = 0; k < operands; k++) {
        int n = peers_size(k);
        at += sprintf(at,
            "p%d = f32[4,%d] parameter(%d), sharding={devices=[4,1]<=[4]}\n"
            "m%d = f32[1,%d] custom-call(p%d), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
            "x%d = %s[1,%d] convert(m%d)\n",
            k, n, k, k, n, k, k, type, n, k);
        sprintf(list + strlen(list), "%sx%d", k ? ", " : "", k);
        sprintf(types + strlen(types), "%s%s[1,%d]", k ? ", " : "", type, n);
    }
    at += sprintf(at,
        "%s = %s%s%s all-reduce(%s), replica_groups=%s, channel_id=1, use_global_device_ids=true, to_apply=op\n",
        operands > 1 ? "all" : "g0", operands > 1 ? "(" : "", types, operands > 1 ? ")" : "", list, groups);
    for (k = 0; k < operands; k++) {
        int n = peers_size(k);
        if (operands > 1) at += sprintf(at, "g%d = %s[1,%d] get-tuple-element(all), index=%d\n", k, type, n, k);
        at += sprintf(at,
            "y%d = f32[1,%d] convert(g%d)\n"
            "r%d = f32[4,%d] custom-call(y%d), custom_call_target=\"SPMDShardToFullShape\", "
            "sharding={devices=[4,1]<=[4]}\n",
            k, n, k, k, n, k);
    }
    at += sprintf(at, "ROOT t = (");
    for (k = 0; k < operands; k++) at += sprintf(at, "%sf32[4,%d]", k ? ", " : "", peers_size(k));
    at += sprintf(at, ") tuple(");
    for (k = 0; k < operands; k++) at += sprintf(at, "%sr%d", k ? ", " : "", k);
    at += sprintf(at, "), sharding={");
    for (k = 0; k < operands; k++) at += sprintf(at, "%s{devices=[4,1]<=[4]}", k ? ", " : "");
    sprintf(at, "}\n}\n");
}

/* In command buffers collectives are captured from NCCL: without. */
static xlagpu_bytes peers_compile(xlagpu_context *c, const char *text) {
    xlagpu_module *m = xlagpu_parse(c, "peers", text, strlen(text));
    xlagpu_compile_desc d;
    xlagpu_bytes exe = {NULL, 0};
    memset(&d, 0, sizeof d);
    d.target.name = "sm_90a";
    d.no_command_buffers = true;
    if (m) exe = xlagpu_compile(m, &d);
    if (!exe.data) printf("%s\n", xlagpu_error(c));
    return exe;
}
/* How often kernels were launched that are no device's own fusions: those that reduce what others have. */
static unsigned long long peers_launches(const xlagpu_program *p) {
    xlagpu_kernel_stats stats[16];
    unsigned long long n = 0;
    uint32_t k, kernels = xlagpu_rt_stats(p, stats, 16);
    for (k = 0; k < kernels && k < 16; k++)
        if (strncmp(stats[k].name, peers_kernel, strlen(peers_kernel)) == 0) n += stats[k].launches;
    return n;
}
/* Runs twice. launches: whether kernels are expected to do it, on the simulator, which counts. */
static void peers_case(const char *type, const char *op, int halves, int operands, bool launches) {
    static const int groups[2][2] = {{0, 2}, {3, 1}}, every[4] = {0, 1, 2, 3};
    static float in[PEERS_MOST][4 * 64], out[PEERS_MOST][4 * 64];
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_clique *q = open_clique(DEVICES, 5, NULL);
    xlagpu_rt_tensor from[PEERS_MOST], to[PEERS_MOST];
    xlagpu_bytes exe;
    xlagpu_program *p;
    char text[PEERS_TEXT], what[100];
    int d, i, k;
    snprintf(what, sizeof what, "all-reduce %s %s, %d operands, groups of %d", op, type, operands, halves ? 2 : 4);
    peers_text(text, type, op, halves ? "{{0,2},{3,1}}" : "{{0,1,2,3}}", operands);
    exe = peers_compile(c, text);
    p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    if (!EXPECT_IN(p != NULL, what)) printf("%s: %s\n", what, xlagpu_rt_clique_error(q));
    for (k = 0; k < operands; k++) {
        from[k].data = in[k];
        to[k].data = out[k];
        from[k].bytes = to[k].bytes = 4 * (size_t)peers_size(k) * sizeof(float);
        for (i = 0; i < 4 * peers_size(k); i++) in[k][i] = (float)peers_input(i / peers_size(k), i % peers_size(k) + k);
    }
    memset(out, 0, sizeof out);
    for (i = 0; i < 2; i++)
        if (!EXPECT_IN(
                p && xlagpu_rt_clique_run(p, from, (uint32_t)operands, to, (uint32_t)operands) == XLAGPU_OK, what))
            printf("%s: %s\n", what, xlagpu_rt_clique_error(q));
    for (k = 0; k < operands; k++)
        for (i = 0; i < 4 * peers_size(k); i++) {
            const int *group;
            d = i / peers_size(k);
            group = halves ? groups[d % 2] : every;
            EXPECT_IN((double)out[k][i] == peers_reduced(op, group, halves ? 2 : 4, i % peers_size(k) + k), what);
        }
    for (d = 0; p && d < DEVICES && launches; d++)
        EXPECT_IN(peers_launches(xlagpu_rt_clique_program(p, (uint32_t)d)) == 2 * (unsigned)operands, what);
    xlagpu_rt_clique_close(q);
    xlagpu_destroy(c);
}
/* Sums that order and rounding change: the same bits on all devices, those of the order of the group's members. */
static void peers_order(const char *type, float big, float want, bool launches) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_clique *q = open_clique(DEVICES, 5, NULL);
    float in[4 * PEERS_ROW], out[4 * PEERS_ROW];
    xlagpu_rt_tensor from, to;
    char text[PEERS_TEXT];
    xlagpu_bytes exe;
    xlagpu_program *p;
    int d, i;
    peers_text(text, type, "add", "{{2,0,3,1}}", 1);
    exe = peers_compile(c, text);
    p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    from.data = in;
    to.data = out;
    from.bytes = to.bytes = sizeof in;
    for (i = 0; i < 4 * PEERS_ROW; i++) in[i] = 1; /* ((big + 1) - big) + 1 */
    for (i = 0; i < PEERS_ROW; i++) {
        in[2 * PEERS_ROW + i] = big;
        in[3 * PEERS_ROW + i] = -big;
    }
    EXPECT_IN(p && xlagpu_rt_clique_run(p, &from, 1, &to, 1) == XLAGPU_OK, type);
    for (d = 0; d < 4 && launches; d++)
        for (i = 0; i < PEERS_ROW; i++) EXPECT_IN(out[d * PEERS_ROW + i] == want, type);
    for (d = 1; d < 4; d++) EXPECT_IN(memcmp(out, out + d * PEERS_ROW, PEERS_ROW * sizeof *out) == 0, type);
    xlagpu_rt_clique_close(q);
    xlagpu_destroy(c);
}
static void check_peers(bool launches) {
    static const char *const types[] = {"f32", "f64", "f16", "bf16", "f8e4m3fn", "f8e5m2", "s8", "s16", "s32", "s64",
        "u8", "u16", "u32", "u64", "c64", "c128"};
    static const char *const ops[] = {"add", "multiply", "minimum", "maximum"};
    size_t k, j;
    for (k = 0; k < sizeof types / sizeof *types; k++)
        for (j = 0; j < 4; j++) {
            bool is_complex = types[k][0] == 'c', narrow = types[k][0] == 'f' && types[k][1] == '8';
            if ((is_complex && j) || (narrow && j < 2)) continue; /* as HLO has it; not every sum is an f8 */
            peers_case(types[k], ops[j], (int)(j % 2), 1 + (int)(k % (3 - j % 2)), launches);
        }
    peers_order("f32", 33554432, 1, launches);
    peers_order("f64", 33554432, 2, false);
}
/* The same by multicast objects, where PTX has instructions for it. */
static void check_multimem(bool launches) {
    static const char *const sums[] = {"f32", "f64", "f16", "bf16", "s32", "u32", "s64", "u64"};
    static const char *const others[] = {"f32", "f16", "bf16", "f64"};
    size_t k;
    peers_device = PEERS_SLOW_LINKS;
    peers_kernel = "peers_multimem";
    for (k = 0; k < sizeof sums / sizeof *sums; k++) {
        peers_case(sums[k], "add", 0, 1 + (int)(k % 3), launches);
        if (k < 4) continue;
        peers_case(sums[k], "minimum", 0, 1, launches);
        peers_case(sums[k], "maximum", 0, 1, launches);
    }
    peers_order("f32", 33554432, 1, launches);
    peers_order("bf16", 512, 2, launches); /* added as f32 */
    peers_kernel = "peers_all_reduce";
    for (k = 0; k < sizeof others / sizeof *others; k++)
        peers_case(others[k], k % 2 ? "maximum" : "multiply", 0, 1, launches);
    peers_case("f32", "add", 1, 1, launches); /* of two devices each reads less */
    peers_device = "";
    peers_kernel = "peers";
}
#endif
