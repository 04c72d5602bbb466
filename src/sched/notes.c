/* sched/notes.c -- annotations of statements: which mean something, and the values that they take.
 *
 *   pragma_auto_unroll_max_step N    serial loops in this statement are written out, inner ones first, as long as no
 *                                    more than N stores result and no loop is left inside
 *   pragma_unroll_explicit 0 or 1    1: here; 0: they are marked, and the kernel's own passes decide
 *   software_pipeline_stage, software_pipeline_order, software_pipeline_async_stages    see pipeline.c */
#ifndef XG_SCHED_NOTES_C
#define XG_SCHED_NOTES_C
#include "sched.h"
#include "../hlo/text.h"

/* X(key, least, most value, a list) of those that mean something; others are kept and mean nothing. */
#define XG_NNOTES(X) \
    X(pragma_auto_unroll_max_step, 0, 65536, 0) \
    X(pragma_unroll_explicit, 0, 1, 0) \
    X(software_pipeline_stage, 0, 15, 1) \
    X(software_pipeline_order, 0, 63, 1) \
    X(software_pipeline_async_stages, 0, 15, 1)
typedef struct xg_nnote_rule {
    const char *key;
    int64_t least, most;
    bool list;
} xg_nnote_rule;
static const xg_nnote_rule xg_nnote_rules[] = {
#define X(key, least, most, list) {#key, least, most, list},
    XG_NNOTES(X)
#undef X
};
/* The numbers of a value, separated by blanks or commas; -1: it is no such list. */
XG_FN int xg_nnote_ints(xg_str value, int64_t *out, uint32_t cap) {
    size_t at = 0, from;
    uint32_t count = 0;
    while (at < value.n) {
        while (at < value.n && (value.p[at] == ' ' || value.p[at] == ',')) at++;
        for (from = at; at < value.n && value.p[at] != ' ' && value.p[at] != ','; at++) {}
        if (at == from) break;
        if (count == cap || !xg_lex_to_int(xg_str_of(value.p + from, at - from), &out[count++])) return -1;
    }
    return (int)count;
}
XG_FN void xg_nnote_check(const xg_loopnest *n, xg_str key, xg_str value) {
    int64_t v[XG_NNOTE_INTS];
    uint32_t k;
    int count, j;
    for (k = 0; k < XG_COUNT(xg_nnote_rules) && !xg_str_is(key, xg_nnote_rules[k].key); k++) {}
    if (k == XG_COUNT(xg_nnote_rules)) return;
    count = xg_nnote_ints(value, v, XG_COUNT(v));
    if (count < 1 || (count > 1 && !xg_nnote_rules[k].list))
        xg_sched_fail(n, "annotate: '%s' takes %s, not '%.*s'", xg_nnote_rules[k].key,
            xg_nnote_rules[k].list ? "a list of numbers" : "a number", (int)value.n, value.p);
    for (j = 0; j < count; j++)
        if (v[j] < xg_nnote_rules[k].least || v[j] > xg_nnote_rules[k].most)
            xg_sched_fail(n, "annotate: '%s' takes numbers from %lld to %lld, not %lld", xg_nnote_rules[k].key,
                (long long)xg_nnote_rules[k].least, (long long)xg_nnote_rules[k].most, (long long)v[j]);
}
XG_FN const xg_nnote *xg_nstmt_note(const xg_nstmt *s, const char *key) {
    uint32_t k;
    for (k = 0; k < s->n_notes; k++)
        if (xg_str_is(s->notes[k].key, key)) return &s->notes[k];
    return NULL;
}
XG_FN int64_t xg_nstmt_note_int(const xg_nstmt *s, const char *key, int64_t otherwise) {
    const xg_nnote *t = xg_nstmt_note(s, key);
    int64_t v;
    return t && xg_nnote_ints(t->value, &v, 1) == 1 ? v : otherwise;
}

#endif /* XG_SCHED_NOTES_C */
