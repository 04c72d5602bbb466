/* base/formula.c -- formulas in text: "r=fma(n,L,x);q=r*r;fma(p,q,r)".
 *
 * Statements are separated by semicolons; the last one's value is the formula's. Of an expression what stands further
 * right is made first, so it is read from its end: operators wait on one stack for what stands left of them, operands
 * on another. What the words mean is the caller's (xg_fml).
 * - a to z: values, which the caller sets and statements "a=..." set anew;
 * - numbers, also negative ones; A to Z count as numbers, and so do words without a parenthesis;
 * - operators, loosest first: c?x:y, | ^, &, comparisons, << >> >>>, + -, * /; parentheses; functions: name(x,y). */
#ifndef XG_BASE_FORMULA_C
#define XG_BASE_FORMULA_C
#include "formula.h"
#include "float_text.c"

enum {
    XG_FML_DEPTH = 24
};
typedef struct xg_fml_stacks {
    xg_fml_term terms[XG_FML_DEPTH];
    xg_str waiting[XG_FML_DEPTH]; /* operators; an empty one: a parenthesis, */
    uint8_t level[XG_FML_DEPTH];  /* in front of which so many operands stood */
    uint32_t n_terms, n_waiting;
} xg_fml_stacks;

XG_FN bool xg_is_word(char c) { return xg_is_digit(c) || c == '.' || (unsigned char)((c | 32) - 'a') < 26; }
XG_APART XG_FN void xg_fml_stacks_push(xg_fml_stacks *s, const char *at, size_t n, uint32_t level) {
    s->waiting[s->n_waiting] = xg_str_of(at, n);
    s->level[s->n_waiting++] = (uint8_t)level;
}
/* Makes something of the last n terms, of which the last one is the first operand, and puts it in their place. */
XG_FN void xg_fml_stacks_make(xg_fml_stacks *s, xg_fml *w, xg_str name, uint32_t n) {
    xg_fml_term in[4], *t;
    uint32_t k;
    for (k = 0; k < n; k++) in[k] = s->terms[--s->n_terms];
    t = s->terms + s->n_terms++;
    t->v = w->make(w, name, in, n);
}
/* Operators that bind tighter than the level. */
XG_FN void xg_fml_stacks_settle(xg_fml_stacks *s, xg_fml *w, uint32_t level) {
    while (s->n_waiting) {
        xg_str o = s->waiting[s->n_waiting - 1];
        if (!o.n || s->level[s->n_waiting - 1] <= level) return;
        s->n_waiting--;
        if (*o.p != ':') xg_fml_stacks_make(s, w, o, *o.p == '?' ? 3 : 2);
    }
}
XG_FN uint32_t xg_fml_level(const char *o, size_t n) {
    switch (*o) {
    case '*':
    case '/': return 7;
    case '+':
    case '-': return 6;
    case '<':
    case '>': return n > 1 && o[1] != '=' ? 5 : 4;
    case '=':
    case '!': return 4;
    case '&': return 3;
    case '?':
    case ':': return 1;
    default: return 2;
    }
}
/* Where the word or operator that ends before `end` begins. */
XG_FN const char *xg_fml_back(const char *begin, const char *end, bool word) {
    while (end > begin && !strchr("(),", end[-1]) && xg_is_word(end[-1]) == word) end--;
    return end;
}
XG_FN void *xg_fml_expression(xg_fml *w, const char *begin, const char *end) {
    xg_fml_stacks s;
    const char *at;
    uint32_t level;
    s.n_terms = s.n_waiting = 0;
    for (; end > begin; end = at) {
        XLAGPU_ASSERT(s.n_terms < XG_FML_DEPTH && s.n_waiting < XG_FML_DEPTH);
        at = end - 1;
        if (*at == ')')
            xg_fml_stacks_push(&s, at, 0, s.n_terms);
        else if (*at == ',')
            xg_fml_stacks_settle(&s, w, 0);
        else if (*at == '(') {
            xg_fml_stacks_settle(&s, w, 0);
            s.n_waiting--;
            end = at;
            at = xg_fml_back(begin, end, true);
            if (at < end)
                xg_fml_stacks_make(&s, w, xg_str_of(at, (size_t)(end - at)), s.n_terms - s.level[s.n_waiting]);
        } else if (xg_is_word(*at)) {
            xg_fml_term *t = s.terms + s.n_terms++;
            at = xg_fml_back(begin, end, true);
            /* a sign: no operand stands left of it */
            if (at > begin && at[-1] == '-' && (at - 1 == begin || (at[-2] != ')' && !xg_is_word(at[-2])))) at--;
            t->number = at;
            t->v = w->value(w, end == at + 1 && *at >= 'a' ? *at : 0, at);
        } else {
            at = xg_fml_back(begin, end, false);
            level = xg_fml_level(at, (size_t)(end - at));
            xg_fml_stacks_settle(&s, w, level);
            xg_fml_stacks_push(&s, at, (size_t)(end - at), level);
        }
    }
    xg_fml_stacks_settle(&s, w, 0);
    return s.terms[0].v;
}
XG_FN void *xg_fml_read(xg_fml *w, const char *text) {
    void *v = NULL;
    while (*text) {
        const char *end = text + strcspn(text, ";");
        bool sets = text[1] == '=' && text[2] != '=';
        v = xg_fml_expression(w, sets ? text + 2 : text, end);
        if (sets) w->set(w, *text, v);
        text = end + (*end == ';');
    }
    return v;
}
XG_FN double xg_fml_number(const char *at) {
    const char *p = at + (*at == '-');
    double v;
    bool overflow;
    while (xg_is_word(*p)) p++;
    (void)xg_float_parse(at, (size_t)(p - at), &v, &overflow);
    return v;
}

#endif /* XG_BASE_FORMULA_C */
