/* tests/programs/collectives.h -- every collective, type and reducer on four devices, each on a thread of its own.
 *
 * Each device gets other numbers; what collectives must give is written down here from their definition, element by
 * element. Who includes it says DEVICES, MOST, COLLECTIVE_TYPES (that are reduced), and
 * which devices: open_clique. */
#ifndef XLAGPU_TESTS_COLLECTIVES_H
#define XLAGPU_TESTS_COLLECTIVES_H

/* The executable, to be freed by its context. */
static xlagpu_bytes compile(xlagpu_context *c, const char *text) {
    xlagpu_module *m = xlagpu_parse(c, "clique", text, strlen(text));
    xlagpu_compile_desc d;
    xlagpu_bytes exe = {NULL, 0};
    memset(&d, 0, sizeof d);
    d.target.name = "sm_90a";
    if (m) exe = xlagpu_compile(m, &d);
    if (!exe.data) printf("%s\n", xlagpu_error(c));
    return exe;
}

/* ---- every collective, on a thread for each device ---- */

typedef struct one {
    pthread_t thread;
    xlagpu_execution *execution;
    xlagpu_buffer in, out;
    xlagpu_status status;
} one;
static void *run_one(void *user) {
    one *o = (one *)user;
    o->status = xlagpu_rt_execute(o->execution, &o->in, &o->out, NULL);
    if (o->status == XLAGPU_OK) o->status = xlagpu_rt_execution_wait(o->execution);
    return NULL;
}
/* What device d has of element i: small, different everywhere, never 0. */
static double input(int d, int i) { return 1 + (d * 5 + i * 3) % 7; }

typedef double (*wanted)(int device, int i);
static void check(const char *what, const char *text, int in, int out, wanted want) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c, text);
    xlagpu_clique *q = open_clique(DEVICES, 0, NULL);
    xlagpu_program *p = exe.data ? xlagpu_rt_clique_load(q, exe.data, exe.size) : NULL;
    one all[DEVICES];
    int d, i;
    if (!EXPECT_IN(p != NULL, what)) printf("%s: %s\n", what, xlagpu_rt_clique_error(q));
    for (d = 0; p && d < DEVICES; d++) {
        float x[MOST];
        xlagpu_device *on = xlagpu_rt_clique_device(q, (uint32_t)d);
        all[d].execution = xlagpu_rt_prepare(xlagpu_rt_clique_program(p, (uint32_t)d));
        xlagpu_rt_alloc(on, MOST * sizeof *x, &all[d].in);
        xlagpu_rt_alloc(on, MOST * sizeof *x, &all[d].out);
        for (i = 0; i < in; i++) x[i] = (float)input(d, i);
        xlagpu_rt_upload(on, all[d].in, x, (size_t)in * sizeof *x);
    }
    for (d = 0; p && d < DEVICES; d++) pthread_create(&all[d].thread, NULL, run_one, &all[d]);
    for (d = 0; p && d < DEVICES; d++) pthread_join(all[d].thread, NULL);
    for (d = 0; p && d < DEVICES; d++) {
        float y[MOST];
        if (!EXPECT_IN(all[d].status == XLAGPU_OK, what)) {
            printf("%s: %s\n", what, xlagpu_rt_execution_error(all[d].execution));
            continue;
        }
        xlagpu_rt_download(xlagpu_rt_clique_device(q, (uint32_t)d), y, all[d].out, (size_t)out * sizeof *y);
        for (i = 0; i < out; i++)
            if (!EXPECT_IN((double)y[i] == want(d, i), what))
                printf("%s: device %d, element %d: %g, not %g\n", what, d, i, (double)y[i], want(d, i));
    }
    xlagpu_rt_clique_close(q);
    xlagpu_destroy(c);
}

#define ADD "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
#define MAIN "ENTRY e { q = u32[] partition-id()\n"
#define ALL "replica_groups={{0,1,2,3}}, channel_id=1, use_global_device_ids=true"
#define HALVES "replica_groups={{0,2},{3,1}}, channel_id=1, use_global_device_ids=true"
/* The members of a device's group of HALVES, in order; and the device's place. */
static int half(int d, int k) { return d % 2 ? (k ? 1 : 3) : 2 * k; }
static int place(int d) { return half(d, 0) == d ? 0 : 1; }

static double sum_all(int d, int i) {
    (void)d;
    return input(0, i) + input(1, i) + input(2, i) + input(3, i);
}
static double sum_half(int d, int i) { return input(half(d, 0), i) + input(half(d, 1), i); }
static double sum_some(int d, int i) { return d ? sum_all(d, i) - input(0, i) : input(0, i); }
static double scattered(int d, int i) { return sum_half(d, place(d) * 6 + i); } /* f32[4,3] along 0: rows */
static double scattered_1(int d, int i) { return sum_half(d, i / 2 * 4 + place(d) * 2 + i % 2); } /* f32[3,4] along 1 */
static double gathered(int d, int i) { return input(half(d, i / 6), i % 6); }                     /* f32[2,3] along 0 */
static double gathered_1(int d, int i) { return input(half(d, i % 6 / 3), i / 6 * 3 + i % 3); }
static double exchanged(int d, int i) { return input(half(d, i / 6), place(d) * 6 + i % 6); } /* f32[4,3] along 0 */
static double exchanged_1(int d, int i) {                                                     /* f32[3,4] along 1 */
    return input(half(d, i % 4 / 2), i / 4 * 4 + place(d) * 2 + i % 2);
}
/* (a, b) = all-to-all(a, b), f32[2,3] each, joined: operand `place` of both members */
static double swapped(int d, int i) { return input(half(d, i / 6), place(d) * 6 + i % 6); }
static double permuted(int d, int i) { return d == 1 ? input(0, i) : d == 2 ? input(1, i) : 0; }
static double sent(int d, int i) { return input(half(d, 0), i); }
static double folded(int d, int i) { /* x + 2 y, in the order of the group's members */
    (void)d;
    return ((input(0, i) + 2 * input(1, i)) + 2 * input(2, i)) + 2 * input(3, i);
}
static double fold_scattered(int d, int i) { return folded(d, d * 2 + i); }
static double looped(int d, int i) {
    (void)d;
    return 64 * sum_all(0, i); /* the sum of all, then three times four of the same */
}
static double twice(int d, int i) { return 2 * sum_half(d, i); }
static double replica_sum(int d, int i) { return input(d % 2, i) + input(2 + d % 2, i); } /* 2 x 2: partition d % 2 */
static double ids(int d, int i) { return i ? d % 2 : d / 2; }
/* Rows of two: device d sends d + 1 rows from row 0 to row d of device (d + 1) % 4. */
static double ragged(int d, int i) {
    int from = (d + 3) % 4, row = i / 2;
    return row >= from && row <= 2 * from ? input(from, (row - from) * 2 + i % 2) : -1;
}

static void check_collectives(void) {
    check("all-reduce",
        "HloModule m, num_partitions=4\n" ADD MAIN "x = f32[5] parameter(0)\n ROOT y = f32[5] all-reduce(x), " ALL
        ", to_apply=add }",
        5, 5, sum_all);
    check("all-reduce of halves",
        "HloModule m, num_partitions=4\n" ADD MAIN "x = f32[5] parameter(0)\n ROOT y = f32[5] all-reduce(x), " HALVES
        ", to_apply=add }",
        5, 5, sum_half);
    check("groups of different sizes",
        "HloModule m, num_partitions=4\n" ADD MAIN
        "x = f32[5] parameter(0)\n ROOT y = f32[5] all-reduce(x), replica_groups={{0},{1,2,3}}, channel_id=1, "
        "use_global_device_ids=true, to_apply=add }",
        5, 5, sum_some);
    check("reduce-scatter",
        "HloModule m, num_partitions=4\n" ADD MAIN
        "x = f32[4,3] parameter(0)\n ROOT y = f32[2,3] reduce-scatter(x), dimensions={0}, " HALVES ", to_apply=add }",
        12, 6, scattered);
    check("reduce-scatter along 1",
        "HloModule m, num_partitions=4\n" ADD MAIN
        "x = f32[3,4] parameter(0)\n ROOT y = f32[3,2] reduce-scatter(x), dimensions={1}, " HALVES ", to_apply=add }",
        12, 6, scattered_1);
    check("all-gather",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[2,3] parameter(0)\n ROOT y = f32[4,3] all-gather(x), dimensions={0}, " HALVES " }",
        6, 12, gathered);
    check("all-gather along 1",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[2,3] parameter(0)\n ROOT y = f32[2,6] all-gather(x), dimensions={1}, " HALVES " }",
        6, 12, gathered_1);
    check("all-gather of another layout",
        "HloModule m, num_partitions=4\n" MAIN "x = f32[2,3] parameter(0)\n t = f32[2,3]{0,1} copy(x)\n g = "
        "f32[4,3]{0,1} all-gather(t), dimensions={0}, " HALVES "\n ROOT y = f32[4,3]{1,0} copy(g) }",
        6, 12, gathered);
    check("all-gather, begun and ended",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[2,3] parameter(0)\n s = (f32[2,3], f32[4,3]) all-gather-start(x), dimensions={0}, " HALVES
        "\n ROOT y = f32[4,3] all-gather-done(s) }",
        6, 12, gathered);
    check("all-to-all",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[4,3] parameter(0)\n ROOT y = f32[4,3] all-to-all(x), dimensions={0}, replica_groups={{0,2},{3,1}}, "
        "channel_id=1 }",
        12, 12, exchanged);
    check("all-to-all along 1",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[3,4] parameter(0)\n ROOT y = f32[3,4] all-to-all(x), dimensions={1}, replica_groups={{0,2},{3,1}}, "
        "channel_id=1 }",
        12, 12, exchanged_1);
    check("all-to-all of two",
        "HloModule m, num_partitions=4\n" MAIN "x = f32[4,3] parameter(0)\n a = f32[2,3] slice(x), slice={[0:2], "
        "[0:3]}\n b = f32[2,3] slice(x), slice={[2:4], "
        "[0:3]}\n t = (f32[2,3], f32[2,3]) all-to-all(a, b), replica_groups={{0,2},{3,1}}, channel_id=1\n c = f32[2,3] "
        "get-tuple-element(t), index=0\n d = f32[2,3] get-tuple-element(t), index=1\n ROOT y = f32[4,3] concatenate(c, "
        "d), dimensions={0} }",
        12, 12, swapped);
    check("collective-permute",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[5] parameter(0)\n ROOT y = f32[5] collective-permute(x), source_target_pairs={{0,1},{1,2}}, "
        "channel_id=1 }",
        5, 5, permuted);
    check("send and recv",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[5] parameter(0)\n t = token[] after-all()\n s = (f32[5], u32[], token[]) send(x, t), channel_id=7, "
        "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2}}\"}\n r = (f32[5], u32[], token[]) "
        "recv(t), channel_id=7, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2}}\"}\n v = "
        "token[] "
        "send-done(s), channel_id=7\n w = (f32[5], token[]) recv-done(r), channel_id=7\n ROOT y = f32[5] "
        "get-tuple-element(w), index=0 }",
        5, 5, permuted);
    check("collective-broadcast",
        "HloModule m, num_partitions=4\n" MAIN "x = f32[5] parameter(0)\n ROOT y = f32[5] collective-broadcast(x), "
        "replica_groups={{0,2},{3,1}}, channel_id=1 }",
        5, 5, sent);
    check("a reducer of its own",
        "HloModule m, num_partitions=4\n"
        "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] add(b, b)\n ROOT d = f32[] add(a, c) }\n" MAIN
        "x = f32[5] parameter(0)\n ROOT y = f32[5] all-reduce(x), " ALL ", to_apply=f }",
        5, 5, folded);
    check("and scattered",
        "HloModule m, num_partitions=4\n"
        "f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] add(b, b)\n ROOT d = f32[] add(a, c) }\n" MAIN
        "x = f32[8] parameter(0)\n ROOT y = f32[2] reduce-scatter(x), dimensions={0}, " ALL ", to_apply=f }",
        8, 2, fold_scattered);
    check("in a loop",
        "HloModule m, num_partitions=4\n" ADD
        "below { s = (s32[], f32[5]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(4)\n "
        "ROOT c = pred[] compare(i, n), direction=LT }\n"
        "step { s = (s32[], f32[5]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n x = f32[5] "
        "get-tuple-element(s), index=1\n o = s32[] constant(1)\n j = s32[] add(i, o)\n y = f32[5] all-reduce(x), " ALL
        ", to_apply=add\n ROOT t = (s32[], f32[5]) tuple(j, y) }\n" MAIN
        "x = f32[5] parameter(0)\n z = s32[] constant(0)\n i = (s32[], f32[5]) tuple(z, x)\n w = (s32[], f32[5]) "
        "while(i), condition=below, body=step\n ROOT y = f32[5] get-tuple-element(w), index=1 }",
        5, 5, looped);
    check("several operands",
        "HloModule m, num_partitions=4\n" ADD MAIN
        "x = f32[5] parameter(0)\n z = f32[5] add(x, x)\n t = (f32[5], f32[5]) all-reduce(x, z), " HALVES
        ", to_apply=add\n ROOT y = f32[5] get-tuple-element(t), index=1 }",
        5, 5, twice);
    check("replicas",
        "HloModule m, replica_count=2, num_partitions=2\n" ADD MAIN
        "x = f32[5] parameter(0)\n ROOT y = f32[5] all-reduce(x), replica_groups={}, to_apply=add }",
        5, 5, replica_sum);
    check("replicas and partitions",
        "HloModule m, replica_count=2, num_partitions=2\n" ADD MAIN
        "x = f32[5] parameter(0)\n ROOT y = f32[5] all-reduce(x), replica_groups={{0,1}}, channel_id=1, to_apply=add }",
        5, 5, sum_all);
    check("numbers of devices",
        "HloModule m, replica_count=2, num_partitions=2\n" MAIN
        "x = f32[2] parameter(0)\n r = u32[] replica-id()\n a = f32[] convert(r)\n b = f32[] convert(q)\n c = f32[1] "
        "reshape(a)\n d = f32[1] reshape(b)\n ROOT y = f32[2] concatenate(c, d), dimensions={0} }",
        2, 2, ids);
    check("ragged-all-to-all",
        "HloModule m, num_partitions=4\n" MAIN
        "x = f32[4,2] parameter(0)\n one = s32[] constant(1)\n z = s32[4] constant({0, 0, 0, 0})\n m = f32[] "
        "constant(-1)\n o = f32[8,2] broadcast(m), dimensions={}\n d = s32[] convert(q)\n n = s32[] add(d, one)\n w = "
        "s32[4] iota(), iota_dimension=0\n four = s32[] constant(4)\n to = s32[] remainder(n, four)\n tb = s32[4] "
        "broadcast(to), dimensions={}\n is = pred[4] compare(w, tb), direction=EQ\n nb = s32[4] broadcast(n), "
        "dimensions={}\n size = s32[4] select(is, nb, z)\n db = s32[4] broadcast(d), dimensions={}\n ROOT y = f32[8,2] "
        "ragged-all-to-all(x, o, z, size, db, z), replica_groups={{0,1,2,3}}, channel_id=1 }",
        8, 16, ragged);
}

/* Types and reducers: numbers that every one of them holds. */
static double (*reduce)(double a, double b);
static double plus(double a, double b) { return a + b; }
static double times(double a, double b) { return a * b; }
static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }
static double reduced(int d, int i) { return reduce(input(half(d, 0), i), input(half(d, 1), i)); }
static void check_types(void) {
    static const char *const types[] = {COLLECTIVE_TYPES};
    static const char *const names[] = {"add", "multiply", "minimum", "maximum"};
    static double (*const reducers[])(double, double) = {plus, times, least, most};
    char text[1024], what[64];
    size_t t, k;
    for (t = 0; t < sizeof types / sizeof *types; t++)
        for (k = 0; k < 4; k++) {
            bool complex = types[t][0] == 'c';
            if ((complex && k) || (!strcmp(types[t], "f8e4m3fn") && k == 1)) continue; /* f8 does not hold 21 */
            snprintf(what, sizeof what, "%s of %s", names[k], types[t]);
            snprintf(text, sizeof text,
                "HloModule m, num_partitions=4\nf { a = %s[] parameter(0)\n b = %s[] parameter(1)\n ROOT c = %s[] "
                "%s(a, b) "
                "}\n" MAIN "x = f32[5] parameter(0)\n v = %s[5] convert(x)\n r = %s[5] all-reduce(v), " HALVES
                ", to_apply=f\n w = %s[5] %s(r)\n ROOT y = f32[5] convert(w) }",
                types[t], types[t], types[t], names[k], types[t], types[t], complex ? "f32" : types[t],
                complex ? "real" : "copy");
            reduce = reducers[k];
            check(what, text, 5, 5, reduced);
        }
}

#endif
