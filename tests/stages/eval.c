/* tests/stages/eval.c -- evaluates a module and prints its result.
 *
 * Arguments are literals in comments behind the module, one a parameter:  // arg: {1, 2, 3}
 * They are read as the parameters' shapes. Words of the stage's line: `fill` gives elided constants values, `work=N`
 * limits the work, `nans` keeps the sign of NaNs (otherwise all print as nan, since machines make different ones),
 * `seed=N` seeds rng, `devices=N` evaluates so many devices together (their arguments one device after another, one
 * result a line).
 * infeed reads "// host: VALUE" comments, outfeed writes to the output; the custom call test.sum adds up s32 arrays. */

static const char *stage_eval_find(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    for (; at + n <= end; at++)
        if (memcmp(at, word, n) == 0) return at;
    return NULL;
}

static void stage_eval_plain_nans(const xg_literal *l) {
    const xg_float_format *f;
    xlagpu_type real;
    size_t bytes, n, k;
    uint32_t e;
    if (l->shape->type == XLAGPU_TUPLE) {
        for (e = 0; e < l->shape->n_elems; e++) stage_eval_plain_nans(l->elems[e]);
        return;
    }
    real = xg_type_real(l->shape->type);
    f = xg_float_format_of(real);
    if (!f || !f->has_nan || f->nan_is_negative_zero || !l->data) return;
    bytes = (size_t)xg_type_bytes(real);
    n = (size_t)l->shape->elements * (real == l->shape->type ? 1 : 2);
    for (k = 0; k < n; k++) {
        unsigned char *p = (unsigned char *)l->data + k * bytes;
        double v = xg_float_load(real, p);
        if (v != v) xg_float_store(real, p, xg_f64_nan());
    }
}

/* The host of infeed, outfeed and host transfers: reads the next "// host:", writes what it is given to the output. */
typedef struct stage_host {
    xg_stage *io;
    const char *at;
} stage_host;
static const xg_literal *stage_eval_from_host(
    void *user, xg_arena *a, const xg_inst *i, uint32_t device, const xg_shape *shape) {
    stage_host *h = (stage_host *)user;
    const char *at = stage_eval_find(h->at, h->io->in.text + h->io->in.size, "// host:");
    size_t from;
    const xg_literal *l;
    (void)i;
    (void)device;
    if (!at) return NULL;
    from = (size_t)(at + 8 - h->io->in.text);
    l = xg_literal_parse(h->io->ctx, a, &h->io->in, &from, shape);
    h->at = h->io->in.text + from;
    return l;
}
static bool stage_eval_to_host(void *user, const xg_inst *i, uint32_t device, const xg_literal *value) {
    stage_host *h = (stage_host *)user;
    xg_printf(&h->io->out, "%.*s on device %u: ", (int)i->name.n, i->name.p, device);
    xg_literal_print(&h->io->out, value, true);
    xg_puts(&h->io->out, "\n");
    return true;
}
/* A registered custom call: the sum of its operands, s32 arrays. */
static bool stage_eval_sum(
    void *user, const xg_inst *call, const xg_literal *const *operands, uint32_t n, xg_literal *result) {
    uint32_t k;
    int64_t e;
    (void)user;
    (void)call;
    for (k = 0; k < n; k++)
        if (operands[k]->shape->type != XLAGPU_S32 || operands[k]->shape->elements != result->shape->elements)
            return false;
    for (e = 0; e < result->shape->elements; e++)
        for (k = 0; k < n; k++) ((int32_t *)result->data)[e] += ((const int32_t *)operands[k]->data)[e];
    return true;
}

static uint32_t stage_eval_number(const char *args, const char *word, uint32_t otherwise) {
    const char *at = strstr(args, word);
    return at ? (uint32_t)atol(at + strlen(word)) : otherwise;
}

static void stage_eval(xg_stage *io) {
    static const xg_eval_target sum = {"test.sum", stage_eval_sum, NULL};
    xg_module *m = xg_hlo_parse(io->ctx, io->arena, &io->in);
    const char *at = io->in.text, *end = io->in.text + io->in.size;
    uint32_t devices = stage_eval_number(io->args, "devices=", 1), n_params = m->entry->n_params, n = 0, d;
    const xg_literal **args = XG_NEW_N(io->arena, const xg_literal *, n_params *(size_t)devices + 1), *const * results;
    const xg_literal *const **rows = XG_NEW_N(io->arena, const xg_literal *const *, devices);
    xg_eval_options o;
    stage_host host;
    xg_hlo_verify(m);
    memset(&o, 0, sizeof o);
    host.io = io;
    host.at = io->in.text;
    o.host = &host;
    o.from_host = stage_eval_from_host;
    o.to_host = stage_eval_to_host;
    o.calls = &sum;
    o.n_calls = 1;
    o.fill_elided = strstr(io->args, "fill") != NULL;
    o.max_work = stage_eval_number(io->args, "work=", 0);
    o.seed = stage_eval_number(io->args, "seed=", 0);
    while ((at = stage_eval_find(at, end, "// arg:")) != NULL && n < n_params * devices) {
        size_t from = (size_t)(at + 7 - io->in.text);
        args[n] = xg_literal_parse(io->ctx, io->arena, &io->in, &from, m->entry->params[n % n_params]->shape);
        at = io->in.text + from;
        n++;
    }
    for (d = 0; d < devices; d++) rows[d] = args + (size_t)d * n_params;
    if (n < n_params * devices)
        xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "%u arguments were given, %u are needed", n, n_params * devices);
    results = xg_eval_replicas(m, io->arena, rows, n_params, devices, &o);
    for (d = 0; d < devices; d++) {
        if (!strstr(io->args, "nans")) stage_eval_plain_nans(results[d]);
        xg_literal_print(&io->out, results[d], true);
        if (devices > 1) xg_puts(&io->out, "\n");
    }
}
