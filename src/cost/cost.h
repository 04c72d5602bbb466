/* cost/cost.h -- what a device is, in one place, and how long a kernel takes on it.
 *
 * Ideas
 * - A device is a row of figures (api/target.h lists them). A table of parts says them for real GPUs; every compute
 *   capability has a usual part, which stands for "a target" where no device is at hand.
 * - Figures may be replaced one by one: by a caller's description, by the attributes of the driver, by a module's text
 *   ("H100, sm_count=114"). A zero figure in a description means "by part".
 *
 * Laws
 * - No other room has a figure of a device, nor a default for one.
 * - All figures are integers, within the bounds of the list: products of two of them fit into 63 bits where one is a
 *   count or a rate. */
#ifndef XG_COST_H
#define XG_COST_H
#include "../api/target.h"
#include "../base/base.h"

typedef struct xg_device {
    const char *part;   /* whose figures these were; NULL: there is no device */
    uint32_t cc;        /* compute capability times 10: 90 */
    bool warp_groups;   /* four warps multiply what lies in shared memory: wgmma; and the target allows it */
    bool tensor_memory; /* ... one thread, and sums lie in a memory of their own: tcgen05; and the target allows it */
    bool tensor_memory_i8; /* ... of integers, too */
#define X(figure, most, what) int64_t figure;
    XLAGPU_TARGET_FIGURES(X)
#undef X
} xg_device;

/* What all devices have in common (CUDA C++ Programming Guide, compute capabilities 7.5 to 12.1). */
enum {
    XG_WARP_LANES = 32,         /* threads that execute an instruction together */
    XG_SECTOR_BYTES = 32,       /* what memory and caches give at least, at a multiple of it */
    XG_LINE_BYTES = 128,        /* four sectors with one tag */
    XG_PASS_BYTES = 128,        /* of shared memory and of the first cache, a clock (quack: 128; gpu-benches: 126) */
    XG_BANKS = 32,              /* of shared memory: a pass is a word of each */
    XG_BANK_BYTES = 4,          /* a word */
    XG_ACCESS_BYTES = 16,       /* the widest access of a thread */
    XG_SHARED_GRAIN_BYTES = 16, /* an array in shared memory begins at a multiple of it */
    XG_SHARED_STATIC_BYTES = 48 << 10 /* of shared memory, that a block has without asking for more */
};
/* What an array of so many bytes takes of shared memory. */
XG_INLINE int64_t xg_shared_whole(int64_t bytes) {
    return (bytes + XG_SHARED_GRAIN_BYTES - 1) & -(int64_t)XG_SHARED_GRAIN_BYTES;
}

/* ---- device.c ---- */
enum {
    XG_DEVICE_CPU_CC = 70,      /* what stands for a compute capability of a host's processor: below all GPUs */
    XG_DEVICE_WIDE_CPU_CC = 71, /* ... of one with registers of 64 bytes */
    XG_DEVICE_LIST_MAX = 512    /* characters of all names of parts */
};
/* fma.rn.f32x2 is one instruction: not before, and of later parts it becomes two. */
XG_INLINE bool xg_device_has_pairs(const xg_device *d) { return d->tensor_memory && d->cc < 110; }
XG_INLINE bool xg_device_is_cpu(const xg_device *d) { return d->cc <= XG_DEVICE_WIDE_CPU_CC; }
XG_FN const char *xg_device_part_name(size_t i); /* in the order of the table; NULL behind the last */
/* "T4, A100 ...": all of them, for the message about an unknown name. */
XG_FN void xg_device_part_list(char *out, size_t cap);
/* A part by its name, or the usual one of a compute capability; false when there is none. */
XG_FN bool xg_device_of_part(xg_str name, xg_device *out);
XG_FN bool xg_device_of_cc(uint32_t cc, xg_device *out);
/* The part of this compute capability whose name stands in a driver's ("NVIDIA H100 80GB HBM3"), else the usual one; of
 * a compute capability that is not known yet, the usual one of the nearest below. */
XG_FN void xg_device_of_driver_name(uint32_t cc, const char *name, xg_device *out);
/* Figures of the description that are not 0 replace those of the device, within the bounds of the list. */
XG_FN void xg_device_apply(xg_device *d, const xlagpu_target_desc *desc);
XG_FN void xg_device_describe(const xg_device *d, xlagpu_target_desc *out); /* all figures */
/* Bytes that shared memory moves for each of the device's memory: 4 of a B200, 9 of an H100, 12 of an A100, 29 of an
 * RTX 5090. */
XG_FN int64_t xg_device_shared_times(const xg_device *d);
/* Beside such memory, bytes that pass shared memory twice as 16 bits are late. Without clusters blocks have longer
 * sums, and wait for more of the conversions: by the model as many shapes of tiles lose there as win. */
XG_FN bool xg_device_is_narrow(const xg_device *d);
XG_FN int64_t xg_device_threads(const xg_device *d); /* resident ones of all multiprocessors */
XG_FN int64_t xg_device_gbs(int64_t bytes_a_second); /* in 10^9, at least 1 */
/* As text, "H100, sm_count=114": the part, then what differs from it. */
XG_FN void xg_device_print(xg_buf *b, const xg_device *d);
XG_FN const char *xg_device_parse(xg_str text, xg_device *out); /* NULL, or what is wrong */

/* Where key="value" begins among attributes, {a="b",key="value"}; 0: it is not there. */
XG_FN size_t xg_device_find(xg_str attributes, const char *key);

/* What something is estimated by: counts, bytes. Nothing; a test that compares all estimates, not only what is chosen
 * by them, has a definition of its own. */
#ifndef XG_ESTIMATED
#define XG_ESTIMATED(object) ((void)0)
#endif

/* ---- time.c: from counts to time ---- */
/* X(NAME, text, figure): the pipes of a multiprocessor, and the figure that says their lanes a clock. */
/* clang-format off */
#define XG_COST_PIPES(X) \
    X(F32, "f32", f32_rate) \
    X(HALF, "f16", f16_rate) \
    X(F64, "f64", f64_rate) \
    X(INTEGER, "integer", int_rate) \
    X(SPECIAL, "special", special_rate) \
    X(CONVERT, "convert", convert_rate)
/* X(NAME, text, figure): what matrix units multiply. */
#define XG_COST_TENSORS(X) \
    X(F16, "f16", tensor_f16) \
    X(TF32, "tf32", tensor_tf32) \
    X(F8, "f8", tensor_f8) \
    X(I8, "i8", tensor_i8) \
    X(F64, "f64", tensor_f64) \
    X(F4, "f4", tensor_f4)
/* X(NAME, text): what else a kernel may wait for. */
#define XG_COST_LIMITS(X) \
    X(ISSUE, "issue") \
    X(TENSOR, "tensor") \
    X(SHARED, "shared") \
    X(L1, "l1") \
    X(L2, "l2") \
    X(MEMORY, "memory") \
    X(LATENCY, "latency") \
    X(LAUNCH, "launch")
/* clang-format on */
typedef enum xg_cost_pipe {
#define X(NAME, text, figure) XG_PIPE_##NAME,
    XG_COST_PIPES(X)
#undef X
    XG_PIPE_COUNT
} xg_cost_pipe;
typedef enum xg_cost_tensor {
#define X(NAME, text, figure) XG_TENSOR_##NAME,
    XG_COST_TENSORS(X)
#undef X
    XG_TENSOR_COUNT
} xg_cost_tensor;
typedef enum xg_cost_limit { /* the pipes, then the rest */
    XG_LIMIT_BEFORE = XG_PIPE_COUNT - 1,
#define X(NAME, text) XG_LIMIT_##NAME,
    XG_COST_LIMITS(X)
#undef X
    XG_LIMIT_COUNT
} xg_cost_limit;

/* What a kernel does: counted by the simulator, or estimated by the compiler. Of the whole grid where not said. */
typedef struct xg_cost_counts {
    int64_t blocks, threads; /* threads: of a block */
    int64_t longest; /* work of the first block, in thousandths of the mean's, of which later ones have less and less;
                      * 0: all are alike */
    int64_t shared_bytes;             /* of a block */
    int64_t registers;                /* of a thread; 0: not known */
    int64_t issued;                   /* warp instructions */
    int64_t shared_passes, l1_passes; /* of 128 bytes, conflicts included */
    int64_t l2_sectors;               /* of 32 bytes that multiprocessors ask the second cache for, or write there */
    /* Of these two, what goes on beside the threads: passes of bulk copies and of matrix units that read operands,
     * sectors of bulk copies; and sectors that multicast brings to one more multiprocessor. */
    int64_t unit_passes, bulk_sectors, multicast_sectors;
    int64_t read_bytes, written_bytes; /* of device memory */
    int64_t warp_clocks;               /* of a block that is alone: until its last warp ends */
    int64_t warp_issued, warp_tensor;  /* of one of its warps: instructions; clocks that its matrix unit works for it */
    int64_t barriers;                  /* that a block takes */
    int64_t tail_clocks;           /* of the last block, when all others are done: nothing else goes on beside them */
    int64_t pipes[XG_PIPE_COUNT];  /* warp instructions that take their lanes there */
    int64_t macs[XG_TENSOR_COUNT]; /* multiply-adds of instructions that feed matrix units from shared memory */
    int64_t warp_macs[XG_TENSOR_COUNT]; /* ... from a warp's registers: mma.sync */
} xg_cost_counts;
enum {
    XG_COST_PEER_CLOCKS = 205, /* of a load from the shared memory of another block of a cluster (H100: 196 to 213) */
    XG_COST_MEET_CLOCKS = 205, /* of a barrier of a cluster: the way to another block and back, E */
    XG_COST_PORT_BYTES = 64,   /* a clock from the second cache into one multiprocessor (CUDA: 64; 37 if all ask) */
    XG_COST_TURNOVER_CLOCKS =
        430 /* from a block's end to its successor's begin (gpu-benches, gpu-stream: 400 to 450) */
};
typedef struct xg_cost_prediction {
    int64_t picoseconds;                /* from the end of the kernel before to this one's, in a graph */
    int64_t terms[XG_LIMIT_COUNT];      /* picoseconds that each resource alone would take */
    xg_cost_limit limit;                /* the largest of them; less than XG_PIPE_COUNT: a pipe */
    int64_t permille;                   /* of the device's best: bandwidth, or the pipe that is used most */
    int64_t residents, rounds_permille; /* blocks of a multiprocessor at a time; rounds of them */
} xg_cost_prediction;
/* The counts of a grid that is so many times as large, on so many times the memory. */
XG_FN void xg_cost_grow(xg_cost_counts *c, int64_t grid, int64_t memory);
XG_FN int64_t xg_cost_rate(const xg_device *d, xg_cost_pipe pipe); /* of a multiprocessor, lanes in a clock */
XG_FN int64_t xg_cost_residents(const xg_device *d, const xg_cost_counts *c);
XG_FN int64_t xg_cost_registers(const xg_device *d, int64_t blocks, int64_t threads); /* that so many leave a thread */
XG_FN xg_cost_prediction xg_cost_predict(const xg_device *d, const xg_cost_counts *c);
XG_FN int64_t xg_cost_picoseconds(const xg_device *d, const xg_cost_counts *c); /* of the prediction, alone */
XG_FN int64_t xg_cost_launched(const xg_device *d, const xg_cost_counts *c);    /* the same without the launch */
XG_FN double xg_cost_moved(const xg_device *d, double bytes);    /* picoseconds at the bandwidth that a copy reaches */
XG_FN int64_t xg_cost_copied(const xg_device *d, int64_t bytes); /* ... in whole picoseconds, at most 9e17 */
XG_FN const char *xg_cost_limit_name(uint32_t limit);
XG_FN int64_t xg_cost_tensor_rate(
    const xg_device *d, xg_cost_tensor type);                 /* multiply-adds of a multiprocessor a clock */
XG_FN int64_t xg_cost_norm(const int64_t *terms, uint32_t n); /* the fourth root of the sum of fourth powers */
/* Sums and products that saturate; a * b / c without an intermediate overflow, rounded down, c > 0. */
XG_FN int64_t xg_cost_add(int64_t a, int64_t b);
XG_FN int64_t xg_cost_mul(int64_t a, int64_t b);
XG_FN int64_t xg_cost_add_mul(int64_t a, int64_t b, int64_t c); /* a + b * c */
XG_FN int64_t xg_cost_scale(int64_t a, int64_t b, int64_t c);

#endif /* XG_COST_H */
