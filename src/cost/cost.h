/* cost/cost.h -- what a device is, in one place: sizes, limits, rates and latencies that every room reads.
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
    const char *part; /* whose figures these were; NULL: there is no device */
    uint32_t cc;      /* compute capability times 10: 90 */
#define X(figure, most, what) int64_t figure;
    XLAGPU_TARGET_FIGURES(X)
#undef X
} xg_device;

/* ---- device.c ---- */
XG_FN const char *xg_device_part_name(size_t i); /* in the order of the table; NULL behind the last */
/* A part by its name, or the usual one of a compute capability; false when there is none. */
XG_FN bool xg_device_of_part(xg_str name, xg_device *out);
XG_FN bool xg_device_of_cc(uint32_t cc, xg_device *out);
/* The part of this compute capability whose name stands in a driver's ("NVIDIA H100 80GB HBM3"), else the usual one; of
 * a compute capability that is not known yet, the usual one of the nearest below. */
XG_FN void xg_device_of_driver_name(uint32_t cc, const char *name, xg_device *out);
/* Figures of the description that are not 0 replace those of the device, within the bounds of the list. */
XG_FN void xg_device_apply(xg_device *d, const xlagpu_target_desc *desc);
XG_FN void xg_device_describe(const xg_device *d, xlagpu_target_desc *out); /* all figures */
XG_FN int64_t xg_device_threads(const xg_device *d);                        /* resident ones of all multiprocessors */
XG_FN int64_t xg_device_gbs(int64_t bytes_a_second);                        /* in 10^9, at least 1 */
/* As text, "H100, sm_count=114": the part, then what differs from it. */
XG_FN void xg_device_print(xg_buf *b, const xg_device *d);
XG_FN const char *xg_device_parse(xg_str text, xg_device *out); /* NULL, or what is wrong */

/* Where key="value" begins among attributes, {a="b",key="value"}; 0: it is not there. */
XG_FN size_t xg_device_find(xg_str attributes, const char *key);

#endif /* XG_COST_H */
