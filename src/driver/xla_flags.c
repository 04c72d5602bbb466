/* driver/xla_flags.c -- XLA's flags as a module carries them: "--xla_gpu_ftz=true --xla_disable_hlo_passes=cse".
 *
 * Words are separated by blanks and begin with two dashes, as in the variable XLA_FLAGS. A flag that means something
 * here is a row; others of XLA's (xla_*) have no effect, anything else is an error. */
#ifndef XG_DRIVER_XLA_FLAGS_C
#define XG_DRIVER_XLA_FLAGS_C
#include "driver.h"

/* X(name, kind, field of xg_driver_options) */
#define XG_XLA_FLAGS(X) \
    X(xla_gpu_ftz, bool, ftz) \
    X(xla_gpu_deterministic_ops, bool, deterministic) \
    X(xla_allow_excess_precision, bool, excess_precision) \
    X(xla_gpu_enable_while_loop_double_buffering, bool, double_buffering) \
    X(xla_gpu_graph_min_graph_size, count, command_buffer_least) \
    X(xla_gpu_all_reduce_combine_threshold_bytes, count, combine_all_reduce) \
    X(xla_gpu_all_gather_combine_threshold_bytes, count, combine_all_gather) \
    X(xla_gpu_reduce_scatter_combine_threshold_bytes, count, combine_reduce_scatter) \
    X(xla_disable_all_hlo_passes, bool, disable_all_passes) \
    X(xla_disable_hlo_passes, text, disable_passes)

typedef struct xg_flag_word {
    xg_arena *arena;
    const char *source;
    xg_str name, value;
    bool has_value;
} xg_flag_word;

XG_COLD XG_NORETURN XG_FN void xg_flag_refuse(const xg_flag_word *w, const char *takes) {
    xg_fail(w->arena->ctx, XLAGPU_ERROR_USAGE, "%s: error: flags: --%.*s takes %s", w->source,
        (int)XG_MIN(w->name.n, 100u), w->name.p, takes);
}
XG_FN void xg_flag_read_bool(const xg_flag_word *w, bool *to) {
    *to = !w->has_value || xg_word_in("true 1", w->value) >= 0;
    if (!*to && xg_word_in("false 0", w->value) < 0) xg_flag_refuse(w, "true or false");
}
XG_FN void xg_flag_read_count(const xg_flag_word *w, uint32_t *to) {
    uint32_t k;
    *to = 0;
    for (k = 0; k < w->value.n && k < 9 && w->value.p[k] >= '0' && w->value.p[k] <= '9'; k++)
        *to = *to * 10 + (uint32_t)(w->value.p[k] - '0');
    if (k == 0 || k < w->value.n) xg_flag_refuse(w, "a whole number, 0 or more");
}
XG_FN void xg_flag_read_text(const xg_flag_word *w, xg_str *to) {
    if (!w->has_value) xg_flag_refuse(w, "a value");
    *to = xg_str_copy(w->arena, w->value);
}
XG_COLD XG_NORETURN XG_FN void xg_flag_unknown(const xg_flag_word *w) {
    xg_fail(w->arena->ctx, XLAGPU_ERROR_USAGE, "%s: error: flags: '%.*s' is not a flag of XLA: --xla_name=value",
        w->source, (int)XG_MIN(w->name.n, 100u), w->name.p);
}
XG_FN void xg_flag_read(const xg_flag_word *w, xg_driver_options *o) {
#define X(flag, kind, field) \
    if (xg_str_is(w->name, #flag)) { \
        xg_flag_read_##kind(w, &o->field); \
        return; \
    }
    XG_XLA_FLAGS(X)
#undef X
    if (w->name.n < 4 || memcmp(w->name.p, "xla_", 4) != 0) xg_flag_unknown(w);
}

XG_FN void xg_driver_xla_flags(xg_arena *a, const char *source, const char *flags, xg_driver_options *o) {
    static const char blanks[] = " \t\r\n";
    const char *p = flags;
    xg_flag_word w;
    w.arena = a;
    w.source = source;
    for (p += strspn(p, blanks); *p; p += strspn(p, blanks)) {
        size_t n = strcspn(p, blanks), name = XG_MIN(strcspn(p, "="), n);
        w.has_value = name < n;
        w.value = w.has_value ? xg_str_of(p + name + 1, n - name - 1) : xg_str_of(p + n, 0);
        w.name = xg_str_of(p, name);
        if (strncmp(p, "--", 2) != 0) xg_flag_unknown(&w);
        w.name = xg_str_of(p + 2, name - 2);
        xg_flag_read(&w, o);
        p += n;
    }
}

#endif /* XG_DRIVER_XLA_FLAGS_C */
