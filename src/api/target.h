/* api/target.h -- the description of a device: what both headers say about a GPU. */
#ifndef XG_API_TARGET_H
#define XG_API_TARGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(figure, the most it may be, what it is). Rates are lanes a clock of one multiprocessor; matrix rates are
 * multiply-adds a clock of one multiprocessor, of dense matrices. */
/* clang-format off */
#define XLAGPU_TARGET_FIGURES(X) \
    X(sm_count, 1 << 20, "multiprocessors") \
    X(threads_per_sm, 1 << 20, "resident threads of a multiprocessor") \
    X(blocks_per_sm, 1 << 20, "resident blocks of a multiprocessor") \
    X(threads_per_block, 1 << 20, "threads a block may have") \
    X(blocks_per_cluster, 8, "blocks of a cluster that every device of the kind runs; 1: there are no clusters") \
    X(async_bytes, 16, "bytes that one instruction of a thread copies to shared memory while it goes on; 0: none") \
    X(red_bytes, 16, "bytes of neighbouring floats that one instruction adds to memory") \
    X(registers_per_sm, 1 << 24, "32-bit registers of a multiprocessor") \
    X(registers_per_thread, 1 << 16, "32-bit registers a thread may have") \
    X(shared_per_sm, 1 << 30, "bytes of shared memory of a multiprocessor") \
    X(shared_per_block, 1 << 30, "bytes of shared memory a block may have, with opt-in") \
    X(shared_static, 48 << 10, "bytes of shared memory a block may declare without opt-in") \
    X(shared_reserved, 1 << 30, "bytes of shared memory that the system takes of each block") \
    X(l1_bytes, 1 << 30, "bytes of a multiprocessor's first cache and shared memory together") \
    X(l2_bytes, (int64_t)1 << 40, "bytes of the second cache") \
    X(l2_bandwidth, (int64_t)1 << 50, "bytes a second that the second cache gives all multiprocessors") \
    X(memory_bytes, (int64_t)1 << 50, "bytes of device memory") \
    X(bandwidth, (int64_t)1 << 50, "bytes a second of device memory, as its maker says") \
    X(read_permille, 1000, "thousandths of that which long streams of loads, or of stores, reach") \
    X(copy_permille, 1000, "thousandths of that which half loads, half stores reach") \
    X(link_bandwidth, (int64_t)1 << 50, "bytes a second to other devices, one way; 0: as to the host") \
    X(network_bandwidth, (int64_t)1 << 50, "bytes a second to devices of other machines, one way") \
    X(host_bandwidth, (int64_t)1 << 50, "bytes a second to the host, one way") \
    X(clock_mhz, 1 << 20, "the highest clock") \
    X(tensor_mhz, 1 << 20, "the clock that power allows while matrix units are busy in every clock with random data") \
    X(f32_rate, 1 << 20, "f32 additions, multiplications, fused multiply-adds") \
    X(f16_rate, 1 << 20, "the same of f16 and bf16, elements of packed pairs") \
    X(f64_rate, 1 << 20, "the same of f64") \
    X(int_rate, 1 << 20, "32-bit integer additions, logic, shifts, comparisons, selections") \
    X(special_rate, 1 << 20, "ex2, lg2, rcp, rsqrt, sin, cos, tanh") \
    X(convert_rate, 1 << 20, "conversions between integers and floats") \
    X(shuffle_rate, 1 << 20, "lanes of shuffles") \
    X(tensor_f16, 1 << 20, "matrix units, f16 and bf16 into f32") \
    X(tensor_tf32, 1 << 20, "... tf32") \
    X(tensor_f8, 1 << 20, "... f8") \
    X(tensor_i8, 1 << 20, "... 8-bit integers") \
    X(tensor_f64, 1 << 20, "... f64") \
    X(tensor_f4, 1 << 20, "... f4 with scales") \
    X(mma_permille, 1000, "thousandths of these that mma.sync reaches, where other instructions reach more") \
    X(launch_ns, 1000000, "nanoseconds from kernel to kernel of a stream, beyond their work") \
    X(graph_ns, 1000000, "the same inside a graph") \
    X(shared_latency, 1 << 20, "clocks of a load from shared memory") \
    X(l1_latency, 1 << 20, "clocks of a load from the first cache") \
    X(l2_latency, 1 << 20, "... from the second cache") \
    X(memory_latency, 1 << 20, "... from device memory") \
    X(meet_ns, 1000000, "nanoseconds until a stream goes on behind an event that another device records") \
    X(link_reduces, 2, "1: what links devices adds up and multicasts (NVLink SHARP); 2: it does not")
/* clang-format on */

/* What the compiler and the time model know of a GPU. A zero field is by part, or else by target. */
typedef struct xlagpu_target_desc {
    /* "sm_75" ... "sm_90a" ... "sm_121"; NULL: that of the part, else "sm_80". PTX is made for the name without its
     * letter, and so runs on later devices too, unless an instruction needs the letter */
    const char *name;
    const char *part; /* "H200", "L40" ...: xlagpu_part_name lists them; NULL: the target's usual one */
#define XLAGPU_X(figure, most, what) uint64_t figure;
    XLAGPU_TARGET_FIGURES(XLAGPU_X)
#undef XLAGPU_X
} xlagpu_target_desc;

#endif /* XG_API_TARGET_H */
