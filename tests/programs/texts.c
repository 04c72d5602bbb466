/* tests/programs/texts.c [--targets N] FILES.hlo -- what stands between a module and its executable, as text and back.
 *
 * Of each module: the planned module printed, read and printed is the same text and compiles to the same bytes, even by
 * options that name no target, for the text names the device; the list of thunks printed, read and printed is the same
 * text; both with command buffers, too. For sm_90a and N more targets, drawn by a seed (all of them: --targets all),
 * and for a device whose figures are its own. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "expect.h"
#include "modules.h"

static void said(bool ok, const char *name, const char *what) {
    char text[1400];
    snprintf(text, sizeof text, "%s: %s", name, what);
    EXPECT_IN(ok, text);
}

typedef struct texts {
    const char *name;
    unsigned char *source;
    size_t size;
    bool commands;
    const char *target; /* NULL: none is named */
    int64_t sms;        /* 0: as many as the usual device has */
    xg_arena *arena;
    xg_str plan, thunks;
} texts;

static void keep(void *user, const char *stage, const char *text, size_t n) {
    texts *t = (texts *)user;
    if (strcmp(stage, "plan") == 0) t->plan = xg_str_copy(t->arena, xg_str_of(text, n));
    if (strcmp(stage, "thunk_sequence") == 0) t->thunks = xg_str_copy(t->arena, xg_str_of(text, n));
}
static xg_source source_of(const char *name, xg_str text) {
    xg_source s;
    s.name = name;
    s.text = text.p;
    s.size = text.n;
    return s;
}
/* A module or a planned module to bytes; its texts are kept in t. */
static xg_str compiled(xg_ctx *c, texts *t, xg_str text) {
    xg_source src = source_of(t->name, text);
    xg_driver_options o;
    memset(&o, 0, sizeof o);
    if (t->target) o.target = *xg_target_find(c, xg_str_z(t->target));
    o.described.sm_count = (uint64_t)t->sms;
    o.command_buffer_control = t->commands;
    o.command_buffer_least = t->commands ? 1 : 0;
    o.fill_elided = true;
    o.dump = keep;
    o.dump_user = t;
    if (xg_plan_is_text(text.p, text.n)) return xg_driver_compile_plan(c, t->arena, &src, &o, NULL, t->arena);
    return xg_driver_compile(xg_hlo_parse(c, t->arena, &src), t->arena, &o, NULL, t->arena);
}
static void round_trips(xg_ctx *c, void *user) {
    texts *t = (texts *)user;
    xg_str bytes = compiled(c, t, xg_str_of((const char *)t->source, t->size)), plan = t->plan, thunks = t->thunks,
           again;
    xg_source list = source_of("thunks", thunks);
    xg_buf b;
    xg_buf_init(&b, t->arena);
    xg_listing_print(&b, xg_listing_parse(c, t->arena, &list));
    said(xg_str_eq(thunks, xg_str_of(b.p, b.n)), t->name, "the list of thunks changes when it is read and printed");
    if (xg_target_of(xg_target_find(c, xg_str_z(t->target))->cc)->name == t->target) t->target = NULL; /* by the text */
    t->sms = 0;
    again = compiled(c, t, plan);
    said(xg_str_eq(plan, t->plan), t->name, "the planned module changes when it is read and printed");
    said(xg_str_eq(bytes, again), t->name, "the planned module compiles to other bytes than the module");
}

static void check(const char *path, const char *target, int64_t sms, bool commands) {
    char name[400];
    xg_ctx c;
    xg_arena a;
    texts t;
    memset(&t, 0, sizeof t);
    xg_ctx_init(&c, NULL, 0);
    xg_arena_init(&a, &c);
    snprintf(name, sizeof name, "%s, %s", path, target);
    t.name = name;
    t.target = target;
    t.sms = sms;
    t.commands = commands;
    t.arena = &a;
    t.source = file_read(path, &t.size);
    if (!t.source)
        said(false, name, "cannot be read");
    else if (!guarded(&c, round_trips, &t))
        said(false, name, c.message);
    free(t.source);
    xg_arena_free(&a);
}

int main(int argc, char **argv) {
    enum {
        SMS = 47
    }; /* of a device that there is not */
    size_t targets = 0, more = 1, n;
    int k;
    while (xg_target_at(targets)) targets++;
    for (k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--targets") == 0 && k + 1 < argc) {
            k++;
            more = strcmp(argv[k], "all") == 0 ? targets : (size_t)strtoul(argv[k], NULL, 10);
            continue;
        }
        check(argv[k], "sm_90a", 0, false);
        check(argv[k], "sm_90a", 0, true);
        check(argv[k], xg_target_at(rng() % targets)->name, SMS, false);
        for (n = 0; n < more; n++)
            check(argv[k], xg_target_at(more == targets ? n : (size_t)(rng() % targets))->name, 0, false);
    }
    return finish();
}
