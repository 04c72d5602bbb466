/* plan/plan.h -- from a module of fusions to an executable: order, memory, thunks, bytes.
 *
 * Ideas
 * - schedule.c puts the instructions into the order that holds the least memory at a time; positions in that order,
 *   loops and branches included, are time.
 * - values.c: what defines an array is a value; tuples, get-tuple-element, bitcast and barriers make no code, they are
 *   other names for values. A value lives from the position that makes it to the last one that reads it under any of
 *   its names.
 * - alias.c: values that may lie in one place, one after the other, become one buffer: the state of a loop through all
 *   its turns, an operand and what is written over it, a parameter and the result that the module says shares its
 *   memory. Where that cannot be, a move copies: copies.c.
 * - rematerialize.c: with a memory limit, kernels are run twice until all of it fits.
 * - pack.c: parameters and results are the caller's memory, constants come with the executable, the rest shares one
 *   temporary block a memory space; a result's memory serves others until the result is made.
 * - thunks.c walks the schedule and makes the steps; text.c prints the plan and reads it back; bytes.c writes the
 *   executable, attributes.c what calls are told. */
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

/* X(NAME): what a value is.
 *   MADE       by its instruction         PARAMETER, CONSTANT
 *   IN, OUT    the state of a loop: as its computations see it, and after it
 *   LANDED     the result of a conditional, at the end of a branch        JOINED     after it
 *   RESULT     a leaf of the program's result at the end        SPARE      for a move among others that go round in a
 *              circle, or for a library to work in */
#define XG_PLAN_VALUES(X) X(MADE) X(PARAMETER) X(CONSTANT) X(IN) X(OUT) X(LANDED) X(JOINED) X(RESULT) X(SPARE)
typedef enum xg_value_role {
#define X(name) XG_VALUE_##name,
    XG_PLAN_VALUES(X)
#undef X
    XG_VALUE_ROLE_COUNT
} xg_value_role;

typedef struct xg_plan_value { /* an array at a time */
    const xg_inst *inst;
    uint32_t leaf; /* which leaf of the instruction's shape */
    xg_value_role role;
    const xg_shape *shape;
    uint32_t first, last; /* positions in the schedule between which it is needed */
    uint32_t branch;      /* LANDED */
    uint32_t over : 30;   /* MADE: the operand that it must be written over, plus 1 */
    uint32_t copied : 1;  /* and that operand is copied into its buffer beforehand */
    uint32_t donor : 1;   /* PARAMETER: a result may take its memory */
    /* IN, OUT, LANDED, RESULT: the value that becomes it without a copy if both have one buffer */
    struct xg_plan_value *from;
    xg_buffer *buffer;
} xg_plan_value;

/* Memory in which one or several values lie, one after the other. Most are made with their only value: two lines. */
struct xg_buffer {
    XG_VEC(xg_plan_value *) values; /* by time; they do not overlap */
    uint8_t kind;                   /* xg_exe_allocation_kind */
    bool placed, used;              /* used: a step names it */
    uint32_t index;                 /* parameter leaf or result leaf number */
    uint32_t donated;               /* PARAMETER: the result leaf that shares its memory, plus 1 */
    int32_t space;                  /* S(n); all that 31 bits do not hold are one */
    int64_t bytes;                  /* of each of its values */
    uint32_t first, last;           /* of all its values together */
    uint32_t host;                  /* TEMP that lies in the memory of a result: the slice of that, plus 1 */
    uint32_t slice;                 /* number of its slice in the executable */
    int64_t offset;                 /* in the block, or in the host */
    union {
        struct {
            uint32_t reads, mover;
        } moves;      /* while moves are put into order */
        double need;  /* while it is packed: how much there is to gain if it lies in a result, */
        int64_t best; /* then the offset in the smallest block so far */
    } work;
};

typedef struct xg_plan_move {
    xg_buffer *from, *to;
} xg_plan_move;
typedef XG_VEC(xg_plan_move) xg_plan_moves;

/* Of a loop: before it, and at the end of each turn. Of a conditional: at the end of each branch. Of a fusion: before
 * the kernel. */
typedef struct xg_plan_site {
    const xg_inst *inst;
    uint32_t n, *at;
    xg_plan_moves *moves;
} xg_plan_site; /* at: the position of each list */

/* links are slices: of a kernel or call the buffers of its operand leaves, then those of its result leaves; children
 * are sequences: of a while its condition and body, of a conditional its branches. */
typedef struct xg_plan_step {
    xg_exe_thunk_kind kind;
    const xg_inst *inst;
    uint32_t kernel, value, n_links, n_children, *links, *children;
    uint32_t n_written; /* KERNEL and calls: how many of the links, counted from the end, are results */
    /* COLLECTIVE: for each operand a kernel that reads it on all devices, one of a multicast object; NULL: none */
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
    uint64_t flops;          /* plus 1, once a step asked for them */
    xg_cost_prediction time; /* if it was asked for */
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
    /* loops ask their condition even where the number of turns is known: command buffers can do that, but cannot
     * count */
    bool asks;
    uint32_t end;    /* the last position */
    uint32_t n_made; /* instructions that are steps, nearly all of which are one each */
    XG_VEC(xg_plan_space) spaces;
    XG_VEC(xg_plan_step) steps;
    XG_VEC(xg_plan_sequence *) sequences; /* 0: the entry */
    xg_plan_moves at_end;
    int64_t temp_bytes, largest_live; /* of device memory */
    XG_VEC(xg_plan_kernel) kernels;
    xg_records *records; /* of its kernels */
    /* by instruction id: where its leaves stand in names, plus 1; 0: they have no values */
    uint32_t *first_name, n_first;
    XG_VEC(xg_plan_value *) names; /* the values of its leaves; NULL: none */
    xg_plan_site **sites;          /* by instruction id; NULL: none */
    xg_map64 workspaces;           /* 2 id + 1, 2 id + 2 -> xg_plan_value: memory to work in; counters */
    XG_VEC(const xg_inst *) joins; /* instructions that have sites, in order */
    xg_texts ptx;                  /* or object code */
    bool is_object;                /* for a host's processor */
    xg_str hlo, target_name;
    uint32_t target;
} xg_plan;

/* ---- values.c ---- */
XG_FN xg_plan *xg_plan_values(xg_arena *a, xg_module *m); /* all values and how long they live */
XG_FN xg_plan_value *xg_plan_value_of(
    const xg_plan *p, const xg_inst *i, uint32_t leaf);              /* NULL: what takes no memory, a token */
XG_FN xg_plan_value *xg_plan_value_at(const xg_plan *p, uint32_t k); /* the k-th, in a walk over all */
/* The copies around an instruction; NULL: it has none. */
XG_FN xg_plan_site *xg_plan_site_of(const xg_plan *p, const xg_inst *i);
XG_FN xg_plan_value *xg_plan_value_new(
    xg_plan *p, const xg_inst *i, uint32_t leaf, xg_value_role role, const xg_shape *s, uint32_t first);
XG_FN int64_t xg_plan_bytes(const xg_shape *s); /* of an array in a buffer */
/* Of what the step has beside its operands and results; NULL: it has no record. */
XG_FN int64_t xg_plan_workspace_bytes(const xg_record *r, bool counters);
/* of the shape there; they last as long as that place */
XG_FN const xg_shape *const *xg_plan_leaves(xg_arena *a, const xg_shape *const *shape, uint32_t *n);
XG_FN bool xg_plan_forwards(const xg_inst *i); /* another name for memory */
XG_FN uint32_t xg_plan_forwarded(const xg_inst *i, uint32_t leaf, uint32_t *operand);
/* ---- schedule.c ---- */
XG_FN bool xg_plan_schedule(xg_module *m); /* a pass */
/* ---- alias.c ---- */
/* they lie in one buffer, whatever else is known */
XG_FN void xg_plan_unite(xg_plan *p, xg_plan_value *a, xg_plan_value *b);
XG_FN void xg_plan_alias(xg_plan *p); /* values to buffers */
/* ---- copies.c ---- */
XG_FN void xg_plan_copies(xg_plan *p); /* moves where values that should cannot be one buffer */
XG_FN void xg_copies_print(xg_buf *b, const xg_plan *p);
XG_FN xg_buffer *xg_plan_operand_buffer(
    const xg_plan *p, const xg_inst *i, uint32_t operand, uint32_t leaf); /* where a step reads it */
/* ---- pack.c ---- */
XG_FN void xg_plan_pack(xg_plan *p);                       /* offsets */
XG_FN xg_plan *xg_plan_buffers(xg_arena *a, xg_module *m); /* values, alias, copies, pack */
/* ---- thunks.c ---- */
XG_FN void xg_plan_thunks(xg_plan *p); /* makes the steps */
/* Gives each step that is a kernel to `kernel`, which returns its number in p->kernels. */
typedef uint32_t (*xg_plan_kernel_fn)(void *user, xg_plan *p, uint32_t step);
XG_FN void xg_plan_kernels(xg_plan *p, xg_plan_kernel_fn kernel, void *user);
XG_FN void xg_plan_cost(const xg_plan *p, const xg_plan_step *s, uint64_t *flops, uint64_t *bytes);
XG_FN xg_plan_step *xg_plan_step_new(
    xg_plan *p, xg_plan_sequence *to, xg_exe_thunk_kind kind, const xg_inst *i, uint32_t n_links);
/* ---- rematerialize.c ---- */
XG_FN bool xg_plan_rematerialize(xg_module *m); /* a pass: what a memory limit asks for */
/* ---- commands.c ---- */
/* runs of at least so many commands; control: loops and branches, too */
XG_FN void xg_plan_command_buffers(xg_plan *p, uint32_t least, bool control);
XG_FN bool xg_commands_meet(
    const xg_plan *p, const xg_plan_step *s, const xg_plan_step *t); /* one writes what the other has */
/* ---- report.c ---- */
XG_FN const char *xg_exe_allocation_name(uint32_t kind);
XG_FN void xg_report_value_name(xg_buf *b, const xg_plan_value *v);
XG_FN void xg_plan_print_buffers(xg_buf *b, const xg_plan *p); /* the buffer assignment, as XLA writes it */
/* ---- text.c ---- */
XG_FN void xg_plan_print(xg_buf *b, const xg_plan *p);  /* the planned module */
XG_FN bool xg_plan_is_text(const char *text, size_t n); /* a planned module, to judge by its first word */
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
/* That a device sends in it, as rings do it; of a ragged one and a permute at most. */
XG_FN int64_t xg_plan_sent_bytes(const xg_inst *i);
XG_FN int64_t xg_plan_sent_time(const xg_inst *i);          /* picoseconds, by the model of time */
XG_FN void xg_plan_collective(xg_buf *b, const xg_inst *i); /* as a step says it; fails where there is no such step */
/* ---- peers.c ---- */
/* The members of each group of an all-reduce, 0: it is none; and which ways are sooner than NCCL by the model of time:
 * kernels that read what all members have, kernels of a multicast object. */
XG_FN uint32_t xg_plan_peers(const xg_inst *i, bool *kernels, bool *cast);
/* A fusion that reduces the operand as so many devices have it, with its record. Forget it when its kernel is made. */
XG_FN xg_inst *xg_plan_peers_fusion(const xg_inst *i, uint32_t operand, uint32_t members, const xg_emit_target *target);
XG_FN void xg_plan_peers_forget(xg_inst *fusion);
/* ---- multicast.c ---- */
enum {
    XG_CAST_ISA = 82 /* of .acc::f32 */
};
XG_FN bool xg_plan_can_cast(const xg_inst *i); /* are there instructions for such an all-reduce? */
/* The text and launch of a kernel of this name that reduces a device's part of the operand. */
XG_FN xg_str xg_plan_cast_kernel(
    xg_arena *a, const xg_inst *i, uint32_t operand, uint32_t members, xg_plan_kernel *k, uint32_t *instructions);
/* ---- combiner.c ---- */
XG_FN bool xg_plan_all_reduce_combiner(xg_module *m); /* passes */
XG_FN bool xg_plan_all_gather_combiner(xg_module *m);
XG_FN bool xg_plan_reduce_scatter_combiner(xg_module *m);
/* ---- windowed_einsum.c ---- */
XG_FN bool xg_plan_windowed_einsum(xg_module *m);     /* passes: where the model of time says that it pays, */
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
    xg_texts texts[XG_EXE_SECTION_COUNT]; /* of sections that are one text: a zero is behind it */
    xg_dict strings;
    /* the executable's own memory, where sections are written that may need less than they were given; NULL: none */
    unsigned char *block;
    size_t room, at[XG_EXE_SECTION_COUNT];
    /* by slice: where a kernel's links have it, plus 1; what another kernel left there does not matter */
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
/* A dictionary of typed attributes as records that `to` names. NULL, or what is expected at *end, where reading
 * stopped. */
XG_FN const char *xg_attributes_read(xg_exe_writer *w, xg_str s, uint32_t *end, xg_exe_thunk *to);
/* Where records and what they name lie. */
typedef struct xg_attributes_of {
    const xg_exe_attribute *records;
    const char *strings;
    const unsigned char *data;
} xg_attributes_of;
XG_FN void xg_attributes_print(xg_buf *b, const xg_attributes_of *in, uint32_t first, uint32_t n);
#endif /* XG_PLAN_H */
