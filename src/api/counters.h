/* api/counters.h -- what the simulator counts, and the classes of instructions it counts by. */
#ifndef XG_API_COUNTERS_H
#define XG_API_COUNTERS_H

/* X(name): what devices do together. */
/* clang-format off */
#define XLAGPU_COLLECTIVES(X) \
    X(all_reduce) \
    X(all_gather) \
    X(reduce_scatter) \
    X(all_to_all) \
    X(collective_permute) \
    X(collective_broadcast) \
    X(ragged_all_to_all)
/* clang-format on */

/* X(name). A warp instruction is one instruction of up to 32 lanes; a lane instruction one of an active lane whose
 * guard is true.
 *   global_loads, global_stores, shared_loads, shared_stores   warp instructions, vectors count once; cp.async is a
 *       load and a store
 *   global_transactions   lines of 128 bytes that they touched, each counted once per instruction
 *   sectors, minimum_sectors   pieces of 32 bytes touched, and how few would have held as many bytes
 *   shared_transactions   passes over the banks: what the width asks for, and bank_conflicts more
 *   barriers   barriers that opened;  divergent_branches   branches where the lanes of a warp parted
 *   atomics, atomic_conflicts   warp instructions; lanes that had to wait because another lane of the warp changed the
 *                               same place
 *   tensor_operations   warp instructions on matrices: mma, wmma.mma, wgmma */
/* clang-format off */
#define XLAGPU_COUNTERS(X) \
    X(warp_instructions) \
    X(lane_instructions) \
    X(global_loads) \
    X(global_stores) \
    X(global_transactions) \
    X(sectors) \
    X(minimum_sectors) \
    X(shared_loads) \
    X(shared_stores) \
    X(shared_transactions) \
    X(bank_conflicts) \
    X(barriers) \
    X(atomics) \
    X(atomic_conflicts) \
    X(divergent_branches) \
    X(tensor_operations) \
    X(faults)
/* clang-format on */

/* X(NAME, text): what class_warps and class_lanes are indexed by. Arithmetic by its type; memory by the space that the
 * instruction names, generic addresses count as global. */
/* clang-format off */
#define XLAGPU_CLASSES(X) \
    X(INTEGER, "integer") \
    X(F32, "f32") \
    X(F64, "f64") \
    X(HALF, "half") \
    X(APPROXIMATION, "approximation") \
    X(CONVERSION, "conversion") \
    X(MOVE, "move") \
    X(GLOBAL, "global") \
    X(SHARED, "shared") \
    X(OTHER_MEMORY, "other_memory") \
    X(ATOMIC, "atomic") \
    X(CONTROL, "control") \
    X(BARRIER, "barrier") \
    X(WARP, "warp") \
    X(TENSOR, "tensor")
/* clang-format on */
typedef enum xlagpu_class {
#define XLAGPU_X(name, text) XLAGPU_CLASS_##name,
    XLAGPU_CLASSES(XLAGPU_X)
#undef XLAGPU_X
    XLAGPU_CLASS_COUNT
} xlagpu_class;

#endif /* XG_API_COUNTERS_H */
