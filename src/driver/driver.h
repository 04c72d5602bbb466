/* driver/driver.h -- the whole way from a parsed module to an executable, in one readable function, with dumps and
 * counts. */
#ifndef XG_DRIVER_H
#define XG_DRIVER_H
#include "../choice/choice.h"
#include "../emit/emit.h"
#include "../eval/eval.h"
#include "../expand/expand.h"
#include "../llvm/llvm.h"
#include "../algsimp/algsimp.h"
#include "../plan/plan.h"
#include "../ptx/ptx.h"
#include "../spmd/spmd.h"

typedef void (*xg_dump_fn)(void *user, const char *stage, const char *text, size_t size);
enum {
    XG_DRIVER_COMMANDS = 5,
    XG_DRIVER_NESTING = 64, /* depth of loops and branches in which steps are counted and timed */
    /* thousandths of the device's memory that a program may take: the rest is for the driver and for other programs */
    XG_DRIVER_MEMORY_PERMILLE = 900
};
#define XG_DRIVER_TARGET "sm_80"
typedef struct xg_driver_options {
    xg_target target; /* without a name: by the device, else XG_DRIVER_TARGET */
    xg_dump_fn dump;
    void *dump_user;
    uint32_t command_buffer_least; /* least number of commands in a command buffer; 0: XG_DRIVER_COMMANDS */
    bool no_command_buffers, command_buffer_control;
    bool predict;       /* estimate how long each kernel takes */
    bool schedules;     /* dump schedules */
    bool records;       /* dump records */
    xg_source tuned;    /* records by device and computation; without text: none */
    xg_source schedule; /* how kernels are made; without text: as the compiler decides */
    uint32_t libraries; /* bits of xg_exe_library */
    bool disable_all_passes, fill_elided, ftz, keep_hlo, deterministic, excess_precision, double_buffering;
    int64_t memory_limit;     /* bytes of device memory; 0: what the device has, as far as possible; negative: none */
    xg_str disable_passes;    /* comma-separated */
    uint32_t devices;         /* 0: as the module says */
    uint32_t machine_devices; /* 0: all of them */
    uint32_t combine_all_reduce, combine_all_gather, combine_reduce_scatter; /* bytes; 0: by the model of time */
    xg_str libdevice;                                                        /* .p NULL: none */
    const xg_backend *backend;                                               /* NULL: ptx */
    xlagpu_target_desc described; /* the caller's description of the device: its part, and the figures that are not 0 */
} xg_driver_options;

typedef struct xg_driver_report {
    int64_t picoseconds;       /* all steps, by the model of time; 0: not asked for */
    int64_t links_picoseconds; /* of collectives */
    uint32_t kernels, copies, library_calls, instructions, made_again;
    int64_t temp_bytes, total_bytes, largest_live;
    size_t ptx_bytes;
    uint32_t collectives;
    int64_t sent[XG_PLAN_SENT_COUNT]; /* bytes, by kind of collective */
} xg_driver_report;

/* A small build dumps only the module and the PTX. */
#ifdef XLAGPU_SMALL
#define XG_DRIVER_TELLS(o) false
#define XG_DRIVER_PREDICTS(o) false
#else
#define XG_DRIVER_TELLS(o) ((o)->dump != NULL)
#define XG_DRIVER_PREDICTS(o) ((o)->predict)
#endif

/* ---- small.c ---- */
#ifdef XLAGPU_SMALL
/* Fails where the module needs what this build lacks. */
XG_FN void xg_small_check(const xg_module *m, const xg_driver_options *o);
#endif

/* ---- pipeline.c ---- */
XG_FN void xg_driver_run_passes(xg_module *m, const xg_driver_options *o);
XG_FN void xg_driver_thresholds(xg_module *m, const xg_driver_options *o); /* of combined collectives */
/* Runs these passes, comma-separated, in that order; fails at an unknown name. */
XG_FN void xg_driver_run_named(xg_module *m, xg_str names);
XG_FN const char *xg_driver_pass_name(uint32_t i); /* each name once; NULL at the end */
XG_FN bool xg_driver_pass_is_required(const char *name);
XG_FN void xg_driver_dump_text(const xg_driver_options *o, const char *stage, const xg_buf *text);
XG_FN void xg_driver_dump_hlo(xg_module *m, const xg_driver_options *o, const char *stage);

/* ---- xla_flags.c ---- */
/* Applies "--xla_gpu_ftz=true ..." to *o and copies the texts; source is the name in messages. */
XG_FN void xg_driver_xla_flags(xg_arena *a, const char *source, const char *flags, xg_driver_options *o);

/* ---- lines.c ---- */
typedef struct xg_driver_lines {
    const xg_inst *const *insts; /* of the module, by id; NULL where there is none */
    uint32_t n_ids;
    const xg_inst *kernel; /* the fusion of the current kernel */
    xg_buf text;
    uint32_t n;
} xg_driver_lines;
XG_FN const xg_inst **xg_driver_insts_by_id(const xg_module *m, xg_arena *a);
/* Numbers the lines of a kernel's last IR for "ir_lines/K"; afterwards xg_kop.loc is the operation's line. */
XG_FN void xg_driver_number_lines(xg_kmodule *m, xg_driver_lines *lines);
XG_FN void xg_driver_dump_lines(const xg_kmodule *m, const xg_driver_options *o, const xg_driver_lines *lines);

/* ---- driver.c ---- */
/* Sets the module's target and device. */
XG_FN void xg_driver_aim(xg_module *m, const xg_target *t, const xg_device *d);
XG_FN void xg_driver_aim_usual(xg_module *m, const xg_target *t); /* the target's usual device */
XG_FN void xg_driver_spread(xg_module *m, uint32_t devices); /* for so many devices; fails if m names another number */
/* Gives the executable's bytes, in arena `to`; changes m. */
XG_FN xg_str xg_driver_compile(
    xg_module *m, xg_arena *a, const xg_driver_options *o, xg_driver_report *report, xg_arena *to);
/* The same from the text of a planned module. */
XG_FN xg_str xg_driver_compile_plan(
    xg_ctx *c, xg_arena *a, const xg_source *src, const xg_driver_options *o, xg_driver_report *report, xg_arena *to);

#endif /* XG_DRIVER_H */
