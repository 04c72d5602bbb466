/* emit/emit.h -- from a fusion to kernel IR: how threads walk over results.
 *
 * An emitter decides only how threads walk over the result and writes the entry function; elements come from elem/.
 * What a block computes together (sorts, transforms, solvers) stands in block/; the table of all emitters is
 * emitters.h. */
#ifndef XG_EMIT_H
#define XG_EMIT_H
#include "../block/block.h"

/* ---- loop.c ---- */
/* How many neighbouring elements a thread makes, so that one access moves them: of the widest result, and of the
 * parameters that have so many elements (0: the results alone count). */
XG_FN int64_t xg_emit_vector(const xg_fusion_emission *e, int64_t elements);
/* Elements from one to the next along the dimension, but the innermost, in which slices begin furthest apart, as those
 * of a stencil do; 0: in none. */
XG_FN int64_t xg_loop_neighbours(const xg_fusion_emission *e);
/* Elements that a thread makes of a concatenation whose rows, or pieces of them, are shorter than a vector: some rows
 * and some vectors. 0: of another one. */
XG_FN int64_t xg_loop_pieces(const xg_fusion_emission *e, const xg_inst *i);
XG_FN bool xg_emit_loop_plan(xg_fusion_emission *e);
XG_FN void xg_emit_loop(xg_fusion_emission *e);
/* ---- hero.c ---- */
typedef struct xg_heroes {
    uint32_t n;
    const xg_inst **p;
    bool *behind; /* by root: made of heroes */
} xg_heroes;
/* Whether the instruction is a hero; where it is not the first that was found, it must have the same form as that. */
typedef bool (*xg_hero_fn)(void *data, const xg_inst *i, bool first);
XG_FN bool xg_hero_in_place(const xg_fusion_emission *e, uint32_t place); /* of the partition: as the first root */
/* Those nearest to the roots, from the last one on. False if there are none, or if the roots cannot be made along with
 * them. */
XG_FN bool xg_heroes_find(const xg_fusion_emission *e, xg_hero_fn is_hero, void *data, xg_heroes *h);
XG_FN bool xg_hero_epilogue_reads(const xg_fusion_emission *e, const xg_heroes *h);
/* what it is wherever it is used in this region */
XG_FN void xg_hero_give(xg_scope *s, const xg_inst *hero, xg_elem v);
XG_FN void xg_hero_roots(
    xg_scope *s, const xg_heroes *h, bool behind, const xg_shape *shape, xg_kval *const *at, xg_kval **dest);
XG_FN void xg_hero_write(xg_scope *s, const xg_heroes *h, const xg_shape *shape, const xg_elem *values,
    xg_kval *const *at, xg_kval *cond, xg_kval **dest); /* values: by hero */
/* indices of an array to those of another at the same place in memory */
XG_FN const xg_imap *xg_emit_same_place(xg_aff_ctx *x, const xg_shape *from, const xg_shape *to);
XG_FN int64_t xg_emit_work(const xg_comp *comp);   /* how much code one element is, roughly */
XG_FN int64_t xg_emit_inst_work(const xg_inst *i); /* of one instruction */
/* ---- sections.c ---- */
/* One of the walks that a kernel's threads are divided among. */
typedef struct xg_section {
    const xg_shape *shape;
    int64_t unroll;  /* elements of a thread */
    bool apart;      /* which do not lie side by side */
    uint32_t shares; /* 0, or 1 + the section whose threads make this one, too */
} xg_section;
/* dest: by root, what has been written to it */
typedef void (*xg_section_fn)(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest);
/* sections of nearly the same shape share their threads, and so what telling apart the indices costs */
XG_FN void xg_sections_share(const xg_fusion_emission *e, xg_section *list, uint32_t n);
XG_FN int64_t xg_sections_blocks(const xg_section *list, uint32_t n);
/* The end of a plan: writes "unroll" (of all, or of each) and "share" (0: no section's threads make another one) into
 * the record, as they are or as it orders; false if that cannot be. */
XG_FN bool xg_sections_launch(xg_fusion_emission *e, xg_section *list, uint32_t n);
XG_FN void xg_emit_sections(
    xg_fusion_emission *e, const xg_section *list, uint32_t n, xg_section_fn body, void *data); /* the whole kernel */
/* ---- concatenate.c ---- */
XG_FN bool xg_emit_concatenate_plan(xg_fusion_emission *e);
XG_FN void xg_emit_concatenate(xg_fusion_emission *e);
/* ---- update.c ---- */
XG_FN bool xg_emit_update_plan(xg_fusion_emission *e);
XG_FN void xg_emit_update(xg_fusion_emission *e);
/* Where element `at` of an update stands in the array. */
XG_FN void xg_update_place(xg_scope *s, const xg_inst *i, xg_kval *const *at, xg_kval **idx);
/* ---- scatter.c ---- */
XG_FN bool xg_emit_scatter_plan(xg_fusion_emission *e);
XG_FN void xg_emit_scatter(xg_fusion_emission *e);
/* ---- slices.c ---- */
XG_FN bool xg_emit_slices_plan(xg_fusion_emission *e);
XG_FN void xg_emit_slices(xg_fusion_emission *e);
/* ---- transpose.c ---- */
XG_FN bool xg_emit_transpose_plan(xg_fusion_emission *e);
XG_FN void xg_emit_transpose(xg_fusion_emission *e);
/* ---- reduction.c ---- */
XG_FN bool xg_emit_reduction_plan(xg_fusion_emission *e);
XG_FN void xg_emit_reduction(xg_fusion_emission *e);
/* ---- rows.c ---- */
XG_FN bool xg_emit_rows_plan(xg_fusion_emission *e);
XG_FN void xg_emit_rows(xg_fusion_emission *e);
/* Of a reduction, by so many lanes of a row: what these tell each other. */
XG_FN int64_t xg_rows_stage_clocks(int64_t lanes, const xg_device *m);
/* A row program behind another walk, which makes `from`: values that depend on it, but on no reduction, are all that
 * the program needs of it. They lie in shared memory, row by row, an array for each. NULL: it is no such program. */
typedef struct xg_rows xg_rows;
XG_FN xg_rows *xg_rows_behind_open(const xg_fusion_emission *e, const xg_inst *from);
XG_FN const xg_inst *xg_rows_behind_value(const xg_rows *w, uint32_t k); /* NULL behind the last */
/* Whether threads of a block may have so many rows between them; sets what the others ask for. */
XG_FN bool xg_rows_behind_fits(xg_rows *w, int64_t threads, int64_t rows);
XG_FN int64_t xg_rows_behind_bytes(const xg_rows *w);                      /* of shared memory, with the values */
XG_FN const xg_imap *xg_rows_behind_map(xg_rows *w, const xg_inst *value); /* (row, column) -> its indices */
XG_FN int64_t xg_rows_behind_columns(const xg_rows *w);
XG_FN int64_t xg_rows_behind_clocks(const xg_rows *w, const xg_device *m); /* of a block, by the plan */
XG_FN void xg_rows_behind(
    xg_rows *w, xg_fusion_emission *e, xg_kb *b, xg_kval *thread, xg_kval *block, xg_kval **arrays, xg_kval **dest);
/* ---- scan.c ---- */
XG_FN bool xg_emit_scan_plan(xg_fusion_emission *e);
XG_FN void xg_emit_scan(xg_fusion_emission *e);
/* ---- rounds.c ---- */
XG_FN bool xg_emit_rounds_plan(xg_fusion_emission *e);
XG_FN void xg_emit_rounds(xg_fusion_emission *e);
/* ---- phases.c ---- */
XG_FN bool xg_emit_phases_plan(xg_fusion_emission *e);
XG_FN void xg_emit_phases(xg_fusion_emission *e);
/* ---- emit.c ---- */
/* From open to close: plan by one emitter, or choose; then what it emits, as one kernel. Entry parameters: the
 * computation's parameters, then one destination per root leaf. m NULL: a new module. */
XG_FN void xg_emit_open(
    xg_fusion_emission *e, xg_kmodule *m, xg_arena *a, const xg_inst *fusion, const xg_emit_target *target);
XG_FN void xg_emit_check_leaves(const xg_fusion_emission *e);
XG_FN const xg_emitter *xg_emit_row(uint32_t k);   /* NULL behind the last */
XG_FN const xg_emitter *xg_emit_find(xg_str name); /* NULL: there is none */
/* False: it does not take the fusion; record->why says why. */
XG_FN bool xg_emit_plan(xg_fusion_emission *e, const xg_emitter *by);
/* The first whose plan takes it; fails if there is none. NULL: none in the form that the given record orders. */
XG_FN const xg_emitter *xg_emit_choose(xg_fusion_emission *e);
XG_FN xg_kfunc *xg_emit_entry(xg_fusion_emission *e, xg_str name);
XG_FN void xg_emit_by(xg_fusion_emission *e, const xg_emitter *by);
/* What is planned in one arena is emitted in another one. */
XG_FN void xg_emit_move(xg_fusion_emission *e, xg_arena *to, const xg_emit_target *target);
XG_FN bool xg_emit_adds_nothing(const xg_fusion_emission *e); /* plans have left the HLO module as it was */
XG_FN void xg_emit_close(xg_fusion_emission *e);              /* takes back what plans have added to the HLO module */
XG_FN xg_emit_target xg_emit_target_of(const xg_device *d, bool deterministic);

/* ---- other ways than emitters (choice/choice.h): block-level rules, libraries ---- */
typedef struct xg_way_job {
    xg_arena *arena;
    const xg_inst *fusion;
    const xg_emit_target *target; /* the device */
    const xg_record *given;       /* an order; NULL: none */
    xg_fusion_emission *e;        /* for a plan: opened, for the way to look at; what it writes there is lost */
    void *form;                   /* what a plan leaves for emit, in the arena; NULL: emit has to plan by the record */
} xg_way_job;
/* What a way plans or emits by: the job's emission, or a new one where it has none; with a record of the way's own. */
XG_FN void xg_emit_open_way(xg_fusion_emission *e, const xg_way_job *job);
typedef struct xg_way_times {
    int64_t own, emitter; /* picoseconds; emitter 0: as the cost model says */
} xg_way_times;
typedef struct xg_way {
    const char *kind, *name;
    bool (*plan)(xg_way_job *job, xg_record *r, xg_way_times *times);
    xg_kmodule *(*emit)(xg_way_job *job, const xg_record *r, xg_str kernel_name);
} xg_way;
#endif /* XG_EMIT_H */
