/* driver/public.c -- the functions of xlagpu.h: protected calls around the rooms.
 *
 * A context owns its modules; a module owns its arena and everything in it. Each public call that can fail is a job,
 * run by xg_public_do, which has the compiler's only setjmp; what a failing call allocated in a module's arena is freed
 * with the module. Passes change their module: the first compilation consumes the parsed one, and a later call that
 * needs it parses the kept text again. Names and shapes for the info calls are copied. */
#ifndef XG_DRIVER_PUBLIC_C
#define XG_DRIVER_PUBLIC_C
#include "../xlagpu.h"
#include "../api/executable_read.c"
#include "../import/import.h"
#include "../llvm/llvm.h"
#include "driver.h"

struct xlagpu_module {
    xlagpu_context *owner;
    xlagpu_module *prev, *next;
    xg_source source;
    const char *dims, *entry; /* these, format and place: from xlagpu_parse_desc */
    xlagpu_source format;
    bool allow_tf32;
    xg_place place;
    xg_module *hlo; /* NULL after a compilation: see xg_public_hlo */
    xg_str name;
    xlagpu_value_info *params, *results; /* leaves */
    uint32_t n_params, n_results;
    bool compiled;
    xg_arena arena;  /* of all that lives as long as the module */
    xg_arena parsed; /* of hlo and what compilations derive from it */
    xlagpu_report report;
    xg_device device;        /* named in the text; without a part: none */
    xg_driver_options flags; /* options from the module's XLA flags */
};
struct xlagpu_context {
    xg_ctx c;
    xg_arena arena; /* of texts for the caller that belong to no module */
    xlagpu_module *modules;
};

XG_FN void *xg_public_first_alloc(const xlagpu_allocator *a, size_t n) {
    return a && a->alloc && a->release ? a->alloc(a->user, n) : malloc(n);
}

XLAGPU_DEF xlagpu_context *xlagpu_create(const xlagpu_context_desc *desc) {
    xlagpu_context *x = (xlagpu_context *)xg_public_first_alloc(desc ? &desc->allocator : NULL, sizeof *x);
    if (!x) return NULL;
    memset(x, 0, sizeof *x);
    xg_ctx_init(&x->c, desc ? &desc->allocator : NULL, desc ? desc->memory_limit : 0);
    xg_ctx_want_slabs(&x->c);
    xg_arena_init(&x->arena, &x->c);
    return x;
}

XLAGPU_DEF void xlagpu_module_destroy(xlagpu_module *m) {
    xlagpu_context *x;
    if (!m) return;
    x = m->owner;
    if (m->prev)
        m->prev->next = m->next;
    else
        x->modules = m->next;
    if (m->next) m->next->prev = m->prev;
    xg_arena_free(&m->parsed);
    xg_arena_free(&m->arena);
    xg_mem_free(&x->c, m);
}

XLAGPU_DEF void xlagpu_destroy(xlagpu_context *x) {
    xlagpu_allocator mem;
    if (!x) return;
    while (x->modules) xlagpu_module_destroy(x->modules);
    xg_arena_free(&x->arena);
    xg_ctx_done(&x->c);
    mem = x->c.mem;
    mem.release(mem.user, x);
}

XLAGPU_DEF const char *xlagpu_error(const xlagpu_context *x) { return x ? x->c.message : "out of memory"; }
XLAGPU_DEF xlagpu_status xlagpu_error_status(const xlagpu_context *x) { return x ? x->c.status : XLAGPU_ERROR_MEMORY; }
XLAGPU_DEF void xlagpu_error_position(const xlagpu_context *x, uint32_t *line, uint32_t *column) {
    if (line) *line = x ? x->c.line : 0;
    if (column) *column = x ? x->c.column : 0;
}
XLAGPU_DEF const char *xlagpu_status_text(xlagpu_status s) { return xg_status_text(s); }
XLAGPU_DEF const char *xlagpu_type_text(xlagpu_type t) {
    return (size_t)t < XLAGPU_TYPE_COUNT ? xg_type_name(t) : "invalid";
}

/* ---- modules ---- */

XG_FN xlagpu_module *xg_public_module(xlagpu_context *x) {
    xlagpu_module *m = (xlagpu_module *)xg_mem_alloc(&x->c, sizeof *m);
    if (!m) return NULL;
    memset(m, 0, sizeof *m);
    m->owner = x;
    xg_arena_init(&m->arena, &x->c);
    xg_arena_init(&m->parsed, &x->c);
    m->next = x->modules;
    if (m->next) m->next->prev = m;
    x->modules = m;
    return m;
}

/* A failure of the call itself, outside any protected call. */
XG_FN void xg_public_refuse(xg_ctx *c, xlagpu_status s, const char *message) {
    xg_try(c, NULL);
    c->status = s;
    xg_format(c->message, sizeof c->message, "%s", message);
}

/* The arguments and results of a public call; `work` is freed when the call ends. */
typedef struct xg_public_job {
    xlagpu_module *m;
    const xlagpu_parse_desc *parse;
    const xlagpu_compile_desc *desc; /* compile */
    const char *passes;              /* optimize */
    xlagpu_format format;            /* print_as */
    xlagpu_bytes exe, part;          /* attach_cubin, attach_ptx: the executable, and the section's new contents */
    uint32_t section;
    const xlagpu_tensor *inputs, *outputs; /* evaluate */
    uint32_t n_inputs, n_outputs;
    bool fill_elided;
    uint32_t devices; /* evaluate_devices */
    xlagpu_traffic *sent;
    uint64_t terms; /* of the longest sum */
    xlagpu_bytes made;
    xg_arena work;
} xg_public_job;

XG_FN xg_public_job xg_public_job_of(xlagpu_module *m) {
    xg_public_job j;
    memset(&j, 0, sizeof j);
    j.m = m;
    return j;
}

XG_FN xg_public_job xg_public_job_of_tensors(xlagpu_module *m, const xlagpu_tensor *inputs, uint32_t n_inputs,
    const xlagpu_tensor *outputs, uint32_t n_outputs) {
    xg_public_job j = xg_public_job_of(m);
    j.inputs = inputs;
    j.n_inputs = n_inputs;
    j.outputs = outputs;
    j.n_outputs = n_outputs;
    return j;
}

/* False when the job failed; the context has the message. */
XG_NOINLINE XG_FN bool xg_public_do(xg_public_job *j, void (*work)(xg_public_job *j)) {
    xg_ctx *const c = &j->m->owner->c;
    jmp_buf here;
    xg_arena_init(&j->work, c);
    if (setjmp(here)) {
        xg_end(c, NULL);
        xg_arena_free(&j->work);
        return false;
    }
    xg_try(c, &here);
    work(j);
    xg_end(c, NULL);
    xg_arena_free(&j->work);
    return true;
}

XG_FN void xg_public_give(xg_public_job *j, const char *text, size_t n) {
    j->made.data = (const unsigned char *)text;
    j->made.size = n;
}
XG_FN xlagpu_bytes xg_public_bytes(xlagpu_module *m, xg_public_job *j, void (*work)(xg_public_job *j)) {
    xlagpu_bytes none = {NULL, 0};
    return m && xg_public_do(j, work) ? j->made : none;
}

/* True if the text is a planned module, which only unspecified formats are searched for. */
XG_FN bool xg_public_is_plan(const xlagpu_module *m) {
    bool is = m->format == XLAGPU_SOURCE_ANY && xg_plan_is_text(m->source.text, m->source.size);
#ifdef XLAGPU_SMALL
    if (is)
        xg_fail(&m->owner->c, XLAGPU_ERROR_UNSUPPORTED,
            "%s: the reader of planned modules was left out of this build (XLAGPU_SMALL)", m->source.name);
    return false;
#endif
    return is;
}
XG_FN xg_file_kind xg_public_kind(const xlagpu_module *m) {
    XG_TABLE const xg_file_kind kinds[] = {
        XG_FORMAT_HLO, XG_FORMAT_HLO, XG_FORMAT_MLIR, XG_FORMAT_BYTECODE, XG_FORMAT_EXPORT, XG_FORMAT_PROTO};
    return m->format == XLAGPU_SOURCE_ANY ? xg_import_detect(m->source.text, m->source.size) : kinds[m->format];
}
XG_FN xg_module *xg_public_read(const xlagpu_module *m, xg_arena *to, bool plan) {
    xg_ctx *c = &m->owner->c;
    xg_module *hlo;
    c->dims = m->dims;
    c->entry = m->entry;
    hlo = plan ? xg_plan_parse_hlo(c, to, &m->source) : xg_import_parse_as(c, to, &m->source, xg_public_kind(m));
#ifdef XLAGPU_SMALL
    if (m->place.replicas > 1 || m->place.partitions > 1 || xg_str_z(m->place.mesh).n ||
        xg_str_z(m->place.shardings).n || xg_str_z(m->place.batch).n)
        xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "the partitioner was left out of this build (XLAGPU_SMALL)");
#else
    xg_spmd_place(hlo, &m->place);
#endif
    if (m->allow_tf32) xg_opt_allow_tf32(hlo);
    return hlo;
}
/* The parsed, unchanged module; parses it again if a call has consumed it. */
XG_FN xg_module *xg_public_hlo(xlagpu_module *m) {
    if (m->hlo) return m->hlo;
    xg_arena_free(&m->parsed);
    return m->hlo = xg_public_read(m, &m->parsed, xg_public_is_plan(m));
}
/* The same for a call that changes it. It stays in the arena `parsed`, which is freed after that call. */
XG_FN xg_module *xg_public_take_hlo(xlagpu_module *m) {
    xg_module *hlo = xg_public_hlo(m);
    m->hlo = NULL;
    return hlo;
}

XG_FN void xg_public_add_leaves(xg_arena *a, const xg_shape *s, const char *name, xlagpu_value_info *out, uint32_t *n) {
    xlagpu_value_info *v = out + *n;
    const int64_t *dims;
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) xg_public_add_leaves(a, s->elems[k], name, out, n);
        return;
    }
    s = xg_shape_held(s); /* the caller's memory is the pinned buffer */
    if (*n && v[-1].rank == s->rank && s->rank && !memcmp(v[-1].dims, s->dims, s->rank * sizeof *dims))
        dims = v[-1].dims; /* neighbours mostly have equal dims: share them */
    else {
        int64_t *copy = XG_NEW_N(a, int64_t, s->rank + (size_t)1);
        if (s->rank) memcpy(copy, s->dims, s->rank * sizeof *copy);
        dims = copy;
    }
    v->type = s->type;
    v->rank = s->rank;
    v->dims = dims;
    v->bytes = (size_t)xg_plan_bytes(s);
    v->name = name;
    ++*n;
    for (k = 0; k < s->rank; k++) {
        if (!xg_dyn_is_open(s, k)) continue;
        v = out + (*n)++;
        v->type = XLAGPU_S32;
        v->dims = dims;
        v->bytes = sizeof(int32_t);
        v->name = name;
        v->size_of = k + 1;
    }
}
XG_FN size_t xg_public_leaves(const xg_shape *s) {
    size_t n = 1;
    uint32_t k;
    if (s->type == XLAGPU_TUPLE)
        for (n = 0, k = 0; k < s->n_elems; k++) n += xg_public_leaves(s->elems[k]);
    else
        for (k = 0; k < s->rank; k++) n += xg_dyn_is_open(s, k);
    return n;
}
/* Copies what the info calls report. */
XG_FN void xg_public_describe(xlagpu_module *m) {
    const xg_module *h = m->hlo;
    uint32_t k;
    m->name = xg_str_copy(&m->arena, h->name);
    if (h->has_device) m->device = h->device;
    m->params = XG_NEW_N(&m->arena, xlagpu_value_info, xg_public_leaves(h->entry_params) + 1);
    m->results = XG_NEW_N(&m->arena, xlagpu_value_info, xg_public_leaves(h->entry_result) + 1);
    for (k = 0; k < h->entry->n_params; k++)
        xg_public_add_leaves(&m->arena, h->entry_params->elems[k], xg_str_copy(&m->arena, h->entry->params[k]->name).p,
            m->params, &m->n_params);
    xg_public_add_leaves(
        &m->arena, h->entry_result, xg_str_copy(&m->arena, h->entry->root->name).p, m->results, &m->n_results);
}

XG_FN const char *xg_public_keep(xlagpu_module *m, const char *text) {
    return text ? xg_str_copy(&m->arena, xg_str_z(text)).p : NULL;
}
XG_FN void xg_public_parse(xg_public_job *j) {
    const xlagpu_parse_desc *d = j->parse;
    xlagpu_module *m = j->m;
    char *copy = (char *)xg_alloc_raw(&m->arena, xg_add(&m->owner->c, d->size, 1));
    if (d->size) memcpy(copy, d->text, d->size);
    copy[d->size] = 0;
    m->source.name = xg_public_keep(m, d->name ? d->name : "module");
    m->source.text = copy;
    m->source.size = d->size;
    m->dims = xg_public_keep(m, d->dims);
    m->place.replicas = d->placement.replicas;
    m->place.partitions = d->placement.partitions;
    m->place.mesh = xg_public_keep(m, d->placement.mesh);
    m->place.shardings = xg_public_keep(m, d->placement.shardings);
    m->place.batch = xg_public_keep(m, d->placement.batch);
    m->entry = d->entry && *d->entry ? xg_public_keep(m, d->entry) : NULL;
    m->format = d->format;
    m->allow_tf32 = d->allow_tf32;
    if (d->flags) xg_driver_xla_flags(&m->arena, m->source.name, d->flags, &m->flags);
    xg_hlo_verify(xg_public_hlo(m));
    xg_public_describe(m);
}

XLAGPU_DEF xlagpu_module *xlagpu_parse(xlagpu_context *x, const char *name, const char *text, size_t size) {
    xlagpu_parse_desc d;
    memset(&d, 0, sizeof d);
    d.name = name;
    d.text = text;
    d.size = size;
    return xlagpu_parse_with(x, &d);
}
XLAGPU_DEF xlagpu_module *xlagpu_parse_with(xlagpu_context *x, const xlagpu_parse_desc *desc) {
    xg_public_job j;
    xlagpu_module *m;
    if (!x) return NULL;
    if (!desc || (!desc->text && desc->size)) {
        xg_public_refuse(&x->c, XLAGPU_ERROR_USAGE, "there is no text to parse");
        return NULL;
    }
    if ((uint32_t)desc->format > XLAGPU_SOURCE_PROTO) {
        xg_public_refuse(&x->c, XLAGPU_ERROR_USAGE, "parse: format: no such xlagpu_source");
        return NULL;
    }
    m = xg_public_module(x);
    if (!m) {
        xg_public_refuse(&x->c, XLAGPU_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    j = xg_public_job_of(m);
    j.parse = desc;
    if (xg_public_do(&j, xg_public_parse)) return m;
    xlagpu_module_destroy(m);
    return NULL;
}

XG_FN void xg_public_print(xg_public_job *j) {
    xg_buf b;
    xg_buf_init(&b, &j->m->arena);
    xg_hlo_print(&b, xg_public_hlo(j->m), NULL);
    xg_public_give(j, b.p, b.n);
}
XLAGPU_DEF xlagpu_bytes xlagpu_print(xlagpu_module *m) {
    xg_public_job j = xg_public_job_of(m);
    return xg_public_bytes(m, &j, xg_public_print);
}

XG_FN void xg_public_print_as(xg_public_job *j) {
    xg_buf b;
    xg_print_options names;
    memset(&names, 0, sizeof names);
    names.whole_constants = names.percent = true;
    xg_buf_init(&b, &j->m->arena);
    switch (j->format) {
    case XLAGPU_FORMAT_PROTO: xg_proto_print(&b, xg_public_hlo(j->m), false); break;
    case XLAGPU_FORMAT_HLO_PROTO: xg_proto_print(&b, xg_public_hlo(j->m), true); break;
    case XLAGPU_FORMAT_STABLEHLO: xg_stable_print(&b, xg_public_hlo(j->m)); break;
    case XLAGPU_FORMAT_HLO_LONG: xg_hlo_print(&b, xg_public_hlo(j->m), &names); break;
    default: xg_hlo_print(&b, xg_public_hlo(j->m), NULL); break;
    }
    xg_public_give(j, b.p, b.n);
}
XLAGPU_DEF xlagpu_bytes xlagpu_print_as(xlagpu_module *m, xlagpu_format format) {
    xg_public_job j = xg_public_job_of(m);
    j.format = format;
    return xg_public_bytes(m, &j, xg_public_print_as);
}

XG_ONE_COPY XG_FN bool xg_public_info(
    const xlagpu_value_info *all, uint32_t n, uint32_t index, xlagpu_value_info *out) {
    memset(out, 0, sizeof *out);
    if (index >= n) return false;
    *out = all[index];
    return true;
}
XLAGPU_DEF const char *xlagpu_module_name(const xlagpu_module *m) { return m ? m->name.p : ""; }
XLAGPU_DEF bool xlagpu_module_target(const xlagpu_module *m, xlagpu_target_desc *out) {
    memset(out, 0, sizeof *out);
    if (!m || !m->device.part) return false;
    xg_device_describe(&m->device, out);
    out->name = xg_target_of(m->device.cc)->name;
    return true;
}
XLAGPU_DEF uint32_t xlagpu_parameter_count(const xlagpu_module *m) { return m ? m->n_params : 0; }
XLAGPU_DEF uint32_t xlagpu_result_count(const xlagpu_module *m) { return m ? m->n_results : 0; }
XLAGPU_DEF bool xlagpu_parameter_info(const xlagpu_module *m, uint32_t index, xlagpu_value_info *out) {
    return m && out && xg_public_info(m->params, m->n_params, index, out);
}
XLAGPU_DEF bool xlagpu_result_info(const xlagpu_module *m, uint32_t index, xlagpu_value_info *out) {
    return m && out && xg_public_info(m->results, m->n_results, index, out);
}

/* ---- compiling ---- */

/* The caller's desc overrides the module's XLA flags. */
XG_APART XG_FN void xg_public_options(xg_ctx *c, const xlagpu_compile_desc *d, xg_driver_options *o) {
    xg_str wrong;
    if (d && d->target.name) o->target = *xg_target_find(c, xg_str_z(d->target.name));
    if (!d) return;
    o->described = d->target;
    o->disable_all_passes |= d->disable_all_passes;
    if (d->disable_passes) o->disable_passes = xg_str_z(d->disable_passes);
    o->fill_elided = d->fill_elided_constants;
    o->ftz |= d->ftz;
    o->deterministic |= d->deterministic_ops;
    o->excess_precision |= d->allow_excess_precision;
    o->double_buffering |= d->double_buffer_loops;
    o->keep_hlo = d->keep_hlo;
    o->predict = d->predict_times;
    o->schedules = d->print_schedules;
    o->records = d->print_records;
    o->tuned.text = d->tuned;
    o->tuned.size = d->tuned ? d->tuned_size : 0;
    o->tuned.name = d->tuned_name ? d->tuned_name : "tuned";
    o->schedule.text = d->schedule;
    o->schedule.size = d->schedule ? d->schedule_size : 0;
    o->schedule.name = d->schedule_name ? d->schedule_name : "schedule";
    o->devices = d->devices;
    o->machine_devices = d->machine_devices;
    o->memory_limit = d->memory_limit > (uint64_t)INT64_MAX / 4 ? -1 : (int64_t)d->memory_limit;
    o->no_command_buffers = d->no_command_buffers;
    if (d->command_buffer_least) o->command_buffer_least = d->command_buffer_least;
    o->command_buffer_control = d->command_buffer_control;
    if (!xg_library_bits(d->libraries, &o->libraries, &wrong))
        xg_fail(
            c, XLAGPU_ERROR_USAGE, "no library is called '%.*s'; there are " XG_LIBRARY_NAMES, (int)wrong.n, wrong.p);
    o->backend = xg_backend_find(c, xg_str_z(d->backend));
    o->libdevice = xg_str_of((const char *)d->libdevice, d->libdevice ? (uint32_t)d->libdevice_size : 0);
    o->dump = d->dump;
    o->dump_user = d->dump_user;
}

XG_FN void xg_public_report(xlagpu_module *m, const xg_driver_report *r) {
    memset(&m->report, 0, sizeof m->report);
    m->report.kernels = r->kernels;
    m->report.copies = r->copies;
    m->report.library_calls = r->library_calls;
    m->report.instructions = r->instructions;
    m->report.temp_bytes = (uint64_t)r->temp_bytes;
    m->report.largest_live = (uint64_t)r->largest_live;
    m->report.total_bytes = (uint64_t)r->total_bytes;
    m->report.ptx_bytes = r->ptx_bytes;
    m->report.made_again = r->made_again;
    m->report.predicted_ns = (uint64_t)r->picoseconds / 1000;
    m->report.links_ns = (uint64_t)r->links_picoseconds / 1000;
    m->report.collectives = r->collectives;
#define X(name) m->report.name##_bytes = (uint64_t)r->sent[XG_PLAN_SENT_##name];
    XLAGPU_COLLECTIVES(X)
#undef X
    m->compiled = true;
}

XG_FN void xg_public_compile(xg_public_job *j) {
    xlagpu_module *m = j->m;
    xg_ctx *c = &m->owner->c;
    xg_driver_options o;
    xg_driver_report report;
    xg_str exe;
    o = m->flags;
    xg_public_options(c, j->desc, &o);
    if (xg_public_is_plan(m))
        exe = xg_driver_compile_plan(c, &j->work, &m->source, &o, &report, &m->arena);
    else
        exe = xg_driver_compile(xg_public_take_hlo(m), &m->parsed, &o, &report, &m->arena);
    xg_public_report(m, &report);
    xg_public_give(j, exe.p, exe.n);
}
XLAGPU_DEF xlagpu_bytes xlagpu_compile(xlagpu_module *m, const xlagpu_compile_desc *desc) {
    xg_public_job j = xg_public_job_of(m);
    xlagpu_bytes made;
    j.desc = desc;
    made = xg_public_bytes(m, &j, xg_public_compile);
    if (m && !m->hlo) xg_arena_free(&m->parsed);
    return made;
}

XLAGPU_DEF bool xlagpu_compile_report(const xlagpu_module *m, xlagpu_report *out) {
    if (out) memset(out, 0, sizeof *out);
    if (!m || !out || !m->compiled) return false;
    *out = m->report;
    return true;
}

XG_FN void xg_public_attach(xg_public_job *j) {
    xg_ctx *c = &j->m->owner->c;
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    xg_exe_writer w;
    const char *wrong = xg_exe_check(j->exe.data, j->exe.size, &h, s);
    xg_str made;
    uint32_t k;
    const char *what = j->section == XG_EXE_CUBIN ? "machine code" : "PTX";
    if (wrong) xg_fail(c, XLAGPU_ERROR_CORRUPT, "%s cannot be added to the executable: %s", what, wrong);
    if (!j->part.data || !j->part.size) xg_fail(c, XLAGPU_ERROR_USAGE, "there is no %s to add", what);
    memset(&w, 0, sizeof w);
    w.arena = &j->work;
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        xg_buf_init(&w.sections[k], &j->work);
        if (k == j->section) {
            xg_put(&w.sections[k], (const char *)j->part.data, j->part.size);
            if (k == XG_EXE_PTX && j->part.data[j->part.size - 1]) xg_putc(&w.sections[k], 0);
        } else if (s[k].bytes && k != XG_EXE_CUBIN) /* machine code of the old PTX is dropped */
            xg_put(&w.sections[k], (const char *)j->exe.data + s[k].offset, (size_t)s[k].bytes);
    }
    made = xg_exe_assemble(&w, &h, &j->m->arena);
    xg_public_give(j, made.p, made.n);
}
XG_FN xlagpu_bytes xg_public_attach_to(xlagpu_module *m, xlagpu_bytes exe, uint32_t section, xlagpu_bytes part) {
    xg_public_job j = xg_public_job_of(m);
    j.exe = exe;
    j.section = section;
    j.part = part;
    return xg_public_bytes(m, &j, xg_public_attach);
}
XLAGPU_DEF xlagpu_bytes xlagpu_attach_cubin(xlagpu_module *m, xlagpu_bytes exe, xlagpu_bytes cubin) {
    return xg_public_attach_to(m, exe, XG_EXE_CUBIN, cubin);
}
XLAGPU_DEF xlagpu_bytes xlagpu_attach_ptx(xlagpu_module *m, xlagpu_bytes exe, xlagpu_bytes ptx) {
    return xg_public_attach_to(m, exe, XG_EXE_PTX, ptx);
}

XLAGPU_DEF const char *xlagpu_part_name(uint32_t index) { return xg_device_part_name(index); }
XLAGPU_DEF bool xlagpu_target_describe(const char *name, xlagpu_target_desc *out) {
    xg_device d;
    const xg_target *t = name ? xg_target_called(name) : NULL;
    memset(out, 0, sizeof *out);
    if (!name) return false;
    if (!(t ? xg_device_of_cc(t->cc, &d) : xg_device_of_part(xg_str_z(name), &d))) return false;
    xg_device_describe(&d, out);
    out->name = (t ? t : xg_target_of(d.cc))->name;
    return true;
}
XLAGPU_DEF bool xlagpu_target_peak(const char *name, double *bandwidth, double *flops) {
    xlagpu_target_desc d;
    if (!xlagpu_target_describe(name, &d)) return false;
    if (bandwidth) *bandwidth = (double)d.bandwidth;
    if (flops) *flops = 2e6 * (double)(d.clock_mhz * d.sm_count * d.f32_rate);
    return true;
}

XLAGPU_DEF xlagpu_bytes xlagpu_executable_ptx(xlagpu_bytes exe) {
    xlagpu_bytes r = {NULL, 0};
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    if (exe.data) xg_exe_choose(&exe.data, &exe.size, "sm_999");
    if (xg_exe_check(exe.data, exe.size, &h, s) || s[XG_EXE_PTX].bytes < 2 ||
        exe.data[s[XG_EXE_PTX].offset + s[XG_EXE_PTX].bytes - 1])
        return r;
    r.data = exe.data + s[XG_EXE_PTX].offset;
    r.size = (size_t)s[XG_EXE_PTX].bytes - 1;
    return r;
}

/* ---- evaluating ---- */

XG_FN void xg_public_check_leaf(
    xg_ctx *c, size_t bytes, const xlagpu_tensor *t, uint32_t n, uint32_t *at, const char *what) {
    if (*at < n && t[*at].bytes != bytes)
        xg_fail(c, XLAGPU_ERROR_USAGE, "%s %u has %zu bytes; it needs %zu", what, *at, t[*at].bytes, bytes);
    if (*at < n && !t[*at].data && bytes) xg_fail(c, XLAGPU_ERROR_USAGE, "%s %u has no data", what, *at);
    ++*at;
}
/* Fails unless the tensors are those of the shape's leaves; *at counts the leaves. */
XG_FN void xg_public_check_leaves(
    xg_ctx *c, const xg_shape *s, const xlagpu_tensor *t, uint32_t n, uint32_t *at, const char *what) {
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) xg_public_check_leaves(c, s->elems[k], t, n, at, what);
        return;
    }
    s = xg_shape_held(s);
    xg_public_check_leaf(c, (size_t)xg_plan_bytes(s), t, n, at, what);
    for (k = 0; k < s->rank; k++)
        if (xg_dyn_is_open(s, k)) xg_public_check_leaf(c, sizeof(int32_t), t, n, at, what);
}
XG_FN void xg_public_check(xg_ctx *c, const xg_shape *s, const xlagpu_tensor *t, uint32_t n, const char *what) {
    uint32_t need = 0;
    xg_public_check_leaves(c, s, t, t ? n : 0, &need, what);
    if (n != need) xg_fail(c, XLAGPU_ERROR_USAGE, "%u %s%s given; the module has %u", n, what, n == 1 ? "" : "s", need);
    if (!t && n) xg_fail(c, XLAGPU_ERROR_USAGE, "there are no %ss", what);
}

/* Copies between a dense array of `dims` and its place in an array of `bounds` (both row-major): into it if `pad`, else
 * out of it. */
XG_FN void xg_public_copy_box(
    size_t bytes, uint32_t rank, const int64_t *dims, const int64_t *bounds, char *dense, char *padded, bool pad) {
    int64_t at[XG_RANK_MAX], rows = 1, row = rank ? dims[rank - 1] : 1, from = 0, to, k;
    uint32_t d;
    memset(at, 0, sizeof at);
    for (d = 0; d + 1 < rank; d++) rows *= dims[d];
    for (k = 0; k < rows && row; k++, from += row) {
        for (to = 0, d = 0; d < rank; d++) to = to * bounds[d] + at[d];
        memcpy(pad ? padded + (size_t)to * bytes : dense + (size_t)from * bytes,
            pad ? dense + (size_t)from * bytes : padded + (size_t)to * bytes, (size_t)row * bytes);
        for (d = rank ? rank - 1 : 0; d-- > 0;) {
            if (++at[d] < dims[d]) break;
            at[d] = 0;
        }
    }
}
XG_FN const xg_literal *xg_public_argument(xg_module *m, xg_arena *a, const xg_shape *s, const xlagpu_tensor **in) {
    xg_literal *l = XG_NEW(a, xg_literal);
    int64_t dims[XG_RANK_MAX];
    const xlagpu_tensor *whole;
    uint32_t k;
    l->shape = s;
    if (s->type == XLAGPU_TUPLE) {
        const xg_literal **elems = XG_NEW_N(a, const xg_literal *, s->n_elems + (size_t)1);
        for (k = 0; k < s->n_elems; k++) elems[k] = xg_public_argument(m, a, s->elems[k], in);
        l->elems = elems;
        return l;
    }
    s = xg_shape_held(s);
    whole = (*in)++;
    if (!s->dynamic && (uintptr_t)whole->data % (size_t)XG_MAX(XG_MIN(xg_type_bytes(s->type), 8), 1)) {
        l = xg_literal_new(a, s); /* aligned for the evaluator: an array in a mapped file may begin anywhere */
        memcpy(l->data, whole->data, whole->bytes);
        return l;
    }
    l->shape = s;
    l->data = whole->data;
    if (!s->dynamic) return l;
    for (k = 0; k < s->rank; k++) {
        int32_t n;
        dims[k] = s->dims[k];
        if (!xg_dyn_is_open(s, k)) continue;
        memcpy(&n, (*in)++->data, sizeof n);
        if (n < 0 || n > s->dims[k])
            xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "dimension %u, of at most %lld, is given the size %d", k,
                (long long)s->dims[k], (int)n);
        dims[k] = n;
    }
    l = xg_literal_new(a, xg_shape_plain(m, s->type, dims, s->rank));
    xg_public_copy_box(
        (size_t)xg_type_bytes(s->type), s->rank, dims, s->dims, (char *)l->data, (char *)whole->data, false);
    return l;
}
XG_FN void xg_public_result(xg_ctx *c, const xg_literal *l, const xg_shape *s, const xlagpu_tensor **out) {
    size_t bytes = (size_t)xg_plan_bytes(xg_shape_held(s));
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) xg_public_result(c, l->elems[k], s->elems[k], out);
        return;
    }
    s = xg_shape_held(s);
    for (k = 0; k < s->rank; k++)
        if (l->shape->rank != s->rank || l->shape->dims[k] > s->dims[k])
            xg_fail(c, XLAGPU_ERROR_INVALID, "a result has more elements than its shape says");
    if (!xg_dims_equal(l->shape, s->dims, s->rank)) {
        memset((*out)->data, 0, bytes);
        xg_public_copy_box((size_t)xg_type_bytes(s->type), s->rank, l->shape->dims, s->dims, (char *)l->data,
            (char *)(*out)->data, true);
    } else if (bytes)
        memcpy((*out)->data, l->data, bytes);
    ++*out;
    for (k = 0; k < s->rank; k++) {
        int32_t n = (int32_t)l->shape->dims[k];
        if (xg_dyn_is_open(s, k)) memcpy((*out)++->data, &n, sizeof n);
    }
}

XG_FN void xg_public_evaluate(xg_public_job *j) {
    xg_module *m = xg_public_hlo(j->m);
    const xlagpu_tensor *in = j->inputs, *out = j->outputs;
    const xg_literal **args;
    xg_eval_options o;
    uint32_t k;
    if (m->made[XG_CUSTOM_CALL]) { /* a library call of XLA means the operations that XLA made it of */
        m = xg_public_take_hlo(j->m);
        (void)xg_expand_library_calls(m);
    }
    args = XG_NEW_N(&j->work, const xg_literal *, m->entry->n_params + (size_t)1);
    xg_public_check(m->ctx, m->entry_params, in, j->n_inputs, "input");
    xg_public_check(m->ctx, m->entry_result, out, j->n_outputs, "output");
    memset(&o, 0, sizeof o);
    o.fill_elided = j->fill_elided;
    for (k = 0; k < m->entry->n_params; k++) args[k] = xg_public_argument(m, &j->work, m->entry->params[k]->shape, &in);
    xg_public_result(m->ctx, xg_eval_module(m, &j->work, args, m->entry->n_params, &o), m->entry_result, &out);
}
XLAGPU_DEF xlagpu_status xlagpu_evaluate(xlagpu_module *m, const xlagpu_tensor *inputs, uint32_t n_inputs,
    const xlagpu_tensor *outputs, uint32_t n_outputs, bool fill_elided) {
    xg_public_job j = xg_public_job_of_tensors(m, inputs, n_inputs, outputs, n_outputs);
    if (!m) return XLAGPU_ERROR_USAGE;
    j.fill_elided = fill_elided;
    return xg_public_do(&j, xg_public_evaluate) ? XLAGPU_OK : m->owner->c.status;
}

XG_FN void xg_public_snapshot_value(
    xg_ctx *c, const xg_literal *l, const xg_shape *s, const xlagpu_tensor **to, const char *what, uint32_t index) {
    if (!xg_shape_compatible_sizes(l->shape, s)) /* the file is of another module: shapes are not the same objects */
        xg_fail(c, XLAGPU_ERROR_INVALID, "%s %u of the snapshot has another shape than the module's", what, index);
    xg_public_result(c, l, s, to);
}
XG_FN void xg_public_snapshot(xg_public_job *j) {
    xg_module *m = xg_public_hlo(j->m);
    const xg_source *src = &j->m->source;
    const xlagpu_tensor *in = j->inputs, *out = j->outputs;
    const xg_literal **args = NULL, *result = NULL;
    uint32_t n = 0, k;
    if (!xg_public_is_plan(j->m) && xg_public_kind(j->m) == XG_FORMAT_PROTO)
        n = xg_proto_examples(m, src, &args, &result);
    if ((!n && !result) || (j->n_outputs && !result))
        xg_fail(m->ctx, XLAGPU_ERROR_UNSUPPORTED, "%s: error: it is no HloSnapshot with %s", src->name,
            j->n_outputs ? "a result" : "arguments");
    if (n != m->entry->n_params)
        xg_fail(m->ctx, XLAGPU_ERROR_INVALID, "%s: error: the snapshot has %u argument%s; the module takes %u",
            src->name, n, n == 1 ? "" : "s", m->entry->n_params);
    xg_public_check(m->ctx, m->entry_params, in, j->n_inputs, "input");
    for (k = 0; k < n; k++) xg_public_snapshot_value(m->ctx, args[k], m->entry->params[k]->shape, &in, "argument", k);
    if (!j->n_outputs) return;
    xg_public_check(m->ctx, m->entry_result, out, j->n_outputs, "output");
    xg_public_snapshot_value(m->ctx, result, m->entry_result, &out, "result", 0);
}
XLAGPU_DEF xlagpu_status xlagpu_snapshot(xlagpu_module *m, const xlagpu_tensor *inputs, uint32_t n_inputs,
    const xlagpu_tensor *outputs, uint32_t n_outputs) {
    xg_public_job j = xg_public_job_of_tensors(m, inputs, n_inputs, outputs, n_outputs);
    if (!m) return XLAGPU_ERROR_USAGE;
    return xg_public_do(&j, xg_public_snapshot) ? XLAGPU_OK : m->owner->c.status;
}

#ifdef XLAGPU_SMALL
XG_FN void xg_public_evaluate_devices(xg_public_job *j) {
    xg_fail(&j->m->owner->c, XLAGPU_ERROR_UNSUPPORTED, "the partitioner was left out of this build (XLAGPU_SMALL)");
}
#else
/* Inputs have the shapes of the whole module, which is partitioned for this call alone. */
XG_FN void xg_public_evaluate_devices(xg_public_job *j) {
    xg_module *m = xg_public_take_hlo(j->m);
    const xg_shape *result = m->entry_result;
    const xlagpu_tensor *in = j->inputs, *out = j->outputs;
    const xg_literal **args = XG_NEW_N(&j->work, const xg_literal *, m->entry->n_params + (size_t)1);
    uint32_t n = m->entry->n_params, k;
    xg_spmd_traffic sent;
    xg_eval_options o;
    xg_spmd_job job;
    xg_public_check(m->ctx, m->entry_params, in, j->n_inputs, "input");
    xg_public_check(m->ctx, result, out, j->n_outputs, "output");
    xg_driver_spread(m, j->devices);
    memset(&o, 0, sizeof o);
    o.fill_elided = j->fill_elided;
    for (k = 0; k < n; k++) args[k] = xg_public_argument(m, &j->work, m->entry->params[k]->shape, &in);
    xg_driver_run_named(m, XG_STR("sharding-propagation"));
    job = xg_spmd_job_of(m, &j->work);
    xg_driver_run_named(m, XG_STR("spmd-partitioner"));
    sent = xg_spmd_traffic_of(m);
    if (j->sent) {
        j->sent->collectives = sent.collectives;
        j->sent->bytes = sent.bytes;
    }
    xg_public_result(m->ctx, xg_spmd_eval(&job, m, &j->work, args, n, &o), result, &out);
}
#endif
XLAGPU_DEF xlagpu_status xlagpu_evaluate_devices(xlagpu_module *m, uint32_t devices, const xlagpu_tensor *inputs,
    uint32_t n_inputs, const xlagpu_tensor *outputs, uint32_t n_outputs, bool fill_elided, xlagpu_traffic *sent) {
    xg_public_job j = xg_public_job_of_tensors(m, inputs, n_inputs, outputs, n_outputs);
    bool ok;
    if (!m || !devices) return XLAGPU_ERROR_USAGE;
    j.devices = devices;
    j.fill_elided = fill_elided;
    j.sent = sent;
    ok = xg_public_do(&j, xg_public_evaluate_devices);
    if (!m->hlo) xg_arena_free(&m->parsed);
    return ok ? XLAGPU_OK : m->owner->c.status;
}

/* ---- devices ---- */

XG_FN void xg_public_devices(xg_public_job *j) {
    const xg_module *m = xg_public_hlo(j->m);
    int64_t n = XG_MAX(m->replica_count, (int64_t)1);
    n = m->num_partitions > UINT32_MAX / n ? UINT32_MAX : n * XG_MAX(m->num_partitions, (int64_t)1);
    j->devices = (uint32_t)n;
}
XLAGPU_DEF uint32_t xlagpu_module_devices(xlagpu_module *m) {
    xg_public_job j = xg_public_job_of(m);
    return m && xg_public_do(&j, xg_public_devices) ? j.devices : 1;
}

/* ---- sums ---- */

XG_FN void xg_public_terms(xg_public_job *j) {
    const xg_module *m = xg_public_hlo(j->m);
    const xg_comp *c;
    j->terms = 1;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            uint64_t n = xg_inst_terms(i);
            if (n > j->terms) j->terms = n;
        }
}
XLAGPU_DEF uint64_t xlagpu_longest_sum(xlagpu_module *m) {
    xg_public_job j = xg_public_job_of(m);
    return m && xg_public_do(&j, xg_public_terms) ? j.terms : 1;
}

/* ---- elements ---- */

XLAGPU_DEF size_t xlagpu_type_bytes(xlagpu_type t) {
    return (size_t)t < XLAGPU_TYPE_COUNT && xg_type_bits(t) ? (size_t)xg_type_bytes(t) : 0;
}
XLAGPU_DEF double xlagpu_get_element(xlagpu_type t, const void *p) {
    xg_shape s;
    xg_literal l;
    if (!p || !xlagpu_type_bytes(t)) return 0;
    if (xg_type_class(t) == XGT_F) return xg_float_load(t, p);
    memset(&s, 0, sizeof s);
    memset(&l, 0, sizeof l);
    s.type = xg_type_real(t);
    s.elements = 1;
    l.shape = &s;
    memcpy(&l.data, &p, sizeof p);
    return xg_literal_get_float(&l, 0);
}
XLAGPU_DEF void xlagpu_set_element(xlagpu_type t, void *p, double v) {
    xg_shape s;
    xg_literal l;
    if (!p || !xlagpu_type_bytes(t)) return;
    memset(&s, 0, sizeof s);
    memset(&l, 0, sizeof l);
    s.type = xg_type_real(t);
    s.elements = 1;
    l.shape = &s;
    l.data = p;
    xg_literal_set_float(&l, 0, v);
}

/* ---- passes ---- */

XG_FN void xg_public_optimize(xg_public_job *j) {
    xg_module *copy = xg_public_read(j->m, &j->work, false);
    xg_buf b;
    xg_driver_thresholds(copy, &j->m->flags);
    xg_driver_run_named(copy, xg_str_z(j->passes));
    xg_buf_init(&b, &j->m->arena);
    xg_hlo_print(&b, copy, NULL);
    xg_public_give(j, b.p, b.n);
}
XLAGPU_DEF xlagpu_bytes xlagpu_optimize(xlagpu_module *m, const char *passes) {
    xg_public_job j = xg_public_job_of(m);
    j.passes = passes;
    return xg_public_bytes(m, &j, xg_public_optimize);
}
XLAGPU_DEF const char *xlagpu_pass_name(uint32_t index) { return xg_driver_pass_name(index); }

#endif /* XG_DRIVER_PUBLIC_C */
