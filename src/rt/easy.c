/* rt/easy.c -- host arrays in, host arrays out.
 *
 * An execution that is run this way keeps buffers for parameters and results, and room to change layouts in: a second
 * run allocates nothing. A program keeps such an execution for xlagpu_rt_run; both give all back at their end. */
#ifndef XG_RT_EASY_C
#define XG_RT_EASY_C
#include "execute.c"

/* Copies between logical row-major order and the buffer's, element by element; in: row-major to buffer. */
XG_FN void xr_permute(const xlagpu_rt_value *v, const char *from, char *to, bool in) {
    int64_t stride[XR_RANK_MAX], index[XR_RANK_MAX], step = 1;
    size_t elements = 1, size, k;
    uint32_t d;
    for (d = 0; d < v->rank; d++) {
        stride[v->minor_to_major[d]] = step;
        step *= v->dims[v->minor_to_major[d]];
        index[d] = 0;
        elements *= (size_t)v->dims[d];
    }
    if (!elements) return;
    size = v->bytes / elements;
    for (k = 0; k < elements; k++) {
        size_t place = 0;
        for (d = 0; d < v->rank; d++) place += (size_t)(index[d] * stride[d]);
        if (in)
            memcpy(to + place * size, from + k * size, size);
        else
            memcpy(to + k * size, from + place * size, size);
        for (d = v->rank; d-- > 0;) {
            if (++index[d] < v->dims[d]) break;
            index[d] = 0;
        }
    }
}
XG_FN bool xr_is_row_major(const xlagpu_rt_value *v) {
    uint32_t d;
    for (d = 0; d < v->rank; d++)
        if (v->minor_to_major[d] != (int64_t)v->rank - 1 - d) return false;
    return true;
}

/* Room for so many bytes, which stays with the execution. */
XG_FN char *xr_spare(xlagpu_execution *e, size_t bytes) {
    xg_ctx *c = &e->program->device->c;
    if (bytes <= e->spare_bytes) return (char *)e->spare;
    xg_mem_free(c, e->spare);
    e->spare = xg_mem_alloc(c, bytes);
    e->spare_bytes = e->spare ? bytes : 0;
    if (!e->spare) xr_fail(c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes to change a layout", bytes);
    return (char *)e->spare;
}

XG_FN xlagpu_status xr_move_in(
    xlagpu_execution *e, const xlagpu_rt_value *v, const xlagpu_rt_tensor *t, const xlagpu_buffer *b) {
    xlagpu_device *d = e->program->device;
    char *spare;
    if (!v->bytes) return XLAGPU_OK;
    if (xr_is_row_major(v)) return d->platform->upload(d, b->address, t->data, v->bytes);
    spare = xr_spare(e, v->bytes);
    if (!spare) return d->c.status;
    xr_permute(v, (const char *)t->data, spare, true);
    return d->platform->upload(d, b->address, spare, v->bytes);
}
XG_FN xlagpu_status xr_move_out(
    xlagpu_execution *e, const xlagpu_rt_value *v, const xlagpu_rt_tensor *t, const xlagpu_buffer *b) {
    xlagpu_device *d = e->program->device;
    xlagpu_status s;
    char *spare;
    if (!v->bytes) return XLAGPU_OK;
    if (xr_is_row_major(v)) return d->platform->download(d, t->data, b->address, v->bytes);
    spare = xr_spare(e, v->bytes);
    if (!spare) return d->c.status;
    s = d->platform->download(d, spare, b->address, v->bytes);
    if (s == XLAGPU_OK) xr_permute(v, spare, (char *)t->data, false);
    return s;
}

/* The array of which a value is a part. */
XG_FN XG_COLD void xr_whole(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    const xg_exe_value *v = &p->values[index];
    uint32_t d;
    out->dims = xr_parts(p, v);
    out->bytes = (size_t)xr_element_bytes(v->type);
    for (d = 0; d < v->rank; d++) out->bytes *= (size_t)out->dims[d];
}
/* Copies between a part, which begins there, and the whole, what the two have in common; both in row-major order. */
XG_FN void xr_part_copy(
    const xlagpu_rt_value *v, const int64_t *whole, const int64_t *start, char *all, char *part, bool in) {
    int64_t n[XR_RANK_MAX], at[XR_RANK_MAX];
    size_t size = (size_t)xr_element_bytes(v->type), bytes = size;
    uint32_t d;
    for (d = 0; d < v->rank; d++) {
        n[d] = XG_MIN(v->dims[d], whole[d] - start[d]);
        at[d] = 0;
        if (n[d] <= 0) return;
    }
    if (v->rank) bytes *= (size_t)n[v->rank - 1];
    for (;;) {
        size_t from = 0, to = 0;
        for (d = 0; d < v->rank; d++) {
            from = from * (size_t)whole[d] + (size_t)(start[d] + at[d]);
            to = to * (size_t)v->dims[d] + (size_t)at[d];
        }
        memcpy(in ? part + to * size : all + from * size, in ? all + from * size : part + to * size, bytes);
        for (d = v->rank ? v->rank - 1 : 0; d-- > 0;) {
            if (++at[d] < n[d]) break;
            at[d] = 0;
        }
        if (d == UINT32_MAX) return;
    }
}
/* Is this device the first one of its process that has the part? */
XG_FN XG_COLD bool xr_part_is_mine(const xlagpu_program *p, const xg_exe_value *v) {
    size_t bytes = (v->rank + (size_t)1) * sizeof(int64_t);
    uint32_t k = p->clique ? p->clique->first : 0, n = p->head.partitions;
    if (!v->parts) return p->rank == k;
    for (; k < p->rank && memcmp(xr_part(p, v, k % n), xr_part(p, v, p->rank % n), bytes) != 0; k++) {}
    return k == p->rank && *xr_part(p, v, k % n);
}
/* As xr_move_in and xr_move_out, for this device's part of a whole array. Behind the whole's end there are NaNs, and
 * where the device has no part of it. */
XG_FN XG_COLD xlagpu_status xr_move_part(
    xlagpu_execution *e, uint32_t index, const xlagpu_rt_tensor *whole, const xlagpu_buffer *b, bool in) {
    const xlagpu_program *p = e->program;
    const xg_exe_value *of = &p->values[index];
    const int64_t *part = of->parts ? xr_part(p, of, e->partition) : NULL;
    xlagpu_rt_value v;
    xlagpu_rt_tensor t = *whole;
    xlagpu_status s;
    xr_value(p, index, &v);
    if (!in && !xr_part_is_mine(p, of)) return XLAGPU_OK;
    if (!part) return in ? xr_move_in(e, &v, &t, b) : xr_move_out(e, &v, &t, b);
    t.data = xg_mem_alloc(&p->device->c, v.bytes + 1);
    if (!t.data) return xr_fail(&p->device->c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes for a part", v.bytes);
    memset(t.data, v.type == XLAGPU_PRED ? 1 : 0xFF, v.bytes);
    if (in && part[0]) xr_part_copy(&v, xr_parts(p, of), part + 1, (char *)whole->data, (char *)t.data, true);
    s = in ? xr_move_in(e, &v, &t, b) : xr_move_out(e, &v, &t, b);
    if (!in && s == XLAGPU_OK) xr_part_copy(&v, xr_parts(p, of), part + 1, (char *)whole->data, (char *)t.data, false);
    xg_mem_free(&p->device->c, t.data);
    return s;
}

XG_FN XG_COLD xlagpu_status xr_check_tensors(
    xg_ctx *c, const xlagpu_program *p, const xlagpu_rt_tensor *t, uint32_t n, bool results, bool whole) {
    uint32_t want = results ? p->head.n_results : p->head.n_params, k;
    const char *what = results ? "output" : "input";
    xlagpu_rt_value v;
    if (n != want)
        return xr_fail(c, XLAGPU_ERROR_USAGE, "%u %s%s given; the program has %u", n, what, n == 1 ? "" : "s", want);
    if (!t && n) return xr_fail(c, XLAGPU_ERROR_USAGE, "there are no %ss", what);
    for (k = 0; k < n; k++) {
        uint32_t index = results ? p->head.n_params + k : k;
        xr_value(p, index, &v);
        if (whole && p->values[index].parts) xr_whole(p, index, &v);
        if (t[k].bytes != v.bytes)
            return xr_fail(c, XLAGPU_ERROR_USAGE, "%s %u has %zu bytes; it needs %zu", what, k, t[k].bytes, v.bytes);
        if (!t[k].data && v.bytes) return xr_fail(c, XLAGPU_ERROR_USAGE, "%s %u has no data", what, k);
    }
    return XLAGPU_OK;
}

/* Once, in buffers that are there, and waits; the message of the execution becomes the device's. */
XG_FN XG_COLD xlagpu_status xr_run_once(
    xlagpu_execution *e, const xlagpu_buffer *parameters, const xlagpu_buffer *results) {
    xlagpu_device *d = e->program->device;
    xlagpu_status s = xlagpu_rt_execute(e, parameters, results, NULL);
    if (s != XLAGPU_OK) return xr_fail(&d->c, s, "%s", xlagpu_rt_execution_error(e));
    if (e->program->clique) {
        s = xlagpu_rt_execution_wait(e);
        return s == XLAGPU_OK ? s : xr_fail(&d->c, s, "%s", xlagpu_rt_execution_error(e));
    }
    s = d->platform->wait(d, NULL);
    e->running = s != XLAGPU_OK;
    return s;
}

/* Gives back what the easy way keeps. */
XG_FN XG_COLD void xr_easy_finish(xlagpu_execution *e) {
    xlagpu_program *p = e->program;
    uint32_t k;
    if (p->easy == e) p->easy = NULL;
    for (k = e->kept ? p->head.n_params + p->head.n_results : 0; k-- > 0;)
        if (!p->values[k].alias) xr_release(p->device, e->kept[k].address);
    xg_mem_free(&p->device->c, e->kept);
    xg_mem_free(&p->device->c, e->spare);
    e->kept = NULL;
    e->spare = NULL;
    e->spare_bytes = 0;
}

/* Buffers of all parameters and results. A result that shares a parameter's memory has its buffer: the copy of the
 * input is ours to give away. */
XG_FN XG_COLD xlagpu_status xr_easy_buffers(xlagpu_execution *e) {
    xlagpu_program *p = e->program;
    xlagpu_device *d = p->device;
    size_t n = (size_t)p->head.n_params + p->head.n_results, k;
    xlagpu_status s = XLAGPU_OK;
    if (e->kept) return XLAGPU_OK;
    e->kept = (xlagpu_buffer *)xg_mem_alloc(&d->c, (n + 1) * sizeof *e->kept);
    if (!e->kept) return xr_no_memory(&d->c);
    memset(e->kept, 0, (n + 1) * sizeof *e->kept);
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        uint32_t shares = p->values[k].alias & ~XG_EXE_MUST_ALIAS;
        if (shares) {
            e->kept[k] = e->kept[shares - 1];
            continue;
        }
        s = xr_alloc(d, (size_t)p->values[k].bytes, &e->kept[k].address);
        e->kept[k].bytes = (size_t)p->values[k].bytes;
    }
    if (s != XLAGPU_OK) xr_easy_finish(e);
    return s;
}

/* whole: those of a clique, of which each device takes and gives its parts. */
XG_FN xlagpu_status xr_run_tensors(
    xlagpu_execution *e, const xlagpu_rt_tensor *inputs, const xlagpu_rt_tensor *outputs, bool whole) {
    const xg_exe_header *h = &e->program->head;
    xlagpu_rt_value v;
    xlagpu_status s = xr_easy_buffers(e);
    uint32_t k;
    for (k = 0; k < h->n_params && s == XLAGPU_OK; k++) {
        xr_value(e->program, k, &v);
        s = whole ? xr_move_part(e, k, &inputs[k], &e->kept[k], true) : xr_move_in(e, &v, &inputs[k], &e->kept[k]);
    }
    if (s == XLAGPU_OK) s = xr_run_once(e, e->kept, e->kept + h->n_params);
    for (k = 0; k < h->n_results && s == XLAGPU_OK; k++) {
        xr_value(e->program, h->n_params + k, &v);
        s = whole ? xr_move_part(e, h->n_params + k, &outputs[k], &e->kept[h->n_params + k], false)
                  : xr_move_out(e, &v, &outputs[k], &e->kept[h->n_params + k]);
    }
    return s;
}

XLAGPU_DEF xlagpu_status xlagpu_rt_run_with(xlagpu_execution *e, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    xlagpu_status s;
    if (!e) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->program->device->c);
    s = xr_check_tensors(&e->program->device->c, e->program, inputs, n_inputs, false, false);
    if (s == XLAGPU_OK) s = xr_check_tensors(&e->program->device->c, e->program, outputs, n_outputs, true, false);
    return s == XLAGPU_OK ? xr_run_tensors(e, inputs, outputs, false) : s;
}

/* Every run begins with the same state of random numbers. After a failure nothing is kept. */
XLAGPU_DEF xlagpu_status xlagpu_rt_run(xlagpu_program *p, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    xlagpu_status s;
    if (!p) return XLAGPU_ERROR_USAGE;
    xr_begin(&p->device->c);
    s = xr_check_tensors(&p->device->c, p, inputs, n_inputs, false, false);
    if (s == XLAGPU_OK) s = xr_check_tensors(&p->device->c, p, outputs, n_outputs, true, false);
    if (s != XLAGPU_OK) return s;
    if (!p->easy) p->easy = xlagpu_rt_prepare(p);
    if (!p->easy) return p->device->c.status;
    xr_random_reset(p->easy);
    s = xr_run_tensors(p->easy, inputs, outputs, false);
    if (s != XLAGPU_OK) xlagpu_rt_finish(p->easy);
    return s;
}

#endif /* XG_RT_EASY_C */
