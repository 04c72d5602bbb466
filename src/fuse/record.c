/* fuse/record.c -- how a kernel is made: the record of a fusion, in its backend_config.
 *
 *     backend_config={"xlagpu_kernel":{"emitter":"loop","form":{"vector":"4"},
 *                     "launch":{"grid":["98"],"block":["128"]},"over":[["0"]],"why":"..."}}
 *
 *   emitter, rule or library   the way, by its text name (choice/choice.h has the table)
 *   form       numbers by which the way walks; each way has names of its own
 *   launch     grid and block by x, y, z, what is left out is 1; cluster: blocks that reach each other's shared memory;
 *              shared_bytes: what arrays in shared memory take; resident: blocks that a multiprocessor is to hold at
 *              once, which is how many registers a thread may have; scratch_bytes, counters: device memory beside
 *              operands and results, of the latter words that are 0 before and after
 *   backend    ptx or llvm: who prints it, where that is not the compilation's
 *   over       for each result, the operands whose memory it may take
 *   estimates  picoseconds by way, where several were tried
 *   why        for the reader
 *
 * The pass kernel-choice writes it; later passes read it and decide nothing again. A record that a module
 * brings is an order: what it leaves out is decided, what it says is obeyed, or refused with the reason. */
#ifndef XG_FUSE_RECORD_C
#define XG_FUSE_RECORD_C
#include "fuse.h"

static const char xg_record_key[] = "xlagpu_kernel";

typedef struct xg_launch_row {
    char name[14];
    uint16_t at;
} xg_launch_row;
XG_TABLE const xg_launch_row xg_launch_rows[] = {
#define X(field, text) {text, offsetof(xg_launch, field)},
    XG_LAUNCH_NUMBERS(X)
#undef X
};
XG_FN int64_t *xg_launch_number(const xg_launch *l, uint32_t k) {
    return (int64_t *)(void *)((char *)(uintptr_t)l + xg_launch_rows[k].at);
}

/* ---- making ---- */

XG_FN void xg_record_put(xg_arena *a, xg_numbers_list *to, const char *name, const int64_t *p, uint32_t n) {
    int64_t *kept = XG_NEW_N(a, int64_t, n + (size_t)1);
    xg_numbers item;
    memset(&item, 0, sizeof item);
    item.name = xg_str_z(name);
    item.n = n;
    if (n) memcpy(kept, p, n * sizeof *p); /* of none p may be NULL */
    item.p = kept;
    xg_push(a, xg_numbers, to, item);
}
XG_FN void xg_record_put_word(xg_arena *a, xg_numbers_list *to, const char *name, const char *word) {
    int64_t none = 0;
    xg_record_put(a, to, name, &none, 0);
    to->p[to->n - 1].word = xg_str_z(word);
}
XG_FN const xg_numbers *xg_record_get(const xg_numbers_list *from, const char *name) {
    uint32_t k;
    for (k = 0; k < from->n; k++)
        if (xg_str_is(from->p[k].name, name)) return &from->p[k];
    return NULL;
}
XG_FN void xg_record_change(xg_numbers_list *in, const char *name, const int64_t *p) {
    uint32_t k;
    for (k = 0; k < in->n; k++)
        if (xg_str_is(in->p[k].name, name)) in->p[k].p = p;
}
XG_FN bool xg_record_may_share(const xg_record *r, uint32_t operand, uint32_t leaf) {
    return leaf < r->n_results && xg_ints_at(r->over[leaf], operand, NULL);
}

/* ---- obeying ---- */

XG_FN bool xg_record_extent_differs(const uint32_t *a, const uint32_t *b) { return memcmp(a, b, 3 * sizeof *a) != 0; }
/* The item is what was ordered; a number that is not there is 0. */
XG_APART XG_FN bool xg_record_is(const xg_numbers *want, const xg_numbers *is) {
    if (!is) return want->n == 1 && want->p[0] == 0;
    return is->n == want->n && xg_str_eq(is->word, want->word) &&
           (!is->n || memcmp(is->p, want->p, want->n * sizeof *is->p) == 0);
}
/* What was made of an order says nothing else; NULL, or what it does not obey. */
XG_FN const char *xg_record_disobeys(const xg_record *given, const xg_record *made) {
    uint32_t k;
    for (k = 0; k < given->form.n; k++) {
        const xg_numbers *want = &given->form.p[k];
        if (!xg_record_is(want, xg_record_get(&made->form, want->name.p))) return want->name.p;
    }
    if (given->launch.blocks[0] && xg_record_extent_differs(given->launch.blocks, made->launch.blocks)) return "grid";
    if (given->launch.threads[0] && xg_record_extent_differs(given->launch.threads, made->launch.threads))
        return "block";
    for (k = 0; k < XG_COUNT(xg_launch_rows); k++) {
        int64_t want = *xg_launch_number(&given->launch, k);
        if (want && want != *xg_launch_number(&made->launch, k)) return xg_launch_rows[k].name;
    }
    return NULL;
}

XG_FN bool xg_record_is_whole(const xg_record *r) { return r->way.n && r->launch.threads[0] && r->n_results; }

/* ---- printing ---- */

XG_FN void xg_record_print_numbers(xg_buf *b, const int64_t *p, uint32_t n) {
    uint32_t k;
    xg_putc(b, '[');
    for (k = 0; k < n; k++) xg_printf(b, "%s\"%lld\"", k ? "," : "", (long long)p[k]);
    xg_putc(b, ']');
}
XG_FN void xg_record_print_item(xg_buf *b, const xg_numbers *i) {
    if (i->word.n)
        xg_printf(b, "\"%.*s\"", (int)i->word.n, i->word.p);
    else if (i->n == 1)
        xg_printf(b, "\"%lld\"", (long long)i->p[0]);
    else
        xg_record_print_numbers(b, i->p, i->n);
}
XG_FN void xg_record_print_list(xg_buf *b, const char *key, const xg_numbers_list *list) {
    uint32_t k;
    if (!list->n) return;
    xg_printf(b, ",\"%s\":{", key);
    for (k = 0; k < list->n; k++) {
        const xg_numbers *i = &list->p[k];
        xg_printf(b, "%s\"%.*s\":", k ? "," : "", (int)i->name.n, i->name.p);
        xg_record_print_item(b, i);
    }
    xg_putc(b, '}');
}
XG_FN void xg_record_print_extent(xg_buf *b, const char *key, const uint32_t *extent) {
    int64_t v[3];
    uint32_t n = 1, k;
    for (k = 0; k < 3; k++) {
        v[k] = extent[k];
        if (v[k] > 1) n = k + 1;
    }
    xg_printf(b, "\"%s\":", key);
    xg_record_print_numbers(b, v, n);
}
XG_FN void xg_record_print_launch(xg_buf *b, const xg_launch *l) {
    uint32_t k;
    xg_puts(b, ",\"launch\":{");
    xg_record_print_extent(b, "grid", l->blocks);
    xg_putc(b, ',');
    xg_record_print_extent(b, "block", l->threads);
    for (k = 0; k < XG_COUNT(xg_launch_rows); k++) {
        int64_t n = *xg_launch_number(l, k);
        if (n) xg_printf(b, ",\"%s\":\"%lld\"", xg_launch_rows[k].name, (long long)n);
    }
    xg_putc(b, '}');
}
XG_FN void xg_record_print_way(xg_buf *b, const xg_record *r) {
    xg_printf(b, "\"%.*s\":\"%.*s\"", (int)r->kind.n, r->kind.p, (int)r->way.n, r->way.p);
    xg_record_print_list(b, "form", &r->form);
    if (r->launch.threads[0]) xg_record_print_launch(b, &r->launch);
#ifndef XLAGPU_SMALL
    if (r->backend.n) xg_printf(b, ",\"backend\":\"%.*s\"", (int)r->backend.n, r->backend.p);
#endif
}
XG_FN void xg_record_print(xg_buf *b, const xg_record *r) {
    uint32_t k;
    xg_putc(b, '{');
    xg_record_print_way(b, r);
    xg_puts(b, ",\"over\":[");
    for (k = 0; k < r->n_results; k++) {
        if (k) xg_putc(b, ',');
        xg_record_print_numbers(b, r->over[k].p, r->over[k].n);
    }
    xg_putc(b, ']');
    xg_record_print_list(b, "estimates", &r->estimates);
    if (r->why.n) xg_printf(b, ",\"why\":\"%.*s\"", (int)r->why.n, r->why.p);
    xg_putc(b, '}');
}
XG_FN void xg_record_write(xg_inst *fusion, const xg_record *r) {
    xg_module *m = fusion->comp->module;
    xg_mark none = xg_arena_mark(m->work);
    xg_str old = xg_config_object(m->work, xg_attr_str(fusion, XG_A_backend_config)), text;
    xg_buf b;
    xg_buf_init(&b, m->work);
    xg_record_print(&b, r);
    text = xg_config_with(m->work, old, xg_record_key, xg_str_of(b.p, b.n));
    xg_inst_set_str(fusion, XG_A_backend_config, text);
    xg_arena_reset(m->work, none);
}
XG_FN void xg_record_remove(xg_inst *fusion) {
    xg_module *m = fusion->comp->module;
    xg_mark none = xg_arena_mark(m->work);
    xg_str old = xg_config_object(m->work, xg_attr_str(fusion, XG_A_backend_config));
    if (old.n) old = xg_config_with(m->work, old, xg_record_key, xg_str_of(NULL, 0));
    if (old.n > 2)
        xg_inst_set_str(fusion, XG_A_backend_config, old);
    else
        xg_inst_remove_attr(fusion, XG_A_backend_config);
    xg_arena_reset(m->work, none);
}

/* ---- reading ---- */

typedef struct xg_record_reader {
    xg_arena *arena;
    const xg_inst *fusion;
    const xg_source *from; /* that the text is of; NULL: it is the fusion's own */
} xg_record_reader;

XG_TABLE const char xg_record_hint[] = "leave it out: what is not given is decided";
XG_NORETURN XG_FN void xg_record_fail(const xg_record_reader *w, const char *key, xg_str found) {
    if (w->from)
        xg_fail_at(w->fusion->comp->module->ctx, XLAGPU_ERROR_INVALID, w->from, (size_t)(found.p - w->from->text),
            xg_record_hint, "'%s' cannot be %.*s", key, (int)XG_MIN(found.n, 80u), found.p);
    xg_hlo_fail(w->fusion, XLAGPU_ERROR_INVALID, xg_record_hint, "the record of this kernel: '%s' cannot be %.*s", key,
        (int)XG_MIN(found.n, 80u), found.p);
}
XG_FN const char *xg_record_nth_word(const void *user, size_t i) {
    XG_TABLE const char *const words[] = {"emitter", "rule", "library", "form", "launch", "over", "estimates", "why",
        "backend", "grid", "block", "cluster", "shared_bytes", "resident", "scratch_bytes", "counters"};
    (void)user;
    return i < XG_COUNT(words) ? words[i] : NULL;
}
XG_NORETURN XG_FN void xg_record_unknown(const xg_record_reader *w, xg_str key) {
    const char *nearby = xg_nearest(key, xg_record_nth_word, NULL);
    if (w->from)
        xg_fail_at(w->fusion->comp->module->ctx, XLAGPU_ERROR_INVALID, w->from, (size_t)(key.p - w->from->text), nearby,
            "'%.*s' means nothing in a record", (int)XG_MIN(key.n, 80u), key.p);
    xg_hlo_fail(w->fusion, XLAGPU_ERROR_INVALID, xg_record_hint,
        "the record of this kernel: '%.*s' means nothing there%s%s%s", (int)XG_MIN(key.n, 80u), key.p,
        nearby ? "; did you mean '" : "", nearby ? nearby : "", nearby ? "'?" : "");
}
XG_FN int64_t xg_record_read_number(const xg_record_reader *w, const char *key, xg_str value, int64_t most) {
    int64_t v;
    if (!xg_config_int(value, &v) || v < -most || v > most) xg_record_fail(w, key, value);
    return v;
}
XG_FN xg_ints xg_record_read_numbers(const xg_record_reader *w, const char *key, xg_str value, int64_t most) {
    XG_VEC(int64_t) list = {NULL, 0, 0};
    xg_str rest = xg_config_inside(value, '['), item;
    xg_ints r;
    if (!rest.p) xg_record_fail(w, key, value);
    while (xg_config_item(&rest, &item)) xg_push(w->arena, int64_t, &list, xg_record_read_number(w, key, item, most));
    r.p = list.p;
    r.n = list.n;
    return r;
}
XG_FN void xg_record_read_list(const xg_record_reader *w, const char *key, xg_str value, xg_numbers_list *to) {
    xg_str rest = xg_config_inside(value, '{'), name;
    if (!rest.p) xg_record_fail(w, key, value);
    while (xg_config_member(&rest, &name, &value)) {
        xg_numbers item;
        int64_t one;
        memset(&item, 0, sizeof item);
        item.name = xg_str_copy(w->arena, name);
        if (xg_config_inside(value, '[').p) {
            xg_ints many = xg_record_read_numbers(w, item.name.p, value, INT64_MAX);
            item.n = many.n;
            item.p = many.p;
        } else if (xg_config_int(value, &one)) {
            item.n = 1;
            item.p = (const int64_t *)memcpy(XG_NEW(w->arena, int64_t), &one, sizeof one);
        } else
            item.word = xg_config_word(value);
        xg_push(w->arena, xg_numbers, to, item);
    }
}
XG_FN void xg_record_read_extent(const xg_record_reader *w, const char *key, xg_str value, uint32_t *extent) {
    xg_ints v = xg_record_read_numbers(w, key, value, INT32_MAX);
    uint32_t k;
    if (!v.n || v.n > 3) xg_record_fail(w, key, value);
    for (k = 0; k < 3; k++) {
        if (k < v.n && v.p[k] < 1) xg_record_fail(w, key, value);
        extent[k] = k < v.n ? (uint32_t)v.p[k] : 1;
    }
}
XG_FN void xg_record_read_launch(const xg_record_reader *w, xg_str value, xg_launch *l) {
    xg_str rest = xg_config_inside(value, '{'), key;
    uint32_t k;
    if (!rest.p) xg_record_fail(w, "launch", value);
    while (xg_config_member(&rest, &key, &value)) {
        if (xg_str_is(key, "grid"))
            xg_record_read_extent(w, "grid", value, l->blocks);
        else if (xg_str_is(key, "block"))
            xg_record_read_extent(w, "block", value, l->threads);
        else {
            for (k = 0; k < XG_COUNT(xg_launch_rows) && !xg_str_is(key, xg_launch_rows[k].name); k++) {}
            if (k == XG_COUNT(xg_launch_rows)) xg_record_unknown(w, key);
            *xg_launch_number(l, k) =
                XG_MAX(xg_record_read_number(w, xg_launch_rows[k].name, value, INT32_MAX), (int64_t)0);
        }
    }
}
XG_FN void xg_record_read_over(const xg_record_reader *w, xg_str value, xg_record *r) {
    XG_VEC(xg_ints) list = {NULL, 0, 0};
    xg_str rest = xg_config_inside(value, '['), item;
    uint32_t k;
    if (!rest.p) xg_record_fail(w, "over", value);
    while (xg_config_item(&rest, &item))
        xg_push(w->arena, xg_ints, &list, xg_record_read_numbers(w, "over", item, INT32_MAX));
    if (list.n != (uint32_t)xg_shape_leaves(w->fusion->shape)) xg_record_fail(w, "over", value);
    for (k = 0; k < list.n; k++) {
        uint32_t j;
        for (j = 0; j < list.p[k].n; j++)
            if (list.p[k].p[j] < 0 || list.p[k].p[j] >= (int64_t)w->fusion->n_operands)
                xg_record_fail(w, "over", value);
    }
    r->over = list.p ? list.p : XG_NEW(w->arena, xg_ints);
    r->n_results = list.n;
}
XG_APART XG_FN void xg_record_read_member(const xg_record_reader *w, xg_str key, xg_str value, xg_record *r) {
    if (xg_str_is(key, "form"))
        xg_record_read_list(w, "form", value, &r->form);
    else if (xg_str_is(key, "launch"))
        xg_record_read_launch(w, value, &r->launch);
    else if (xg_str_is(key, "over"))
        xg_record_read_over(w, value, r);
    else if (xg_str_is(key, "estimates"))
        xg_record_read_list(w, "estimates", value, &r->estimates);
    else if (xg_str_is(key, "why"))
        r->why = xg_config_word(value);
#ifndef XLAGPU_SMALL
    else if (xg_str_is(key, "backend")) {
        r->backend = xg_config_word(value);
        if (xg_word_in("ptx llvm", r->backend) < 0) xg_record_fail(w, "backend", value);
    }
#endif
    else if (r->kind.n || xg_word_in("emitter rule library", key) < 0)
        xg_record_unknown(w, key);
    else {
        r->kind = key;
        r->way = xg_config_word(value);
    }
}
XG_FN xg_record *xg_record_of(const xg_record_reader *w, xg_str text) {
    xg_str rest = xg_config_inside(text, '{'), key, value;
    xg_record *r;
    if (!rest.p) xg_record_fail(w, xg_record_key, text);
    r = XG_NEW(w->arena, xg_record);
    while (xg_config_member(&rest, &key, &value)) xg_record_read_member(w, key, value, r);
    return r;
}
XG_FN const xg_record *xg_record_read(xg_arena *a, const xg_inst *fusion) {
    xg_str config = xg_attr_str(fusion, XG_A_backend_config), value;
    xg_record_reader w;
    if (!config.n) return NULL;
    w.arena = a;
    w.fusion = fusion;
    w.from = NULL;
    value = xg_config_get(xg_config_object(a, config), xg_record_key);
    return value.n ? xg_record_of(&w, value) : NULL;
}
XG_FN xg_record *xg_record_read_from(xg_arena *a, const xg_inst *fusion, const xg_source *from, xg_str text) {
    xg_record_reader w;
    w.arena = a;
    w.fusion = fusion;
    w.from = from;
    return xg_record_of(&w, text);
}

/* ---- of many fusions ---- */

XG_FN void xg_records_open(xg_records *r, xg_arena *a) {
    r->arena = a;
    xg_map64_init(&r->known, a);
}
/* Equal texts are one text, which is read once. */
XG_FN const xg_record *xg_records_of(xg_records *r, const xg_inst *fusion) {
    xg_str text = xg_attr_str(fusion, XG_A_backend_config);
    xg_record *known;
    if (!text.n) return NULL;
    known = (xg_record *)xg_map64_get(&r->known, (uintptr_t)text.p);
    if (known) return known->way.n ? known : NULL;
    known = (xg_record *)(uintptr_t)xg_record_read(r->arena, fusion);
    if (!known) known = XG_NEW(r->arena, xg_record); /* which says nothing */
    xg_map64_put(&r->known, (uintptr_t)text.p, known);
    return known->way.n ? known : NULL;
}
XG_FN bool xg_records_may_share(xg_records *r, const xg_inst *fusion, uint32_t operand, uint32_t leaf) {
    const xg_record *known = xg_records_of(r, fusion);
    return known ? xg_record_may_share(known, operand, leaf) : xg_fuse_may_share(r->arena, fusion, operand, leaf);
}

#endif /* XG_FUSE_RECORD_C */
