/* libraries_attention.h -- attention that cuDNN makes, over its imitation. Included by tests/programs/libraries.c. Law:
 * each form is one call whose result is the evaluator's; each failing call is a status that names the library and the
 * instruction; nothing is left. */
#include "libraries_run.h"
#define DOT(c1, c2, b1, b2) \
    "{\"lhs_contracting_dimensions\":[\"" c1 "\"],\"rhs_contracting_dimensions\":[\"" c2 \
    "\"],\"lhs_batch_dimensions\":[" b1 "],\"rhs_batch_dimensions\":[" b2 "]}"
#define HEADS_FIRST \
    "\"bmm1_dot_dimension_numbers\":" DOT("3", "3", "\"0\",\"1\"", \
        "\"0\",\"1\"") ",\"bmm2_dot_dimension_numbers\":" DOT("3", "2", "\"0\",\"1\"", "\"0\",\"1\"")
#define HEADS_INSIDE \
    "\"bmm1_dot_dimension_numbers\":" DOT("3", "3", "\"0\",\"2\"", \
        "\"0\",\"2\"") ",\"bmm2_dot_dimension_numbers\":" DOT("3", "1", "\"0\",\"1\"", "\"0\",\"2\"")
#define FMHA(result, operands, word, scale, mask, dims) \
    "c = (" result ", u8[0]) custom-call(" operands "), custom_call_target=\"__cudnn$fmha" word "Softmax\", " \
    "backend_config={\"cudnn_fmha_backend_config\":{\"fmha_scale\":" scale ",\"mask_type\":\"" mask "\"," dims \
    ",\"dropout_rate\":0}}\nROOT r = " result " get-tuple-element(c), index=0\n"
#define QKV(q, k, v) "p0 = " q " parameter(0)\np1 = " k " parameter(1)\np2 = " v " parameter(2)\n"
/* Heads first or inside, heads that share keys, fewer queries than keys, a bias of all heads or of each batch. The last
 * one is as a module says it, with a quotient as its scale and the mask the other way round. */
static const char *const attention_samples[] = {
    QKV("bf16[2,16,4,8]", "bf16[2,16,4,8]", "bf16[2,16,4,16]")
        FMHA("bf16[2,4,16,16]", "p0, p1, p2", "", "0.125", "CAUSAL", HEADS_INSIDE),
    QKV("f16[2,4,8,16]", "f16[2,2,24,16]", "f16[2,2,24,8]")
        FMHA("f16[2,4,8,8]", "p0, p1, p2", "", "0.25", "NO_MASK", HEADS_FIRST),
    QKV("bf16[2,6,16,8]", "bf16[2,2,16,8]", "bf16[2,2,16,8]")
        FMHA("bf16[2,6,16,8]", "p0, p1, p2", "", "1", "CAUSAL", HEADS_FIRST),
    QKV("bf16[2,2,8,8]", "bf16[2,2,24,8]", "bf16[2,2,24,8]") "p3 = f32[1,2,8,24] parameter(3)\n" FMHA(
        "bf16[2,2,8,8]", "p0, p1, p2, p3", "ScaleBias", "0.125", "NO_MASK", HEADS_FIRST),
    QKV("bf16[2,8,2,8]", "bf16[2,8,2,8]", "bf16[2,8,2,8]") "p3 = bf16[2,1,1,8] parameter(3)\n" FMHA(
        "bf16[2,2,8,8]", "p0, p1, p2, p3", "ScaleBias", "0.125", "CAUSAL", HEADS_INSIDE),
    QKV("f16[2,16,8]", "f16[2,16,8]",
        "f16[2,16,8]") "s = f32[2,16,16] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                       "lhs_contracting_dims={2}, "
                       "rhs_contracting_dims={2}\nc = f32[] constant(8)\ncb = f32[2,16,16] broadcast(c), "
                       "dimensions={}\n"
                       "q = f32[2,16,16] divide(s, cb)\ni = s32[16] iota(), iota_dimension=0\n"
                       "row = s32[2,16,16] broadcast(i), dimensions={1}\nkey = s32[2,16,16] broadcast(i), "
                       "dimensions={2}\n"
                       "over = pred[2,16,16] compare(key, row), direction=GT\nn = f32[] constant(-1e9)\n"
                       "nb = f32[2,16,16] broadcast(n), dimensions={}\nm = f32[2,16,16] select(over, nb, q)\n"
                       "low = f32[] constant(-inf)\nt = f32[2,16] reduce(m, low), dimensions={2}, to_apply=top\n"
                       "tb = f32[2,16,16] broadcast(t), dimensions={0,1}\nd = f32[2,16,16] subtract(m, tb)\n"
                       "e = f32[2,16,16] exponential(d)\nz = f32[] constant(0)\n"
                       "l = f32[2,16] reduce(e, z), dimensions={2}, to_apply=sum\nlb = f32[2,16,16] broadcast(l), "
                       "dimensions={0,1}\n"
                       "w = f32[2,16,16] divide(e, lb)\nwn = f16[2,16,16] convert(w)\n"
                       "ROOT o = f16[2,16,8] dot(wn, p2), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                       "lhs_contracting_dims={2}, "
                       "rhs_contracting_dims={1}\n"};
enum {
    ATTENTION_SAMPLES = sizeof attention_samples / sizeof *attention_samples
};
static bool begin_attention(xlagpu_context *c, const char *body, library_run *r) {
    char text[4000];
    snprintf(text, sizeof text,
        "top { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }\n"
        "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] add(a, b) }\nENTRY e {\n%s}\n",
        body);
    return begin_run(c, "cudnn,always", text, r) && EXPECT(r->report.library_calls == 1);
}
/* Weights are rounded to 8 or 11 bits: where an exponential is another one in its last place, so may a weight be. */
static bool attention_agrees(const library_run *r) {
    size_t item = xlagpu_type_bytes(r->type), k;
    for (k = 0; k < r->taken[0].bytes / item; k++) {
        double want = xlagpu_get_element(r->type, (const char *)r->want[0] + k * item);
        double got = xlagpu_get_element(r->type, (const char *)r->got[0] + k * item);
        if (fabs(want - got) <= 0.008 * (1 + fabs(want))) continue;
        printf("  number %u: %.9g is wanted, %.9g came\n", (unsigned)k, want, got);
        return false;
    }
    return true;
}
static void attention(xlagpu_context *c) {
    static library_run r;
    size_t k;
    for (k = 0; k < ATTENTION_SAMPLES; k++) {
        xlagpu_device *d = open_with(FOLDER);
        long before = fakes[DNN]->products;
        if (begin_attention(c, attention_samples[k], &r)) {
            if (!EXPECT(go(d, &r) == XLAGPU_OK)) printf("%s\n", xlagpu_rt_error(d));
            if (!EXPECT(attention_agrees(&r))) printf("%s", attention_samples[k]);
            EXPECT(fakes[DNN]->products == before + 1);
        }
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && fakes[DNN]->live == 0);
    }
}
static void attention_failures(xlagpu_context *c) {
    static library_run r;
    if (begin_attention(c, attention_samples[4], &r))
        fail_in_turn(fakes[DNN], "cuDNN", 201, r.exe, r.given, r.n, r.taken, r.n_results);
}
