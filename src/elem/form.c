/* elem/form.c -- the form of an emitter: numbers with names, which its plan decides and the record keeps.
 *
 * An order that is a whole record has a whole form: what it leaves out is 0. Another one names single numbers only: the
 * plan decides the others. Either way the plan then looks whether the form suits the fusion, which takes no search. */
#ifndef XG_ELEM_FORM_C
#define XG_ELEM_FORM_C
#include "elem.h"

XG_FN bool xg_form_is_whole(const xg_fusion_emission *e) { return e->given && xg_record_is_whole(e->given); }
XG_FN bool xg_form_is_ordered(const xg_fusion_emission *e) { return e->given && e->given->form.n; }

XG_FN bool xg_form_number(const xg_fusion_emission *e, const char *name, int64_t *v) {
    const xg_numbers *i = e->given ? xg_record_get(&e->given->form, name) : NULL;
    if (i && i->n == 1) *v = i->p[0];
    return i && i->n == 1;
}
XG_FN void xg_form_put(xg_fusion_emission *e, const char *name, int64_t v) {
    if (v) xg_record_put(e->arena, &e->record->form, name, &v, 1);
}
XG_FN void xg_form_read(const xg_fusion_emission *e, const xg_form_field *fields, uint32_t n, void *form) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        int64_t v;
        if (xg_form_number(e, fields[k].name, &v)) memcpy((char *)form + fields[k].at, &v, sizeof v);
    }
}
XG_FN void xg_form_write(xg_fusion_emission *e, const xg_form_field *fields, uint32_t n, const void *form) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        int64_t v;
        memcpy(&v, (const char *)form + fields[k].at, sizeof v);
        xg_form_put(e, fields[k].name, v);
    }
}
XG_FN uint32_t xg_form_walk(const xg_fusion_emission *e, const char *names, uint32_t n) {
    const xg_numbers *i = e->given ? xg_record_get(&e->given->form, "walk") : NULL;
    uint32_t k = 0;
    if (!i) return n;
    while (k < n && !xg_str_is(i->word, xg_text_nth(names, k))) k++;
    return k;
}
XG_FN void xg_form_write_walk(xg_fusion_emission *e, const char *name) {
    xg_record_put_word(e->arena, &e->record->form, "walk", name);
}
XG_FN void xg_form_leave_open(xg_fusion_emission *e, const char *name) {
    xg_record_put(e->arena, &e->record->open, name, NULL, 0);
}
XG_ONE_COPY XG_FN bool xg_emit_refuse(xg_fusion_emission *e, const char *why) {
    e->record->why = xg_str_z(why);
    return false;
}
/* A power of two from 1 to most. */
XG_FN bool xg_form_power(int64_t v, int64_t most) { return v >= 1 && v <= most && (v & (v - 1)) == 0; }

#endif /* XG_ELEM_FORM_C */
