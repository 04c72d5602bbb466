/* base/formula.h -- what formula.c asks of those whose formulas it reads. */
#ifndef XG_BASE_FORMULA_H
#define XG_BASE_FORMULA_H
#include "base.h"

/* An operand; v NULL: the number that stands at `number`. */
typedef struct xg_fml_term {
    void *v;
    const char *number;
} xg_fml_term;
/* What a formula's words mean, the head of a structure that has the values. */
typedef struct xg_fml xg_fml;
struct xg_fml {
    void *(*make)(xg_fml *w, xg_str name, const xg_fml_term *in, uint32_t n); /* an operator's or a function's value */
    void *(*value)(xg_fml *w, char letter, const char *number); /* of a letter, or (0) a number, or NULL */
    void (*set)(xg_fml *w, char letter, void *v);
};
XG_FN void *xg_fml_read(xg_fml *w, const char *text);
XG_FN double xg_fml_number(const char *at);

#endif /* XG_BASE_FORMULA_H */
