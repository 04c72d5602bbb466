/* plan/plan.h -- from a module of fusions to an executable: order, memory, thunks, bytes.
 *
 * Ideas
 * - schedule.c orders the instructions for the lowest peak of memory; positions in that order, loops and branches
 *   included, are time.
 * - values.c: each instruction that writes an array defines a value; tuples, get-tuple-element, bitcast and barriers
 *   emit no code and alias values. A value's live range is from its definition to the last read of any alias.
 * - alias.c: values that can share memory, one after the other, become one buffer: the state of a loop through all its
 *   iterations, an operand and a result in its place, a parameter and the result that aliases it by the module's
 *   annotation. Where that is impossible, a move copies: copies.c.
 * - rematerialize.c: with a memory limit, kernels run twice until everything fits.
 * - pack.c: parameters and results are the caller's memory, constants come with the executable, all else shares one
 *   temporary block for each memory space; a result's memory serves temporaries until the result is written.
 * - thunks.c walks the schedule and creates the steps; text.c prints the plan and reads it back; bytes.c writes the
 *   executable, attributes.c the attributes of calls. */
#ifndef XG_PLAN_H
#define XG_PLAN_H
#include "../api/counters.h"
#include "../api/executable.h"
#include "../emit/emit.h"
#include "../fuse/fuse.h"
#include "../opt/opt.h"
#include "../sched/library.h"

typedef struct xg_buffer xg_buffer;
enum {
    XG_PLAN_HOST_SPACE = 5
}; /* S(5) is host memory */

/* X(NAME): the role of a value.
 *   MADE       the result of its instruction         PARAMETER, CONSTANT
 *   IN, OUT    the state of a loop: in its computations, and after it
 *   LANDED     the result of a conditional, at the end of a branch        JOINED     after it
 *   RESULT     a leaf of the program's result at the end
 *   SPARE      scratch for moves that form a cycle, or for a library */
#define XG_PLAN_VALUES(X) X(MADE) X(PARAMETER) X(CONSTANT) X(IN) X(OUT) X(LANDED) X(JOINED) X(RESULT) X(SPARE)
typedef enum xg_value_role {
#define X(name) XG_VALUE_##name,
    XG_PLAN_VALUES(X)
#undef X
    XG_VALUE_ROLE_COUNT
} xg_value_role;

typedef struct xg_plan_value { /* an array with its live range */
    const xg_inst *inst;
    uint32_t leaf; /* which leaf of the instruction's shape */
    xg_value_role role;
    const xg_shape *shape;
    uint32_t first, last; /* the live range: positions in the schedule */
    uint32_t branch;      /* LANDED */
    uint32_t over : 30;   /* MADE: the operand in whose place it must be written, plus 1 */
    uint32_t copied : 1;  /* that operand is copied into its buffer first */
    uint32_t donor : 1;   /* PARAMETER: a result may take its memory */
    /* IN, OUT, LANDED, RESULT: the value that becomes this one; no copy is needed if both share a buffer */
    struct xg_plan_value *from;
    xg_buffer *buffer;
} xg_plan_value;

/* Memory of one value, or of several with disjoint live ranges. Most have one, and take two cache lines with it. */
struct xg_buffer {
    XG_VEC(xg_plan_value *) values; /* by time; live ranges are disjoint */
    uint8_t kind;                   /* xg_exe_allocation_kind */
    bool placed, used;              /* used: by a step */
    uint32_t index;                 /* parameter leaf or result leaf number */
    uint32_t donated;               /* PARAMETER: the result leaf that aliases it, plus 1 */
    int32_t space;                  /* S(n); numbers beyond 31 bits count as one space */
    int64_t bytes;                  /* of each value */
    uint32_t first, last;           /* of all values together */
    uint32_t host;                  /* TEMP inside a result's memory: that result's slice, plus 1 */
    uint32_t slice;                 /* the number of its slice in the executable */
    int64_t offset;                 /* in the block, or in `host` */
    union {
        struct {
            uint32_t reads, mover;
        } moves;      /* while moves are ordered */
        double need;  /* while packing: the gain of placing it in a result, */
        int64_t best; /* then the offset in the smallest block so far */
    } work;
};

typedef struct xg_plan_move {
    xg_buffer *from, *to;
} xg_plan_move;
typedef XG_VEC(xg_plan_move) xg_plan_moves;

/* The moves around an instruction. A loop's: before it, and at the end of each iteration; a conditional's: at the end
 * of each branch; a fusion's: before the kernel. */
typedef struct xg_plan_site {
    const xg_inst *inst;
    uint32_t n, *at;
    xg_plan_moves *moves;
} xg_plan_site; /* at: the position of each list */

/* links are slices: the buffers of a kernel's or call's operand leaves, then of its result leaves; children are
 * sequences: a while's condition and body, a conditional's branches. */
typedef struct xg_plan_step {
    xg_exe_thunk_kind kind;
    const xg_inst *inst;
    uint32_t kernel, value, n_links, n_children, *links, *children;
    uint32_t n_written; /* KERNEL and calls: how many of the links, counted from the end, are results */
    /* COLLECTIVE: for each operand a kernel that reads it on all devices, and one by a multicast object; NULL: none */
    uint32_t *peers, *casts;
} xg_plan_step;
typedef struct xg_plan_sequence {
    const xg_comp *comp;
    XG_VEC(uint32_t) steps;
} xg_plan_sequence;
typedef struct xg_plan_kernel {
    xg_str name;
    uint32_t shared_bytes, threads[3], blocks[3];
    uint32_t n_maps;
    const xg_kmap *maps;
    uint64_t flops;          /* plus 1; 0: not computed yet */
    xg_cost_prediction time; /* if requested */
} xg_plan_kernel;

/* one temporary block; the lower bound of its size */
typedef struct xg_plan_space {
    int64_t space, bytes, largest_live;
} xg_plan_space;

typedef struct xg_plan {
    xg_module *m;
    xg_arena *arena;
    XG_VEC(xg_plan_value *) values;
    XG_VEC(xg_buffer *) buffers;
    xg_buffer **params; /* parameter leaves */
    uint32_t n_params;
    xg_buffer **results; /* result leaves */
    uint32_t n_results;
    /* loops evaluate their condition even if the trip count is known: command buffers can do that, but cannot count */
    bool asks;
    uint32_t end;    /* the last position */
    uint32_t n_made; /* how many instructions are steps, nearly all of one each */
    XG_VEC(xg_plan_space) spaces;
    XG_VEC(xg_plan_step) steps;
    XG_VEC(xg_plan_sequence *) sequences; /* 0: the entry */
    xg_plan_moves at_end;
    int64_t temp_bytes, largest_live; /* of device memory */
    XG_VEC(xg_plan_kernel) kernels;
    xg_records *records; /* of its kernels */
    /* by instruction id: the place of its leaves in names, plus 1; 0: they have no values */
    uint32_t *first_name, n_first;
    XG_VEC(xg_plan_value *) names; /* the values of its leaves; NULL: none */
    xg_plan_site **sites;          /* by instruction id; NULL: none */
    xg_map64 workspaces;           /* 2 id + 1, 2 id + 2 -> xg_plan_value: scratch memory; counters */
    XG_VEC(const xg_inst *) joins; /* instructions that have sites, in order */
    xg_texts ptx;                  /* or object code */
    bool is_object;                /* for a host's processor */
    xg_str hlo, target_name;
    uint32_t target;
} xg_plan;

/* ---- values.c ---- */
XG_FN xg_plan *xg_plan_values(xg_arena *a, xg_module *m); /* all values with their live ranges */
XG_FN xg_plan_value *xg_plan_value_of(
    const xg_plan *p, const xg_inst *i, uint32_t leaf);              /* NULL: the leaf takes no memory, like a token */
XG_FN xg_plan_value *xg_plan_value_at(const xg_plan *p, uint32_t k); /* the k-th of all */
/* The copies around an instruction; NULL: it has none. */
XG_FN xg_plan_site *xg_plan_site_of(const xg_plan *p, const xg_inst *i);
XG_FN xg_plan_value *xg_plan_value_new(
    xg_plan *p, const xg_inst *i, uint32_t leaf, xg_value_role role, const xg_shape *s, uint32_t first);
XG_FN int64_t xg_plan_bytes(const xg_shape *s); /* of an array in a buffer */
/* Bytes of the step's scratch memory or counters; r NULL: it has no record. */
XG_FN int64_t xg_plan_workspace_bytes(const xg_record *r, bool counters);
/* the leaves of *shape; they live as long as that pointer's place */
XG_FN const xg_shape *const *xg_plan_leaves(xg_arena *a, const xg_shape *const *shape, uint32_t *n);
XG_FN bool xg_plan_forwards(const xg_inst *i); /* its result aliases operands */
XG_FN uint32_t xg_plan_forwarded(const xg_inst *i, uint32_t leaf, uint32_t *operand);
/* ---- schedule.c ---- */
XG_FN bool xg_plan_schedule(xg_module *m); /* a pass */
/* ---- alias.c ---- */
/* puts both into one buffer, without checks */
XG_FN void xg_plan_unite(xg_plan *p, xg_plan_value *a, xg_plan_value *b);
XG_FN void xg_plan_alias(xg_plan *p); /* assigns values to buffers */
/* ---- copies.c ---- */
XG_FN void xg_plan_copies(xg_plan *p); /* adds moves where values that should share a buffer cannot */
XG_FN void xg_copies_print(xg_buf *b, const xg_plan *p);
XG_FN xg_buffer *xg_plan_operand_buffer(
    const xg_plan *p, const xg_inst *i, uint32_t operand, uint32_t leaf); /* the buffer that a step reads */
/* ---- pack.c ---- */
XG_FN void xg_plan_pack(xg_plan *p);                       /* offsets */
XG_FN xg_plan *xg_plan_buffers(xg_arena *a, xg_module *m); /* values, alias, copies, pack */
/* ---- thunks.c ---- */
XG_FN void xg_plan_thunks(xg_plan *p); /* makes the steps */
/* Calls `kernel` for each step that is one; it returns the number in p->kernels. */
typedef uint32_t (*xg_plan_kernel_fn)(void *user, xg_plan *p, uint32_t step);
XG_FN void xg_plan_kernels(xg_plan *p, xg_plan_kernel_fn kernel, void *user);
XG_FN void xg_plan_cost(const xg_plan *p, const xg_plan_step *s, uint64_t *flops, uint64_t *bytes);
XG_FN xg_plan_step *xg_plan_step_new(
    xg_plan *p, xg_plan_sequence *to, xg_exe_thunk_kind kind, const xg_inst *i, uint32_t n_links);
/* ---- rematerialize.c ---- */
XG_FN bool xg_plan_rematerialize(xg_module *m); /* a pass: recomputes values until a memory limit is met */
/* ---- commands.c ---- */
/* gathers runs of at least so many commands; control: loops and branches, too */
XG_FN void xg_plan_command_buffers(xg_plan *p, uint32_t least, bool control);
XG_FN bool xg_commands_meet(
    const xg_plan *p, const xg_plan_step *s, const xg_plan_step *t); /* true if one writes memory of the other */
/* ---- report.c ---- */
XG_FN const char *xg_exe_allocation_name(uint32_t kind);
XG_FN void xg_report_value_name(xg_buf *b, const xg_plan_value *v);
XG_FN void xg_plan_print_buffers(xg_buf *b, const xg_plan *p); /* the buffer assignment, as XLA writes it */
/* ---- text.c ---- */
XG_FN void xg_plan_print(xg_buf *b, const xg_plan *p);  /* the planned module */
XG_FN bool xg_plan_is_text(const char *text, size_t n); /* true if the first word is a planned module's */
XG_FN xg_module *xg_plan_parse_hlo(xg_ctx *c, xg_arena *a, const xg_source *src); /* the HLO inside it */
XG_FN xg_plan *xg_plan_parse(xg_ctx *c, xg_arena *a, const xg_source *src);       /* fails with a position */
/* ---- collectives.c ---- */
typedef enum xg_plan_sent_kind {
#define XLAGPU_X(name) XG_PLAN_SENT_##name,
    XLAGPU_COLLECTIVES(XLAGPU_X)
#undef XLAGPU_X
    XG_PLAN_SENT_COUNT
} xg_plan_sent_kind;
XG_FN xg_plan_sent_kind xg_plan_sent_kind_of(xg_opcode op);
/* What a device sends in a ring; for a ragged one and a permute an upper bound. */
XG_FN int64_t xg_plan_sent_bytes(const xg_inst *i);
XG_FN int64_t xg_plan_sent_time(const xg_inst *i); /* picoseconds, by the model of time */
/* The collective's text for a step; fails if no step can do it. */
XG_FN void xg_plan_collective(xg_buf *b, const xg_inst *i);
/* ---- peers.c ---- */
/* The number of members in each group of an all-reduce, 0 for others; and which kernels the model of time estimates to
 * be faster than NCCL: those that read all members' operands, those by a multicast object. */
XG_FN uint32_t xg_plan_peers(const xg_inst *i, bool *kernels, bool *cast);
/* A fusion, with its record, that reduces the operands of so many devices. Forget it after its kernel is emitted. */
XG_FN xg_inst *xg_plan_peers_fusion(const xg_inst *i, uint32_t operand, uint32_t members, const xg_emit_target *target);
XG_FN void xg_plan_peers_forget(xg_inst *fusion);
/* ---- multicast.c ---- */
enum {
    XG_CAST_ISA = 82 /* of .acc::f32 */
};
XG_FN bool xg_plan_can_cast(const xg_inst *i); /* true if multimem has instructions for this all-reduce */
/* The text and launch of a kernel of this name that reduces a device's part of the operand. */
XG_FN xg_str xg_plan_cast_kernel(
    xg_arena *a, const xg_inst *i, uint32_t operand, uint32_t members, xg_plan_kernel *k, uint32_t *instructions);
/* ---- combiner.c ---- */
XG_FN bool xg_plan_all_reduce_combiner(xg_module *m); /* passes */
XG_FN bool xg_plan_all_gather_combiner(xg_module *m);
XG_FN bool xg_plan_reduce_scatter_combiner(xg_module *m);
/* ---- windowed_einsum.c ---- */
XG_FN bool xg_plan_windowed_einsum(xg_module *m);     /* passes: where it pays off by the model of time, */
XG_FN bool xg_plan_windowed_everywhere(xg_module *m); /* and wherever it can be done */
/* ---- bytes.c ---- */
/* the serialised executable; its texts (ptx, hlo) end with a zero */
XG_FN xg_str xg_plan_executable(xg_plan *p, bool fill_elided, xg_arena *to);

/* ---- listing.c ---- */
XG_FN void xg_listing_print(xg_buf *b, xg_str exe); /* the thunks of an executable */
/* an executable without data, PTX and values; fails with a position */
XG_FN xg_str xg_listing_parse(xg_ctx *c, xg_arena *a, const xg_source *src);

/* Sections of an executable while they are written: bytes.c. */
typedef struct xg_exe_writer {
    xg_arena *arena;
    xg_buf sections[XG_EXE_SECTION_COUNT];
    xg_texts texts[XG_EXE_SECTION_COUNT]; /* of sections that are one text, zero-terminated */
    xg_dict strings;
    /* the executable's memory, for sections that are written in place and may be shorter than reserved; NULL: none */
    unsigned char *block;
    size_t room, at[XG_EXE_SECTION_COUNT];
    /* by slice: its place in a kernel's links, plus 1; entries of other kernels may be left over */
    uint32_t *place;
    uint64_t temp_bytes, host_bytes;
} xg_exe_writer;

/* bytes.c */
XG_FN xg_str xg_exe_assemble(xg_exe_writer *w, xg_exe_header *h, xg_arena *to);
XG_FN uint32_t xg_exe_string(xg_exe_writer *w, xg_str s); /* its offset among the strings; s lasts as long as w */
XG_FN uint32_t xg_exe_put(xg_exe_writer *w, xg_exe_section_kind kind, const void *record, size_t size);
XG_FN void xg_exe_put_value(xg_exe_writer *w, const xg_shape *s, uint32_t allocation, xg_str name, uint32_t alias,
    uint32_t size_of, const xg_ints *parts);

/* ---- attributes.c ---- */
/* Reads a dictionary of typed attributes into records, to which `to` refers. Gives NULL, or what is expected at *end,
 * where reading stopped. */
XG_FN const char *xg_attributes_read(xg_exe_writer *w, xg_str s, uint32_t *end, xg_exe_thunk *to);
/* Records, and the sections that they refer to. */
typedef struct xg_attributes_of {
    const xg_exe_attribute *records;
    const char *strings;
    const unsigned char *data;
} xg_attributes_of;
XG_FN void xg_attributes_print(xg_buf *b, const xg_attributes_of *in, uint32_t first, uint32_t n);
#endif /* XG_PLAN_H */
