/* rt/program.c -- executable bytes to a program.
 *
 * Law: every index and size is checked here, before anything is used, so that running needs no check: slices lie in
 * their allocations, allocations of parameters and results are those that the caller's buffers are bound to, thunks
 * form a tree (what ran twice could run forever), kernels take as many buffers as they are given. What the PTX does is
 * not checked: on a GPU, bytes are as trusted as a program. */
#ifndef XG_RT_PROGRAM_C
#define XG_RT_PROGRAM_C
#include "rt.h"
#include "device.c"

XG_FN XG_COLD xlagpu_status xr_damaged(xlagpu_program *p, const char *what) {
    return xr_fail(&p->device->c, XLAGPU_ERROR_CORRUPT, "the executable is damaged: %s", what);
}
XG_ONE_COPY XG_FN XG_COLD const unsigned char *xr_section(const xlagpu_program *p, xg_exe_section_kind k) {
    return p->bytes + p->sections[k].offset;
}
XG_FN XG_COLD bool xr_string_ok(const xlagpu_program *p, uint32_t offset) {
    return offset < p->sections[XG_EXE_STRINGS].bytes;
}

XG_APART XG_FN XG_COLD xlagpu_status xr_check_allocations(xlagpu_program *p) {
    uint32_t k;
    for (k = 0; k < p->n_allocations; k++) {
        const xg_exe_allocation *a = &p->allocations[k];
        if (a->kind >= XG_EXE_ALLOC_COUNT) return xr_damaged(p, "an allocation of unknown kind");
        if (a->kind == XG_EXE_ALLOC_CONSTANT &&
            (a->data > p->sections[XG_EXE_DATA].bytes || a->bytes > p->sections[XG_EXE_DATA].bytes - a->data))
            return xr_damaged(p, "a constant lies outside the data");
        if (a->kind == XG_EXE_ALLOC_PARAMETER && (a->index >= p->head.n_params || p->values[a->index].allocation != k))
            return xr_damaged(p, "an allocation of a parameter that is not there");
        if (a->kind == XG_EXE_ALLOC_RESULT &&
            (a->index >= p->head.n_results || p->values[p->head.n_params + a->index].allocation != k))
            return xr_damaged(p, "an allocation of a result that is not there");
        if (xg_exe_is_temporary(a->kind)) {
            uint64_t block = a->host ? p->head.host_bytes : p->head.temp_bytes;
            if (a->host > 1 || a->offset > block || a->bytes > block - a->offset)
                return xr_damaged(p, "temporary memory");
        }
    }
    for (k = 0; k < p->n_slices; k++) {
        const xg_exe_slice *s = &p->slices[k];
        if (s->allocation >= p->n_allocations || s->offset > p->allocations[s->allocation].bytes ||
            s->bytes > p->allocations[s->allocation].bytes - s->offset)
            return xr_damaged(p, "a slice lies outside its allocation");
    }
    return XLAGPU_OK;
}

XG_FN XG_COLD uint64_t xr_element_bytes(uint32_t type) {
    XG_TABLE const uint8_t bits[] = {
#define X(name, text, bits, cls) bits,
        XLAGPU_TYPES(X)
#undef X
    };
    return ((uint64_t)bits[type] + 7) / 8;
}

/* Dims that multiply to the bytes, and a layout that is a permutation. */
XG_FN XG_COLD bool xr_shape_ok(const xlagpu_program *p, const xg_exe_value *v) {
    uint64_t bytes, n_dims = p->sections[XG_EXE_DIMS].count;
    bool seen[XR_RANK_MAX] = {false}, empty = false;
    const int64_t *dims;
    uint32_t d;
    if (v->type >= XLAGPU_TYPE_COUNT || v->rank > XR_RANK_MAX || v->first_dim > n_dims ||
        (uint64_t)2 * v->rank > n_dims - v->first_dim)
        return false;
    bytes = xr_element_bytes(v->type);
    dims = p->dims + v->first_dim;
    for (d = 0; d < v->rank; d++) {
        int64_t m = dims[v->rank + d];
        if (dims[d] < 0 || m < 0 || m >= (int64_t)v->rank || seen[m]) return false;
        seen[m] = true;
        empty = empty || dims[d] == 0;
    }
    for (d = 0; d < v->rank && !empty; d++) {
        if (bytes > (uint64_t)(SIZE_MAX / 2) / (uint64_t)dims[d]) return false;
        bytes *= (uint64_t)dims[d];
    }
    return v->bytes == (empty ? 0 : bytes);
}

/* A size is an s32 behind its array, or behind other sizes of that. */
XG_FN XG_COLD bool xr_size_ok(const xlagpu_program *p, uint32_t k, uint32_t first) {
    uint32_t of = k;
    while (of > first && p->values[of].size_of) of--;
    return !p->values[of].size_of && p->values[k].size_of <= p->values[of].rank &&
           (of == k || (p->values[k].type == XLAGPU_S32 && !p->values[k].rank));
}

/* Of a value that is a part: the sizes of the whole, then for each partition whether it has one and where. */
XG_ONE_COPY XG_FN const int64_t *xr_parts(const xlagpu_program *p, const xg_exe_value *v) {
    return p->dims + v->parts - 1;
}
XG_FN XG_COLD const int64_t *xr_part(const xlagpu_program *p, const xg_exe_value *v, uint32_t partition) {
    return xr_parts(p, v) + v->rank + (size_t)partition * (v->rank + (size_t)1);
}
XG_FN XG_COLD bool xr_parts_ok(const xlagpu_program *p, const xg_exe_value *v) {
    uint64_t n = p->sections[XG_EXE_DIMS].count,
             want = v->rank + (uint64_t)p->head.partitions * (v->rank + (uint64_t)1), bytes, k;
    if (!v->parts) return true;
    if (v->parts > n || want > n - v->parts + 1) return false;
    for (k = 0; k < want; k++)
        if (xr_parts(p, v)[k] < 0) return false;
    for (bytes = xr_element_bytes(v->type), k = 0; k < v->rank; k++) {
        uint64_t d = (uint64_t)xr_parts(p, v)[k];
        if (d && bytes > (uint64_t)(SIZE_MAX / 2) / d) return false;
        bytes *= d;
    }
    return true;
}

/* Parameters and results agree with their allocations. */
XG_APART XG_FN XG_COLD xlagpu_status xr_check_values(xlagpu_program *p) {
    uint64_t n = (uint64_t)p->head.n_params + p->head.n_results;
    uint32_t k;
    if (n > p->sections[XG_EXE_VALUES].count) return xr_damaged(p, "the number of parameters and results");
    for (k = 0; k < p->sections[XG_EXE_VALUES].count; k++) {
        const xg_exe_value *v = &p->values[k];
        const xg_exe_allocation *a;
        bool result = k >= p->head.n_params;
        if (!xr_shape_ok(p, v) || !xr_parts_ok(p, v)) return xr_damaged(p, "a value's shape");
        if (!xr_string_ok(p, v->name)) return xr_damaged(p, "a value's place");
        if (k >= n) continue; /* of a call, which gives it its place */
        if (v->size_of && !xr_size_ok(p, k, result ? p->head.n_params : 0))
            return xr_damaged(p, "the size of a bounded dimension");
        if (v->allocation >= p->n_allocations) return xr_damaged(p, "a value's place");
        a = &p->allocations[v->allocation];
        if (a->bytes != v->bytes) return xr_damaged(p, "a value's allocation");
        if (v->alias) { /* a result in a parameter's memory */
            uint32_t param = (v->alias & ~XG_EXE_MUST_ALIAS) - 1;
            if (!result || param >= p->head.n_params || p->values[param].allocation != v->allocation)
                return xr_damaged(p, "a result that shares a parameter's memory");
        } else if (a->kind != (uint32_t)(result ? XG_EXE_ALLOC_RESULT : XG_EXE_ALLOC_PARAMETER) ||
                   a->index != (result ? k - p->head.n_params : k))
            return xr_damaged(p, "a value's allocation");
    }
    return XLAGPU_OK;
}

/* The thunks of a sequence: each stands before it and belongs to it alone. depth: 0 while it has no owner, else 1 + the
 * levels below it. */
XG_FN XG_COLD xlagpu_status xr_check_sequence(
    xlagpu_program *p, const xg_exe_thunk *t, uint32_t number, uint8_t *taken) {
    uint32_t k;
    for (k = 0; k < t->n_links; k++) {
        uint32_t link = p->links[t->first_link + k];
        if (link >= number || taken[link]) return xr_damaged(p, "the tree of thunks");
        taken[link] = 1;
        if (p->depth[link] >= XR_NESTING_MAX) return xr_damaged(p, "thunks nested too deep");
        p->depth[number] = XG_MAX(p->depth[number], (uint8_t)(p->depth[link] + 1));
    }
    return XLAGPU_OK;
}

/* A while (pred; condition, body), a for (body) or a conditional (pred or s32; branches): perhaps one slice, then
 * thunks, which are checked as a sequence's are. */
XG_FN XG_COLD xlagpu_status xr_check_control(
    xlagpu_program *p, const xg_exe_thunk *t, uint32_t number, uint8_t *taken) {
    xg_exe_thunk children = *t;
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(t->kind);
    uint32_t slice, asks = row->slices;
    if (row->runs == XG_EXE_MANY ? t->n_links <= asks : t->n_links != asks + row->runs)
        return xr_damaged(p, "a loop or branch");
    slice = p->links[t->first_link];
    if (asks && (slice >= p->n_slices ||
                    (p->slices[slice].bytes != 1 && (t->kind == XG_EXE_THUNK_WHILE || p->slices[slice].bytes != 4))))
        return xr_damaged(p, "what a loop or branch asks");
    p->has_decisions = p->has_decisions || asks;
    children.first_link += asks;
    children.n_links -= asks;
    return xr_check_sequence(p, &children, number, taken);
}

/* a pattern of 32 bits needs whole words, unless it is one byte four times */
XG_FN XG_COLD bool xr_fill_ok(const xg_exe_slice *s, uint32_t value) {
    return (s->offset % 4 == 0 && s->bytes % 4 == 0) || value == (value & 0xFF) * 0x01010101u;
}

XG_FN XG_COLD bool xr_range_ok(uint64_t first, uint64_t n, uint64_t count) {
    return first <= count && n <= count - first;
}
/* infeed and outfeed are not: they are called by their kind's name */
XG_FN XG_COLD bool xr_call_is_named(const xg_exe_thunk *t) {
    return t->kind == XG_EXE_THUNK_CUSTOM_CALL || t->kind == XG_EXE_THUNK_LIBRARY_CALL;
}
/* Its names, the arrays of its slices, its attributes. */
XG_FN XG_COLD bool xr_call_ok(const xlagpu_program *p, const xg_exe_thunk *t) {
    uint32_t k;
    if ((xr_call_is_named(t) && !xr_string_ok(p, t->kernel)) || !xr_string_ok(p, t->value) ||
        !xr_range_ok(t->first_value, t->n_links, p->sections[XG_EXE_VALUES].count) ||
        !xr_range_ok(t->first_attribute, t->n_attributes, p->sections[XG_EXE_ATTRIBUTES].count))
        return false;
    for (k = 0; k < t->n_links; k++) {
        const xg_exe_value *v = &p->values[t->first_value + k];
        const uint32_t *links = p->links + t->first_link;
        if (v->bytes != p->slices[links[k] & ~XG_EXE_WRITTEN].bytes || v->alias > k ||
            (v->alias && (links[v->alias - 1] | XG_EXE_WRITTEN) != links[k]))
            return false;
    }
    return true;
}
/* Members stand before their dictionary, so that there is no circle. */
XG_APART XG_FN XG_COLD xlagpu_status xr_check_attributes(xlagpu_program *p) {
    const xg_exe_attribute *list = (const xg_exe_attribute *)(const void *)xr_section(p, XG_EXE_ATTRIBUTES);
    uint64_t k, bytes;
    for (k = 0; k < p->sections[XG_EXE_ATTRIBUTES].count; k++) {
        const xg_exe_attribute *a = &list[k];
        xlagpu_rt_attribute *to = &p->attributes[k];
        bool members = a->kind == XLAGPU_ATTRIBUTE_DICTIONARY, text = a->kind == XLAGPU_ATTRIBUTE_STRING;
        bytes = a->type < XLAGPU_TYPE_COUNT ? a->count * xr_element_bytes(a->type) + text : UINT64_MAX;
        if (a->kind >= XLAGPU_ATTRIBUTE_KIND_COUNT || !xr_string_ok(p, a->name) ||
            (a->kind == XLAGPU_ATTRIBUTE_SCALAR && a->count != 1) || (!members && a->data % 8) ||
            !xr_range_ok(a->data, members ? a->count : bytes, members ? k : p->sections[XG_EXE_DATA].bytes))
            return xr_damaged(p, "an attribute");
        to->name = p->strings + a->name;
        to->kind = (xlagpu_attribute_kind)a->kind;
        to->type = (xlagpu_type)a->type;
        to->count = a->count;
        to->data = members ? (const void *)(p->attributes + a->data) : xr_section(p, XG_EXE_DATA) + a->data;
        if (text && ((const char *)to->data)[a->count]) return xr_damaged(p, "an attribute");
    }
    return XLAGPU_OK;
}

XG_APART XG_FN XG_COLD xlagpu_status xr_check_thunk(xlagpu_program *p, uint32_t number, uint8_t *taken) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *links = p->links + t->first_link;
    const xg_exe_thunk_row *row;
    uint32_t k;
    if (t->kind >= XG_EXE_THUNK_COUNT || !xr_string_ok(p, t->name) || t->first_link > p->sections[XG_EXE_LINKS].count ||
        t->n_links > p->sections[XG_EXE_LINKS].count - t->first_link)
        return xr_damaged(p, "a thunk");
    if (xr_is_list(t->kind)) return xr_check_sequence(p, t, number, taken);
    row = xg_exe_thunk_row_of(t->kind);
    if (row->runs) return xr_check_control(p, t, number, taken);
    if (row->slices != XG_EXE_MANY && t->n_links != row->slices) return xr_damaged(p, "a thunk's operands");
    for (k = 0; k < t->n_links; k++) {
        uint32_t link = row->writes == XG_EXE_WRITES_MARKED ? links[k] & ~XG_EXE_WRITTEN : links[k];
        if (link >= p->n_slices) return xr_damaged(p, "a thunk's operand");
    }
    if (t->kind == XG_EXE_THUNK_KERNEL && t->kernel >= p->n_kernels) return xr_damaged(p, "a thunk's kernel");
    if (t->kind == XG_EXE_THUNK_COPY && p->slices[links[0]].bytes != p->slices[links[1]].bytes)
        return xr_damaged(p, "a copy");
    if (t->kind == XG_EXE_THUNK_MEMSET && !xr_fill_ok(&p->slices[links[0]], t->value)) return xr_damaged(p, "a fill");
    if ((row->flags & XG_EXE_OWN) && (p->slices[links[0]].bytes != 4 || p->slices[links[0]].offset % 4))
        return xr_damaged(p, "the number of a replica or partition");
    if (t->kind == XG_EXE_THUNK_RANDOM_STATE && (p->slices[links[0]].bytes != 16 || p->slices[links[0]].offset % 4))
        return xr_damaged(p, "a state of random numbers");
    if ((row->flags & XG_EXE_CALLS) && !xr_call_ok(p, t)) return xr_damaged(p, "a call");
    p->most_links = XG_MAX(p->most_links, t->n_links);
    return XLAGPU_OK;
}

/* On how many devices it runs; 0: not a number of these. */
XG_FN XG_COLD uint32_t xr_devices(const xlagpu_program *p) {
    uint64_t n = (uint64_t)p->head.replicas * p->head.partitions;
    return n > XR_DEVICES_MAX ? 0 : (uint32_t)n;
}

XG_FN XG_COLD xlagpu_status xr_check_kernels(xlagpu_program *p) {
    const xg_exe_kernel *records = (const xg_exe_kernel *)(const void *)xr_section(p, XG_EXE_KERNELS);
    uint32_t k, d;
    for (k = 0; k < p->n_kernels; k++) {
        xr_kernel *q = &p->kernels[k];
        if (!xr_string_ok(p, records[k].name)) return xr_damaged(p, "a kernel's name");
        q->name = p->strings + records[k].name;
        q->shared_bytes = records[k].shared_bytes;
        for (d = 0; d < 3; d++) {
            q->threads[d] = records[k].threads[d];
            q->blocks[d] = records[k].blocks[d];
            if (!q->threads[d] || q->threads[d] > 1024 || !q->blocks[d]) return xr_damaged(p, "a kernel's launch");
        }
        if (q->threads[0] * q->threads[1] * q->threads[2] > 1024) return xr_damaged(p, "a kernel's launch");
    }
    return XLAGPU_OK;
}

XG_FN XG_COLD bool xr_map_ok(const xlagpu_program *p, const xg_exe_map *m, uint32_t last) {
    return m->kernel >= last && m->kernel < p->n_kernels && m->rank >= 1 && m->rank <= XG_COUNT(m->dims) &&
           p->kernels[m->kernel].n_maps < XR_KERNEL_MAPS_MAX;
}
XG_FN XG_COLD xlagpu_status xr_check_maps(xlagpu_program *p) {
    uint32_t k, last = 0;
    for (k = 0; k < p->n_maps; k++) {
        const xg_exe_map *m = &p->maps[k];
        if (!xr_map_ok(p, m, last)) return xr_damaged(p, "a tensor map");
        last = m->kernel;
        if (!p->kernels[last].n_maps++) p->kernels[last].first_map = k;
    }
    return XLAGPU_OK;
}

XG_FN XG_COLD xlagpu_status xr_check(xlagpu_program *p, uint8_t *taken) {
    uint32_t k;
    xlagpu_status s;
    if (!xr_string_ok(p, p->head.name) || !xr_string_ok(p, p->head.target_name) || p->head.root_thunk >= p->n_thunks ||
        p->head.temp_bytes > SIZE_MAX / 2 || p->head.host_bytes > SIZE_MAX / 2 || !xr_devices(p))
        return xr_damaged(p, "its head");
    s = xr_check_values(p);
    if (s == XLAGPU_OK) s = xr_check_allocations(p);
    if (s == XLAGPU_OK) s = xr_check_kernels(p);
    if (s == XLAGPU_OK) s = xr_check_maps(p);
    if (s == XLAGPU_OK) s = xr_check_attributes(p);
    for (k = 0; k < p->n_thunks && s == XLAGPU_OK; k++) s = xr_check_thunk(p, k, taken);
    if (s == XLAGPU_OK) s = xr_collectives_load(p);
    if (s == XLAGPU_OK) s = xr_commands_load(p);
    if (s == XLAGPU_OK && p->lanes) xr_lanes_load(p);
    return s;
}

/* Room for the collectives, which are read when strings and slices have been checked. */
XG_FN XG_COLD void xr_view_collectives(xlagpu_program *p) {
    size_t devices = xr_devices(p) + (size_t)2;
    uint32_t k, n = 0;
    uint32_t *room;
    for (k = 0; k < p->n_thunks; k++) n += p->thunks[k].kind == XG_EXE_THUNK_COLLECTIVE;
    p->n_collectives = n;
    p->collectives = XG_NEW_N(&p->arena, xr_collective, (size_t)n + 1);
    if (!n) return;
    p->collective_of = XG_NEW_N(&p->arena, xr_collective *, (size_t)p->n_thunks + 1);
    room = XG_NEW_N(&p->arena, uint32_t, 3 * devices * n);
    for (k = 0; k < n; k++, room += 3 * devices) {
        p->collectives[k].ids = room;
        p->collectives[k].first = room + devices;
        p->collectives[k].label = room + 2 * devices;
    }
}

/* The sections as arrays, in a copy that is ours. */
XG_APART XG_FN XG_COLD void xr_view(xlagpu_program *p, const void *bytes, size_t size) {
    unsigned char *copy = (unsigned char *)xg_alloc_raw(&p->arena, size);
    memcpy(copy, bytes, size);
    p->bytes = copy;
    p->strings = (const char *)xr_section(p, XG_EXE_STRINGS);
    p->allocations = (const xg_exe_allocation *)(const void *)xr_section(p, XG_EXE_ALLOCATIONS);
    p->slices = (const xg_exe_slice *)(const void *)xr_section(p, XG_EXE_SLICES);
    p->thunks = (const xg_exe_thunk *)(const void *)xr_section(p, XG_EXE_THUNKS);
    p->links = (const uint32_t *)(const void *)xr_section(p, XG_EXE_LINKS);
    p->values = (const xg_exe_value *)(const void *)xr_section(p, XG_EXE_VALUES);
    p->dims = (const int64_t *)(const void *)xr_section(p, XG_EXE_DIMS);
    p->maps = (const xg_exe_map *)(const void *)xr_section(p, XG_EXE_MAPS);
    p->n_maps = p->sections[XG_EXE_MAPS].count;
    p->n_allocations = p->sections[XG_EXE_ALLOCATIONS].count;
    p->n_slices = p->sections[XG_EXE_SLICES].count;
    p->n_thunks = p->sections[XG_EXE_THUNKS].count;
    p->n_kernels = p->sections[XG_EXE_KERNELS].count;
    p->ptx.name = p->strings;
    p->ptx.text = (const char *)xr_section(p, XG_EXE_PTX);
    p->ptx.size = p->sections[XG_EXE_PTX].bytes ? (size_t)p->sections[XG_EXE_PTX].bytes - 1 : 0;
    p->kernels = XG_NEW_N(&p->arena, xr_kernel, (size_t)p->n_kernels + 1);
    p->finished = XG_NEW_N(&p->arena, xlagpu_kernel_stats, (size_t)p->n_kernels + 1);
    p->constants = XG_NEW_N(&p->arena, uint64_t, (size_t)p->n_allocations + 1);
    p->depth = XG_NEW_N(&p->arena, uint8_t, (size_t)p->n_thunks + 1);
    p->command_of = XG_NEW_N(&p->arena, uint32_t, (size_t)p->n_thunks + 1);
    p->command_buffers = XG_NEW_N(&p->arena, xr_command_buffer, (size_t)p->n_thunks + 1);
    p->commands = XG_NEW_N(&p->arena, xr_command, (size_t)p->n_thunks + 1);
    p->calls = XG_NEW_N(&p->arena, const xr_function *, (size_t)p->n_thunks + 1);
    p->arrays = XG_NEW_N(&p->arena, xlagpu_rt_value, (size_t)p->sections[XG_EXE_VALUES].count + 1);
    p->attributes = XG_NEW_N(&p->arena, xlagpu_rt_attribute, (size_t)p->sections[XG_EXE_ATTRIBUTES].count + 1);
    xr_view_collectives(p);
    if ((p->device->copy_stream || p->device->concurrent || (p->device->meets && p->n_collectives)) &&
        p->device->platform->stream_new)
        p->lanes = XG_NEW_N(&p->arena, xr_lane, (size_t)p->n_thunks + 1);
}

XG_FN XG_COLD xlagpu_status xr_upload_constants(xlagpu_program *p) {
    xlagpu_device *d = p->device;
    uint32_t k;
    bool any = false;
    xlagpu_status s = XLAGPU_OK;
    for (k = 0; k < p->n_allocations && s == XLAGPU_OK; k++) {
        const xg_exe_allocation *a = &p->allocations[k];
        if (a->kind != XG_EXE_ALLOC_CONSTANT) continue;
        s = xr_alloc(d, (size_t)a->bytes, &p->constants[k]);
        if (s == XLAGPU_OK && a->bytes) {
            s = d->platform->upload(d, p->constants[k], xr_section(p, XG_EXE_DATA) + a->data, (size_t)a->bytes);
            any = true;
        }
    }
    return s == XLAGPU_OK && any ? d->platform->wait(d, NULL) : s; /* runs on any stream may follow */
}

/* The kernels, then once more the thunks: now it is known how many buffers a kernel takes. */
XG_APART XG_FN XG_COLD xlagpu_status xr_load_kernels(xlagpu_program *p) {
    xlagpu_status s;
    uint32_t k;
    if (!p->n_kernels) return XLAGPU_OK;
    if (xg_exe_is_object(p->bytes, p->sections) != (p->device->platform == xr_cpu_platform()))
        return xr_fail(&p->device->c, XLAGPU_ERROR_DEVICE, "its kernels are of another kind");
    if (p->device->platform != xr_cpu_platform() && (!p->ptx.size || p->ptx.text[p->ptx.size]))
        return xr_damaged(p, "its PTX");
    p->ptx.name = p->strings + p->head.name;
    s = p->device->platform->load(p);
    for (k = 0; k < p->n_thunks && s == XLAGPU_OK; k++) {
        const xg_exe_thunk *t = &p->thunks[k];
        if (t->kind == XG_EXE_THUNK_KERNEL &&
            t->n_links + p->kernels[t->kernel].n_maps != p->kernels[t->kernel].n_params)
            return xr_damaged(p, "a kernel takes another number of buffers than it is given");
    }
    for (k = 0; k < p->n_maps && s == XLAGPU_OK; k++) {
        const xr_kernel *q = &p->kernels[p->maps[k].kernel];
        if (q->n_params < q->n_maps || p->maps[k].link >= q->n_params - q->n_maps)
            return xr_damaged(p, "the buffer of a tensor map");
    }
    return s;
}

XG_FN XG_COLD bool xr_value(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    const xg_exe_value *v = &p->values[index];
    memset(out, 0, sizeof *out);
    out->type = (xlagpu_type)v->type;
    out->rank = v->rank;
    out->dims = p->dims + v->first_dim;
    out->minor_to_major = out->dims + v->rank;
    out->bytes = (size_t)v->bytes;
    out->name = p->strings + v->name;
    out->alias = v->alias & ~XG_EXE_MUST_ALIAS;
    out->size_of = v->size_of;
    return true;
}

/* ---- its calls ---- */

/* Each call's function, by its name; infeed and outfeed have their own. What is missing is named, all of it, as far as
 * a message goes. */
XG_APART XG_FN XG_COLD xlagpu_status xr_find_calls(xlagpu_program *p) {
    enum {
        NAMED = 16
    };
    xg_ctx *c = &p->device->c;
    const char *missing[NAMED];
    uint32_t k, j, n = 0;
    for (k = 0; k < p->sections[XG_EXE_VALUES].count; k++) xr_value(p, k, &p->arrays[k]);
    for (k = 0; k < p->n_thunks && n < NAMED; k++) {
        const xg_exe_thunk *t = &p->thunks[k];
        const xg_exe_thunk_row *row = xg_exe_thunk_row_of(t->kind);
        const char *name = xr_call_is_named(t) ? p->strings + t->kernel : row->text;
        if (!(row->flags & XG_EXE_CALLS)) continue;
        p->has_calls = true;
        p->calls[k] = t->kind == XG_EXE_THUNK_LIBRARY_CALL ? xr_library_function(p->device, name)
                                                           : xr_function_find(p->device, name);
        if (!p->calls[k] && t->kind == XG_EXE_THUNK_LIBRARY_CALL) {
            xr_note(c, "\nHLO %s calls it", p->strings + t->name);
            return c->status;
        }
        for (j = 0; j < n && strcmp(missing[j], name) != 0; j++) {}
        if (p->calls[k] || j < n) continue;
        if (!n)
            xr_fail(c, XLAGPU_ERROR_UNSUPPORTED,
                "the program calls functions that are not registered (xlagpu_rt_register, before loading): ");
        xr_note(c, n ? ", '%s' (HLO %s)" : "'%s' (HLO %s)", name, p->strings + t->name);
        missing[n++] = name;
    }
    return n ? XLAGPU_ERROR_UNSUPPORTED : XLAGPU_OK;
}

XG_FN XG_COLD xlagpu_program *xr_program_new(xlagpu_device *d) {
    xlagpu_program *p = (xlagpu_program *)xg_mem_alloc(&d->c, sizeof *p);
    if (!p) {
        xr_no_memory(&d->c);
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->device = d;
    xg_arena_init(&p->arena, &d->c);
    p->next = d->programs;
    if (p->next) p->next->prev = p;
    d->programs = p;
    return p;
}

/* All that may jump, when there is no memory. */
XG_FN XG_COLD xlagpu_status xr_view_safely(xlagpu_program *p, const void *bytes, size_t size, uint8_t **taken) {
    xg_ctx *c = &p->device->c;
    jmp_buf here;
    if (setjmp(here)) {
        xg_end(c, NULL);
        return c->status;
    }
    xg_try(c, &here);
    xr_view(p, bytes, size);
    *taken = XG_NEW_N(&p->arena, uint8_t, (size_t)p->n_thunks + 1);
    xg_end(c, NULL);
    return XLAGPU_OK;
}

/* A driver that does not take the kernels of another kind of device says so in many ways; this is the one to act on. */
XG_FN XG_COLD xlagpu_status xr_of_another_target(xlagpu_device *d, const char *made_for) {
    char said[256];
    xg_format(said, sizeof said, "%s", d->c.message);
    xr_begin(&d->c); /* the first failure stays otherwise */
    return xr_fail(&d->c, XLAGPU_ERROR_DEVICE,
        "compiled for %s, and this is %s (%s): compile with --target=%s, or without a target for all devices; %s",
        made_for, d->target, d->name, d->target, said);
}

XLAGPU_DEF XG_COLD xlagpu_program *xlagpu_rt_load(xlagpu_device *d, const void *whole, size_t size) {
    const unsigned char *bytes = (const unsigned char *)whole;
    xlagpu_program *p;
    const char *wrong;
    uint8_t *taken = NULL;
    xlagpu_status s;
    if (!d || !d->platform) return NULL;
    xr_begin(&d->c);
    p = xr_program_new(d);
    if (!p) return NULL;
    if (bytes) xg_exe_choose(&bytes, &size, d->target);
    wrong = xg_exe_check(bytes, size, &p->head, p->sections);
    s = wrong ? xr_fail(&d->c, XLAGPU_ERROR_CORRUPT, "the executable cannot be loaded: %s", wrong)
              : xr_view_safely(p, bytes, size, &taken);
    if (s == XLAGPU_OK) s = xr_check(p, taken);
    if (s == XLAGPU_OK) s = xr_find_calls(p);
    if (s == XLAGPU_OK) {
        s = xr_load_kernels(p);
        if (s == XLAGPU_ERROR_DEVICE && !xg_exe_rank(bytes, size, d->target))
            s = xr_of_another_target(d, p->strings + p->head.target_name);
    }
    if (s == XLAGPU_OK) s = xr_upload_constants(p);
    if (s != XLAGPU_OK) {
        xlagpu_rt_unload(p);
        return NULL;
    }
    return p;
}

XLAGPU_DEF XG_COLD void xlagpu_rt_unload(xlagpu_program *p) {
    xlagpu_device *d;
    uint32_t k;
    if (!p) return;
    d = p->device;
    if (p->peers) p->peers->programs[p->rank - p->clique->first] = NULL;
    while (p->executions) xlagpu_rt_finish(p->executions);
    for (k = p->constants ? p->n_allocations : 0; k-- > 0;) xr_release(d, p->constants[k]);
    xr_release(d, p->said);
    xr_release(d, p->met);
    if (p->module) d->platform->unload(p);
    if (p->prev)
        p->prev->next = p->next;
    else
        d->programs = p->next;
    if (p->next) p->next->prev = p->prev;
    xg_arena_free(&p->arena);
    xg_mem_free(&d->c, p);
}

/* ---- what it takes and gives ---- */

XLAGPU_DEF uint32_t xlagpu_rt_parameter_count(const xlagpu_program *p) { return p ? p->head.n_params : 0; }
XLAGPU_DEF uint32_t xlagpu_rt_result_count(const xlagpu_program *p) { return p ? p->head.n_results : 0; }
XLAGPU_DEF bool xlagpu_rt_parameter(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return p && out && index < p->head.n_params && xr_value(p, index, out);
}
XLAGPU_DEF const char *xlagpu_rt_program_target(const xlagpu_program *p) {
    return p ? p->strings + p->head.target_name : "";
}
XLAGPU_DEF const char *xlagpu_rt_program_name(const xlagpu_program *p) { return p ? p->strings + p->head.name : ""; }
XLAGPU_DEF uint32_t xlagpu_rt_kernel_count(const xlagpu_program *p) { return p ? p->n_kernels : 0; }
XLAGPU_DEF XG_COLD bool xlagpu_rt_kernel_info(const xlagpu_program *p, uint32_t index, xlagpu_rt_kernel *out) {
    const xr_kernel *k;
    if (!p || !out || index >= p->n_kernels) return false;
    k = &p->kernels[index];
    out->name = k->name;
    memcpy(out->grid, k->blocks, sizeof out->grid);
    memcpy(out->block, k->threads, sizeof out->block);
    out->shared_bytes = k->shared_bytes;
    return true;
}
XLAGPU_DEF bool xlagpu_rt_result(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return p && out && index < p->head.n_results && xr_value(p, p->head.n_params + index, out);
}

#endif /* XG_RT_PROGRAM_C */
