/* driver/driver.c -- the whole way from a module to executable bytes: the HLO pipeline, a kernel for every fusion,
 * buffers and thunks, PTX.
 *
 * The dump callback gets every stage of a kernel under a name like "kir/loop_fusion/after_03_cse". */
#ifndef XG_DRIVER_DRIVER_C
#define XG_DRIVER_DRIVER_C
#include "driver.h"
#include "passes.h"

#define XG_KIR_ON_ALL true
#define XG_KIR_ON_GPU false
XG_TABLE void (*const xg_kir_pass_runs[])(xg_kmodule *m) = {
#define X(name, run, targets) run,
    XG_KIR_PASSES(X)
#undef X
};
XG_TABLE const bool xg_kir_pass_on_cpu[] = {
#define X(name, run, targets) XG_KIR_ON_##targets,
    XG_KIR_PASSES(X)
#undef X
};
XG_TABLE const char xg_kir_pass_names[] =
#define X(name, run, targets) name "\0"
    XG_KIR_PASSES(X)
#undef X
    ;
#undef XG_KIR_ON_ALL
#undef XG_KIR_ON_GPU

XG_FN void xg_driver_dump_kir(xg_kmodule *m, const xg_driver_options *o, const char *what) {
    char stage[256];
    xg_buf text;
    xg_mark mark;
    if (!XG_DRIVER_TELLS(o)) return;
    mark = xg_arena_mark(m->arena);
    xg_buf_init(&text, m->arena);
    xg_kir_print(&text, m);
    xg_format(stage, sizeof stage, "kir/%s/%s", m->entry->name.p, what);
    xg_driver_dump_text(o, stage, &text);
    xg_arena_reset(m->arena, mark);
}

/* ---- kernels ---- */

enum {
    XG_DRIVER_ALIGN = 16,     /* bytes, of buffers: the widest access */
    XG_DRIVER_KEEPS = 1 << 20 /* bytes that stay in the work arena after the kernels; the executable gets the rest */
};
typedef struct xg_driver_state {
    const xg_driver_options *o;
    const xg_backend *backend;
    bool plain; /* the ptx room prints kernels whose records name no backend */
    void *code;
    xg_arena *arena;
    xg_arena *work; /* of the current kernel: everything but its text */
    xg_arena *temp; /* of the running pass */
    xg_emit_target emit;
    xg_map64 ways; /* by record: the number of its way (xg_driver_way) */
    xg_dict way_texts;
    xg_map64 classes;      /* by xg_choice_class: what the fusion computes, as an xg_str */
    xg_dict names;         /* of kernels: the last suffix that was appended to it */
    xg_dict made;          /* by xg_driver_kernel_key: the kernel's number in the plan */
    xg_driver_lines lines; /* for dumps */
} xg_driver_state;

/* A name of the form [A-Za-z_$][A-Za-z0-9_$]*, unique in the executable: a taken name gets the next free number
 * appended. */
XG_FN xg_str xg_driver_kernel_name(xg_driver_state *s, xg_str wish) {
    char text[256];
    size_t n = 0, k;
    uint32_t *taken;
    if (wish.n && wish.p[0] >= '0' && wish.p[0] <= '9') text[n++] = '_';
    for (k = 0; k < wish.n && n < 200; k++) {
        char c = wish.p[k];
        text[n++] =
            (char)((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$'
                       ? c
                       : '_');
    }
    if (!n) text[n++] = '_';
    if (n == 1 && (text[0] == '_' || text[0] == '$')) text[n++] = '_'; /* PTX wants a second character then */
    text[n] = 0;
    if (strcmp(text, "WARP_SZ") == 0) {
        text[n++] = '_';
        text[n] = 0;
    } /* a reserved word of PTX */
    taken = (uint32_t *)xg_dict_get(&s->names, xg_str_z(text));
    if (taken) do
            xg_format(text + n, sizeof text - n, "_%u", ++*taken);
        while (xg_dict_get(&s->names, xg_str_z(text)));
    xg_dict_put(&s->names, xg_str_z(text), XG_NEW(s->arena, uint32_t));
    return xg_str_copy(s->arena, xg_str_z(text));
}

/* What the kernel's code may depend on of each buffer: parameters of equal slice are the same memory. Alignments are
 * capped at the widest access, since larger ones would only keep equal kernels from being deduplicated. */
XG_FN xg_karg *xg_driver_args(xg_arena *a, const xg_plan *p, const xg_plan_step *s) {
    xg_karg *args = XG_NEW_N(a, xg_karg, s->n_links + (size_t)1);
    xg_map64 first;
    uint32_t k;
    xg_map64_init(&first, a);
    for (k = 0; k < s->n_links; k++) {
        const xg_buffer *b = p->buffers.p[s->links[k]];
        if (!xg_map64_get(&first, b->slice + (uint64_t)1))
            xg_map64_put(&first, b->slice + (uint64_t)1, (void *)(uintptr_t)(k + 1));
        args[k].slice = (int32_t)(uintptr_t)xg_map64_get(&first, b->slice + (uint64_t)1) - 1;
        args[k].bytes = b->bytes;
        args[k].align = XG_DRIVER_ALIGN;
        args[k].written = k >= s->n_links - s->n_written;
        /* live values never alias, but blocks write each other's scratch memory */
        args[k].aliased = k >= s->inst->n_operands + (uint32_t)xg_shape_leaves(s->inst->shape);
    }
    return args;
}

/* A plan that was edited by hand may place a result where the kernel's record does not allow it. */
XG_FN void xg_driver_check_over(const xg_plan *p, const xg_plan_step *s, const xg_record *r) {
    uint32_t n = s->n_links - s->n_written, k, j;
    for (k = 0; k < s->n_written; k++)
        for (j = 0; j < n; j++)
            if (s->links[j] == s->links[n + k] && p->buffers.p[s->links[j]]->bytes && !xg_record_may_share(r, j, k))
                xg_hlo_fail(s->inst, XLAGPU_ERROR_INVALID, "plan the module again",
                    "%s: result %u lies over operand %u, where its %.*s '%.*s' cannot put it", s->inst->name.p, k, j,
                    (int)r->kind.n, r->kind.p, (int)r->way.n, r->way.p);
}

/* Equal for records by which the same code is emitted. */
XG_FN uint32_t xg_driver_way(xg_driver_state *s, const xg_record *r) {
    uint32_t *number = (uint32_t *)xg_map64_get(&s->ways, (uintptr_t)r);
    xg_buf b;
    if (number) return *number;
    xg_buf_init(&b, s->work);
    xg_record_print_way(&b, r);
    number = (uint32_t *)xg_dict_get(&s->way_texts, xg_str_of(b.p, b.n));
    if (!number) {
        number = XG_NEW(s->arena, uint32_t);
        *number = s->way_texts.n;
        xg_dict_put(&s->way_texts, xg_str_of(b.p, b.n), number);
    }
    xg_map64_put(&s->ways, (uintptr_t)r, number);
    return *number;
}
/* The fingerprint of the fusion's memory effects; computed once for all fusions of one class. */
XG_FN xg_str xg_driver_fingerprint(xg_driver_state *s, const xg_inst *fusion) {
    const void *of = xg_choice_class(fusion);
    xg_str *known = of ? (xg_str *)xg_map64_get(&s->classes, (uint64_t)(uintptr_t)of) : NULL;
    xg_buf b;
    if (known) return *known;
    xg_buf_init(&b, s->work);
    xg_fuse_fingerprint_kernel(&b, s->work, xg_attr_calls(fusion));
    if (!of) return xg_str_of(b.p, b.n);
    known = XG_NEW(s->arena, xg_str);
    *known = xg_str_copy(s->arena, xg_str_of(b.p, b.n));
    xg_map64_put(&s->classes, (uint64_t)(uintptr_t)of, known);
    return *known;
}
/* Fusions of equal keys share one kernel, whatever their names. */
XG_FN xg_str xg_driver_kernel_key(xg_driver_state *s, const xg_inst *fusion, const xg_record *r, const xg_karg *args) {
    uint32_t n = fusion->n_operands + (uint32_t)xg_shape_leaves(fusion->shape), k;
    xg_buf b;
    xg_buf_init(&b, s->work);
    for (k = 0; k < n; k++) {
        xg_printf(&b, "%lld%c%lld%c%lld ", (long long)args[k].slice, args[k].written ? '!' : ':',
            (long long)args[k].bytes, args[k].aliased ? '!' : ':', (long long)args[k].align);
    }
    xg_put_i64(&b, xg_driver_way(s, r));
    xg_put_str(&b, xg_driver_fingerprint(s, fusion));
    return xg_str_of(b.p, b.n);
}

/* Fails if the fusion's buffers, a pointer each, exceed the parameters of a kernel. */
XG_FN void xg_driver_check_args(const xg_inst *fusion) {
    enum {
        MOST = XG_PTX_PARAM_BYTES_MAX / 8
    };
    uint32_t n = fusion->n_operands + (uint32_t)xg_shape_leaves(fusion->shape);
    if (n > MOST)
        xg_hlo_fail(fusion, XLAGPU_ERROR_UNSUPPORTED,
            "run it with --platform=interpreter, or take fewer operands at a time",
            "%s: a kernel of %u buffers; it can have %d", fusion->name.p, n, (int)MOST);
}

XG_FN void xg_driver_dump_code(void *user, const char *stage, xg_str text) {
    const xg_driver_options *o = (const xg_driver_options *)user;
    o->dump(o->dump_user, stage, text.p, text.n);
}

#ifndef XLAGPU_SMALL
/* True if the record of any kernel names LLVM. */
XG_FN bool xg_driver_orders_llvm(const xg_plan *p) {
    uint32_t k;
    for (k = 0; k < p->steps.n; k++) {
        const xg_record *r =
            p->steps.p[k].kind == XG_EXE_THUNK_KERNEL ? xg_records_of(p->records, p->steps.p[k].inst) : NULL;
        if (r && xg_str_is(r->backend, "llvm")) return true;
    }
    return false;
}
#endif

XG_FN const xg_record *xg_driver_record(xg_plan *p, const xg_inst *fusion) {
    const xg_record *record = xg_records_of(p->records, fusion);
    if (!record) xg_hlo_fail(fusion, XLAGPU_ERROR_INTERNAL, NULL, "%s has no record", fusion->name.p);
    return record;
}
/* Emits a fusion's kernel, unless an equal one exists, and gives its number in the plan; the caller resets the work
 * arena. */
XG_FN uint32_t xg_driver_make_kernel(xg_driver_state *s, xg_plan *p, const xg_inst *fusion, xg_karg *args) {
    const xg_record *record = xg_driver_record(p, fusion);
    xg_kmodule *m;
    xg_plan_kernel k;
    xg_str key;
    uint32_t *made;
    xg_mark none = xg_arena_mark(s->temp);
    size_t i;
    key = xg_driver_kernel_key(s, fusion, record, args);
    made = (uint32_t *)xg_dict_get(&s->made, key);
    if (made) return *made;
    m = xg_choice_emit(s->work, fusion, record, xg_driver_kernel_name(s, fusion->name), &s->emit);
    m->temp = s->temp;
    m->target = &s->o->target;
    m->ftz = s->o->ftz;
    if (s->backend->takes_libdevice) m->libdevice = s->o->libdevice;
    m->plain = record->backend.n ? xg_str_is(record->backend, "ptx") : s->plain;
    for (i = 0; i < m->entry->body->n_args; i++) args[i].parted = m->entry->args[i].parted;
    m->entry->args = args;
    xg_driver_dump_kir(m, s->o, "emitted");
    for (i = 0; i < XG_COUNT(xg_kir_pass_runs); i++) {
        char stage[64];
        if (s->o->target.suffix == XG_TARGET_CPU && !xg_kir_pass_on_cpu[i]) continue;
#ifdef XLAGPU_DEBUG
        xg_kir_verify(m);
#endif
        xg_kir_pass_runs[i](m);
        xg_arena_reset(s->temp, none);
        if (!XG_DRIVER_TELLS(s->o)) continue;
        xg_format(stage, sizeof stage, "after_%02u_%s", (unsigned)i + 1, xg_text_nth(xg_kir_pass_names, i));
        xg_driver_dump_kir(m, s->o, stage);
    }
#ifdef XLAGPU_DEBUG
    xg_kir_verify_low(m);
#endif
    xg_driver_dump_kir(m, s->o, "final");
    s->lines.kernel = fusion;
    if (XG_DRIVER_TELLS(s->o)) xg_driver_number_lines(m, &s->lines);
    /* the backend fixes the name and the dynamic shared memory */
    s->backend->kernel(s->code, m, XG_DRIVER_TELLS(s->o) ? xg_driver_dump_code : NULL, (void *)(uintptr_t)s->o);
    if (XG_DRIVER_TELLS(s->o)) xg_driver_dump_lines(m, s->o, &s->lines);
    memset(&k, 0, sizeof k);
    k.name = xg_str_copy(p->arena, m->entry->name);
    k.shared_bytes = m->shared_bytes ? (uint32_t)record->launch.shared : 0;
    if (m->shared_bytes > k.shared_bytes)
        xg_hlo_fail(fusion, XLAGPU_ERROR_INTERNAL, NULL, "the code of %s has %u bytes of shared memory, its record %u",
            fusion->name.p, m->shared_bytes, k.shared_bytes);
    memcpy(k.threads, record->launch.threads, sizeof k.threads);
    memcpy(k.blocks, record->launch.blocks, sizeof k.blocks);
    k.n_maps = m->entry->n_maps;
    if (k.n_maps) {
        xg_kmap *maps = XG_NEW_N(p->arena, xg_kmap, k.n_maps);
        memcpy(maps, m->entry->maps, k.n_maps * sizeof *maps);
        k.maps = maps;
    }
    if (XG_DRIVER_PREDICTS(s->o)) {
        xg_cost_counts counts;
        m->shared_bytes = (uint32_t)record->launch.shared; /* static arrays count, too */
        xg_kir_estimate(m, &p->m->device, s->temp, &counts);
        k.time = xg_cost_predict(&p->m->device, &counts);
    }
    xg_push(p->arena, xg_plan_kernel, &p->kernels, k);
    made = XG_NEW(s->arena, uint32_t);
    *made = p->kernels.n - 1;
    xg_dict_put(&s->made, key, made);
    return *made;
}
XG_APART XG_FN uint32_t xg_driver_kernel(void *user, xg_plan *p, uint32_t step) {
    xg_driver_state *s = (xg_driver_state *)user;
    const xg_plan_step *of = &p->steps.p[step];
    xg_mark none = xg_arena_mark(s->work);
    uint32_t number;
    xg_driver_check_args(of->inst);
    xg_driver_check_over(p, of, xg_driver_record(p, of->inst));
    number = xg_driver_make_kernel(s, p, of->inst, xg_driver_args(s->work, p, of));
    xg_arena_reset(s->work, none);
    return number;
}

#ifndef XLAGPU_SMALL
/* ---- kernels of all-reduces ---- */

XG_APART XG_FN uint32_t xg_driver_peers_kernel(
    xg_driver_state *s, xg_plan *p, const xg_inst *i, uint32_t operand, uint32_t members) {
    xg_mark none = xg_arena_mark(s->work);
    xg_inst *fusion = xg_plan_peers_fusion(i, operand, members, &s->emit);
    xg_karg *args = XG_NEW_N(s->work, xg_karg, members + (size_t)1);
    uint32_t number, k;
    memset(args, 0, (members + (size_t)1) * sizeof *args);
    for (k = 0; k <= members; k++) {
        args[k].slice = (int32_t)k;
        args[k].bytes = xg_plan_bytes(fusion->shape);
        args[k].align = XG_DRIVER_ALIGN;
        args[k].written = k == members;
    }
    number = xg_driver_make_kernel(s, p, fusion, args);
    xg_plan_peers_forget(fusion);
    xg_arena_reset(s->work, none);
    return number;
}
/* The kernel of a multicast object, which is written as PTX: kernel IR has no such operations. */
XG_FN uint32_t xg_driver_cast_kernel(
    xg_driver_state *s, xg_plan *p, const xg_inst *i, uint32_t operand, uint32_t members) {
    xg_plan_kernel k;
    uint32_t *made, instructions;
    char key[96];
    xg_str text;
    xg_format(key, sizeof key, "multimem %s %d %lld %u", xg_type_name(XG_OPERAND(i, operand)->shape->type),
        xg_opt_device_reducer(i), (long long)xg_plan_bytes(XG_OPERAND(i, operand)->shape), members);
    made = (uint32_t *)xg_dict_get(&s->made, xg_str_z(key));
    if (made) return *made;
    memset(&k, 0, sizeof k);
    k.name = xg_driver_kernel_name(s, XG_STR("peers_multimem"));
    text = xg_plan_cast_kernel(s->arena, i, operand, members, &k, &instructions);
    xg_ptx_add((xg_ptx *)s->code, text, XG_CAST_ISA, instructions);
    xg_push(p->arena, xg_plan_kernel, &p->kernels, k);
    made = XG_NEW(s->arena, uint32_t);
    *made = p->kernels.n - 1;
    xg_dict_put(&s->made, xg_str_z(key), made);
    return *made;
}
/* Emits the kernels of small all-reduces outside of command buffers. */
XG_FN void xg_driver_peers(xg_driver_state *s, xg_plan *p, const xg_plan_sequence *q, uint32_t depth) {
    uint32_t k, j, members;
    bool kernels, cast;
    for (k = 0; k < q->steps.n; k++) {
        xg_plan_step *step = &p->steps.p[q->steps.p[k]];
        if (step->kind == XG_EXE_THUNK_COMMAND_BUFFER) continue;
        for (j = 0; j < step->n_children && depth < XG_DRIVER_NESTING; j++)
            xg_driver_peers(s, p, p->sequences.p[step->children[j]], depth + 1);
        if (step->kind != XG_EXE_THUNK_COLLECTIVE) continue;
        members = xg_plan_peers(step->inst, &kernels, &cast);
        if (kernels) step->peers = XG_NEW_N(p->arena, uint32_t, step->inst->n_operands);
        if (cast && s->backend == xg_ptx_backend()) step->casts = XG_NEW_N(p->arena, uint32_t, step->inst->n_operands);
        for (j = 0; j < step->inst->n_operands; j++) {
            if (step->peers) step->peers[j] = xg_driver_peers_kernel(s, p, step->inst, j, members);
            if (step->casts) step->casts[j] = xg_driver_cast_kernel(s, p, step->inst, j, members);
        }
    }
}
#endif

/* Adds up the bytes that collectives send, by kind, in a sequence that runs `runs` times. */
XG_FN void xg_driver_sent(const xg_plan *p, uint32_t sequence, int64_t runs, uint32_t depth, int64_t *sent) {
    const xg_plan_sequence *q = p->sequences.p[sequence];
    uint32_t k, j;
    for (k = 0; k < q->steps.n; k++) {
        const xg_plan_step *s = &p->steps.p[q->steps.p[k]];
        int64_t *to = &sent[xg_plan_sent_kind_of(s->inst->op)];
        if (s->kind == XG_EXE_THUNK_COLLECTIVE) *to = xg_cost_add_mul(*to, xg_plan_sent_bytes(s->inst), runs);
        for (j = 0; j < s->n_children && depth < XG_DRIVER_NESTING; j++)
            xg_driver_sent(
                p, s->children[j], s->kind == XG_EXE_THUNK_FOR ? xg_cost_mul(runs, s->value) : runs, depth + 1, sent);
    }
}
/* The entry's sequence; those of command buffers follow it. */
XG_FN uint32_t xg_driver_entry(const xg_plan *p) {
    uint32_t k = 0;
    while (k < p->sequences.n && p->sequences.p[k]->comp != p->m->entry) k++;
    return k;
}
XG_FN void xg_driver_fill_report(const xg_plan *p, uint32_t instructions, xg_driver_report *r) {
    uint32_t k;
    memset(r, 0, sizeof *r);
    r->kernels = 0;
    for (k = 0; k < p->steps.n; k++) {
        r->kernels += p->steps.p[k].kind == XG_EXE_THUNK_KERNEL;
        r->copies += p->steps.p[k].kind == XG_EXE_THUNK_COPY;
        r->library_calls += p->steps.p[k].kind == XG_EXE_THUNK_LIBRARY_CALL;
        r->collectives += p->steps.p[k].kind == XG_EXE_THUNK_COLLECTIVE;
    }
    if (r->collectives && xg_driver_entry(p) < p->sequences.n) xg_driver_sent(p, xg_driver_entry(p), 1, 0, r->sent);
    r->instructions = instructions;
    r->ptx_bytes = p->ptx.bytes;
    r->made_again = p->m->made_again;
    r->temp_bytes = r->total_bytes = p->temp_bytes;
    r->largest_live = p->largest_live;
    for (k = 0; k < p->buffers.n; k++)
        if (p->buffers.p[k]->kind != XG_EXE_ALLOC_TEMP) r->total_bytes += p->buffers.p[k]->bytes;
}

/* The operations for which the target has an instruction on bf16. */
XG_FN uint32_t xg_driver_bf16_ops(const xg_target *t) {
    xg_ptx_index index;
    xg_ktype bf16;
    uint32_t r = 0;
    memset(&bf16, 0, sizeof bf16);
    bf16.kind = XG_TK_SCALAR;
    bf16.elem = XG_E_BF16;
    xg_ptx_index_make(&index);
#define X(hlo, kir) \
    if (xg_ptx_find_row(&index, t, XG_K_OP_##kir, &bf16, &bf16)) r |= 1u << XG_FLOAT_OP_##hlo;
    XG_FLOAT_OPS(X)
#undef X
    return r;
}
XG_NORETURN XG_FN void xg_driver_bad_part(xg_ctx *c, const char *part) {
    char known[XG_DEVICE_LIST_MAX];
    xg_device_part_list(known, sizeof known);
    xg_fail(c, XLAGPU_ERROR_USAGE, "no device is called '%.40s'; known are %s", part, known);
}
#ifndef XLAGPU_SMALL
/* Of a kernel that is emitted only to be timed: each parameter is a buffer of its own. */
XG_FN int64_t xg_driver_kernel_time(const xg_module *m, void *kernel) {
    xg_kmodule *k = (xg_kmodule *)kernel;
    xg_kfunc *f = k->entry;
    xg_cost_counts counts;
    uint32_t i, d;
    for (i = 0; i < f->body->n_args; i++) {
        const xg_ktype *t = f->body->args[i].type;
        f->args[i].slice = (int32_t)i;
        f->args[i].align = XG_DRIVER_ALIGN;
        f->args[i].written = i >= f->n_inputs;
        f->args[i].bytes = xg_kelem_bytes(t->elem);
        for (d = 0; d < t->rank; d++) f->args[i].bytes *= t->dims[d];
    }
    k->target = m->target;
    for (i = 0; i < XG_COUNT(xg_kir_pass_runs); i++) xg_kir_pass_runs[i](k);
    xg_ptx_legalize(k);
    xg_kir_estimate(k, &m->device, k->arena, &counts);
    return xg_cost_picoseconds(&m->device, &counts);
}
#endif
XG_FN void xg_driver_aim(xg_module *m, const xg_target *t, const xg_device *d) {
    m->device = *d;
    m->device.warp_groups = d->warp_groups && t->suffix == 'a';
    m->device.tensor_memory = d->tensor_memory && t->suffix;
    m->device.tensor_memory_i8 = d->tensor_memory_i8 && t->suffix == 'a';
    m->bf16_ops = xg_driver_bf16_ops(t);
#ifndef XLAGPU_SMALL
    m->target = t;
    m->kernel_time = t->suffix == XG_TARGET_CPU ? NULL : xg_driver_kernel_time;
#endif
}
XG_FN void xg_driver_aim_usual(xg_module *m, const xg_target *t) {
    xg_device d;
    (void)xg_device_of_cc(t->cc, &d); /* every target has a usual device */
    xg_driver_aim(m, t, &d);
}
/* Chooses the device: the options' part, or else the text's if it suits the target, or else the target's usual one.
 * Then the options' figures replace the device's. */
XG_FN void xg_driver_aim_by(xg_module *m, xg_driver_options *o) {
    xg_device d = m->device;
    const char *part = o->described.part;
    if (part && !xg_device_of_part(xg_str_z(part), &d)) xg_driver_bad_part(m->ctx, part);
    if (!*o->target.name)
        o->target = part || m->has_device ? *xg_target_of(d.cc) : *xg_target_find(m->ctx, XG_STR(XG_DRIVER_TARGET));
    if (part && d.cc != o->target.cc)
        xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "%s is not a device of %s", part, o->target.name);
    if (!part && !(m->has_device && d.cc == o->target.cc)) (void)xg_device_of_cc(o->target.cc, &d);
    xg_device_apply(&d, &o->described);
    xg_driver_aim(m, &o->target, &d);
    m->has_device = true;
}
/* The limit is the options', or else the device's memory, which a program may exceed. */
XG_FN void xg_driver_limit(xg_module *m, const xg_driver_options *o) {
    int64_t room = m->device.memory_bytes / 1000 * XG_DRIVER_MEMORY_PERMILLE;
    m->memory_limit = o->memory_limit < 0 ? 0 : o->memory_limit ? o->memory_limit : room;
    m->limit_is_wish = !o->memory_limit;
}

/* ---- the model of time ---- */

/* Picoseconds of a step without the sequences that it calls: a kernel's from its estimate, those of copies and fills
 * from their bytes. */
XG_FN int64_t xg_driver_step_time(const xg_plan *p, const xg_plan_step *s) {
    const xg_device *d = &p->m->device;
    xg_cost_counts c;
    if (s->kind == XG_EXE_THUNK_KERNEL) return p->kernels.p[s->kernel].time.picoseconds;
    if (s->kind == XG_EXE_THUNK_COLLECTIVE)
        return xg_cost_add(xg_cost_mul(d->launch_ns, 1000), xg_plan_sent_time(s->inst));
    if (s->kind != XG_EXE_THUNK_COPY && s->kind != XG_EXE_THUNK_MEMSET) return 0;
    memset(&c, 0, sizeof c);
    c.written_bytes = s->n_links ? p->buffers.p[s->links[s->n_links - 1]]->bytes : 0;
    c.read_bytes = s->kind == XG_EXE_THUNK_COPY ? c.written_bytes : 0;
    c.blocks = d->sm_count;
    c.threads = d->threads_per_block;
    return xg_cost_predict(d, &c).picoseconds;
}
XG_FN void xg_driver_time_row(xg_buf *b, const xg_plan *p, const xg_plan_step *s, int64_t ps, int64_t runs) {
    const xg_plan_kernel *f = s->kind == XG_EXE_THUNK_KERNEL ? &p->kernels.p[s->kernel] : NULL;
    const char *limit = f                                    ? xg_cost_limit_name((uint32_t)f->time.limit)
                        : s->kind == XG_EXE_THUNK_COLLECTIVE ? "links"
                                                             : "memory";
    int64_t ns = ps / 1000;
    xg_printf(b, "%lld.%03lld\t%s\t", (long long)(ns / 1000), (long long)(ns % 1000), limit);
    if (f) xg_printf(b, "%lld.%lld", (long long)(f->time.permille / 10), (long long)(f->time.permille % 10));
    xg_printf(b, "%s\t%lld\t%s\t%s\n", f ? "" : "-", (long long)runs, s->inst->name.p,
        f ? f->name.p : xg_exe_thunk_name(s->kind));
}
/* Prints a row for each step and gives the sum. Steps of a loop count once for each iteration if the trip count is
 * known, else once. *links: the part of collectives is added to it. */
XG_FN int64_t xg_driver_times(
    xg_buf *b, const xg_plan *p, uint32_t sequence, int64_t runs, uint32_t depth, int64_t *links) {
    const xg_plan_sequence *q = p->sequences.p[sequence];
    int64_t sum = 0;
    uint32_t k, j;
    for (k = 0; k < q->steps.n; k++) {
        const xg_plan_step *s = &p->steps.p[q->steps.p[k]];
        int64_t ps = xg_cost_mul(xg_driver_step_time(p, s), runs);
        sum = xg_cost_add(sum, ps);
        if (s->kind == XG_EXE_THUNK_COLLECTIVE) *links = xg_cost_add(*links, ps);
        if (b && ps) xg_driver_time_row(b, p, s, ps, runs);
        for (j = 0; j < s->n_children && depth < XG_DRIVER_NESTING; j++)
            sum = xg_cost_add(
                sum, xg_driver_times(b, p, s->children[j],
                         s->kind == XG_EXE_THUNK_FOR ? xg_cost_mul(runs, s->value) : runs, depth + 1, links));
    }
    return sum;
}
/* ---- what links do beside the rest ---- */

enum {
    XG_DRIVER_BESIDE = 32 /* how many earlier steps are searched for those that a step waits for */
};
/* The last steps of a sequence and when they end. The device and its links are two queues, each strictly in order. */
typedef struct xg_driver_clock {
    const xg_plan_step *steps[XG_DRIVER_BESIDE];
    int64_t ends[XG_DRIVER_BESIDE], now, links;
    uint32_t n;
} xg_driver_clock;

XG_APART XG_FN void xg_driver_pass(const xg_plan *p, xg_driver_clock *c, const xg_plan_step *s) {
    int64_t time = xg_driver_step_time(p, s), from = 0,
            *clock = s->kind == XG_EXE_THUNK_COLLECTIVE ? &c->links : &c->now;
    uint32_t k, slot = c->n % XG_DRIVER_BESIDE;
    for (k = 0; k < XG_MIN(c->n, (uint32_t)XG_DRIVER_BESIDE); k++)
        if (c->ends[k] > from && xg_commands_meet(p, s, c->steps[k])) from = c->ends[k];
    if (c->n >= XG_DRIVER_BESIDE) from = XG_MAX(from, c->ends[slot]);
    *clock = xg_cost_add(XG_MAX(*clock, from), time);
    c->steps[slot] = s;
    c->ends[slot] = *clock;
    c->n++;
}
/* Loops, branches and calls are barriers: they wait for all earlier steps, and later steps wait for them. */
XG_FN void xg_driver_pass_all(const xg_plan *p, xg_driver_clock *c, const xg_plan_sequence *q, uint32_t depth) {
    uint32_t k;
    for (k = 0; k < q->steps.n; k++) {
        const xg_plan_step *s = &p->steps.p[q->steps.p[k]];
        int64_t inside = 0, none = 0;
        uint32_t j;
        if (s->kind == XG_EXE_THUNK_COMMAND_BUFFER && s->n_children && depth < XG_DRIVER_NESTING) {
            xg_driver_pass_all(p, c, p->sequences.p[s->children[0]], depth + 1);
            continue;
        }
        if (!s->n_children) {
            xg_driver_pass(p, c, s);
            continue;
        }
        for (j = 0; j < s->n_children && depth < XG_DRIVER_NESTING; j++)
            inside = xg_cost_add(inside,
                xg_driver_times(NULL, p, s->children[j], s->kind == XG_EXE_THUNK_FOR ? s->value : 1, depth + 1, &none));
        c->now = c->links = xg_cost_add(XG_MAX(c->now, c->links), inside);
        c->n = 0;
    }
}
/* The time from the first step's start to the last one's end. */
XG_FN int64_t xg_driver_elapsed(const xg_plan *p, uint32_t sequence) {
    xg_driver_clock c;
    memset(&c, 0, sizeof c);
    xg_driver_pass_all(p, &c, p->sequences.p[sequence], 0);
    return XG_MAX(c.now, c.links);
}
XG_FN void xg_driver_predict(const xg_plan *p, const xg_driver_options *o, xg_driver_report *report) {
    xg_buf text, *b = o->dump ? &text : NULL;
    int64_t sum = 0, links = 0;
    uint32_t k;
    xg_buf_init(&text, p->arena);
    xg_puts(&text, "predicted_us\tlimited_by\t%_of_peak\truns\thlo\tkernel\n");
    k = xg_driver_entry(p);
    if (k < p->sequences.n) sum = xg_driver_times(b, p, k, 1, 0, &links);
    if (links) sum = xg_driver_elapsed(p, k);
    if (b) xg_driver_dump_text(o, "times", b);
    if (!report) return;
    report->picoseconds = sum;
    report->links_picoseconds = links;
}

/* The second half of a compilation: from a plan to kernels, PTX and bytes. */
XG_FN xg_str xg_driver_finish(xg_plan *p, const xg_driver_options *o, xg_driver_report *report, xg_arena *to) {
    xg_arena *a = p->arena;
    xg_driver_state s;
    xg_buf text;
    uint32_t instructions = 0;
    xg_str exe;
    memset(&s, 0, sizeof s);
    s.o = o;
    s.arena = a;
    s.work = p->m->work;
    s.temp = xg_arena_inner(a);
    s.backend = xg_backend_for(a->ctx, o->backend, &o->target);
#ifndef XLAGPU_SMALL
    /* LLVM takes the kernels that ask for it, the ptx room the others */
    if (s.backend == xg_ptx_backend() && xg_driver_orders_llvm(p)) {
        s.backend = xg_backend_find(a->ctx, XG_STR("llvm"));
        s.plain = true;
    }
#endif
    s.code = s.backend->begin(a->ctx, a, &o->target, &p->m->device);
    s.emit = xg_emit_target_of(&p->m->device, o->deterministic);
    xg_map64_init(&s.ways, a);
    xg_dict_init(&s.way_texts, a);
    xg_map64_init(&s.classes, a);
    xg_dict_init(&s.names, a);
    xg_dict_init(&s.made, a);
    if (XG_DRIVER_TELLS(o)) {
        xg_buf_init(&text, a);
        xg_plan_print(&text, p);
        xg_driver_dump_text(o, "plan", &text);
        s.lines.insts = xg_driver_insts_by_id(p->m, a);
        s.lines.n_ids = p->m->n_ids;
    }
    xg_plan_kernels(p, xg_driver_kernel, &s);
    xg_arena_trim(s.temp, 0);
    xg_arena_trim(s.work, XG_DRIVER_KEEPS);
    if (!o->no_command_buffers)
        xg_plan_command_buffers(p, o->command_buffer_least ? o->command_buffer_least : (uint32_t)XG_DRIVER_COMMANDS,
            o->command_buffer_control);
    p->is_object = o->target.suffix == XG_TARGET_CPU;
#ifndef XLAGPU_SMALL
    if (!p->is_object && xg_driver_entry(p) < p->sequences.n)
        xg_driver_peers(&s, p, p->sequences.p[xg_driver_entry(p)], 0);
#endif
    xg_kept_drop(p->m);
    if (p->kernels.n) instructions = s.backend->finish(s.code, &p->ptx);
    if (o->dump && !p->is_object) {
        xg_buf_init(&text, a);
        xg_put_texts(&text, &p->ptx);
        xg_driver_dump_text(o, "ptx", &text);
    }
    p->target = o->target.cc * 10;
    p->target_name = xg_str_copy(a, xg_str_z(o->target.name));
    if (o->keep_hlo) {
        xg_buf_init(&text, a);
        xg_hlo_print(&text, p->m, NULL);
        p->hlo = xg_str_of(text.p, text.n);
    }
    if (report) xg_driver_fill_report(p, instructions, report);
    if (XG_DRIVER_PREDICTS(o)) xg_driver_predict(p, o, report);
    exe = xg_plan_executable(p, o->fill_elided, to);
    if (XG_DRIVER_TELLS(o)) {
        xg_buf_init(&text, a);
        xg_listing_print(&text, exe);
        xg_driver_dump_text(o, "thunk_sequence", &text);
    }
    return exe;
}

/* ---- several devices ---- */

/* The parts of the leaves of this shape that the devices hold: see xg_module.param_parts. */
XG_FN void xg_driver_parts_of(xg_module *m, const xg_spmd_mesh *mesh, const xg_shape *shape,
    const xg_sharding *const *leaves, const xg_ints **out) {
    const xg_shape **all = xg_shape_leaf_list(m->arena, shape);
    int64_t k, device;
    uint32_t d;
    for (k = 0; k < shape->leaves; k++) {
        const xg_sharding *s = leaves[k];
        const xg_shape *part;
        int64_t *p;
        xg_ints *list;
        bool one = s->kind == XG_SHARDING_MAXIMAL;
        if (!xg_shape_is_array(all[k]) || (!one && !s->start[s->rank])) continue;
        part = one ? all[k] : xg_spmd_local_shape(m, mesh, all[k], s);
        list = XG_NEW(m->arena, xg_ints);
        p = XG_NEW_N(m->arena, int64_t, all[k]->rank + (size_t)mesh->devices * (all[k]->rank + (size_t)1) + 1);
        list->p = p;
        for (d = 0; d < all[k]->rank; d++) p[list->n++] = all[k]->dims[d];
        for (device = 0; device < mesh->devices; device++) {
            p[list->n++] = !one || s->device == device;
            for (d = 0; d < all[k]->rank; d++)
                p[list->n++] = one ? 0 : XG_MIN(xg_sharding_tile(mesh, s, d, device) * part->dims[d], all[k]->dims[d]);
        }
        out[k] = list;
    }
}
XG_FN bool xg_driver_is_shardy(const xg_inst *i) {
    static const char key[] = "xla.sdy.";
    xg_str s = xg_attr_str(i, XG_A_frontend_attributes);
    uint32_t k;
    for (k = 0; k + sizeof key <= s.n && memcmp(s.p + k, key, sizeof key - 1) != 0; k++) {}
    return k + sizeof key <= s.n;
}
/* True for the program of one device of several: it has collectives, and only parameters and results have
 * shardings. */
XG_FN bool xg_driver_is_partitioned(const xg_module *m) {
    const xg_comp *c;
    bool meets = m->is_scheduled;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            bool border = c == m->entry && (i->op == XG_PARAMETER || i == c->root);
            meets = meets || xg_opt_is_collective(i) || i->op == XG_PARTITION_ID;
            if ((!border && xg_inst_attr(i, XG_A_sharding)) || xg_driver_is_shardy(i)) return false;
        }
    return meets;
}
/* A module that names no devices gets that many partitions. */
XG_FN void xg_driver_spread(xg_module *m, uint32_t devices) {
    int64_t all = XG_MAX(m->num_partitions, (int64_t)1) * XG_MAX(m->replica_count, (int64_t)1);
    if (all == 1) m->num_partitions = devices;
    if (all > 1 && all != (int64_t)devices)
        xg_fail(m->ctx, XLAGPU_ERROR_USAGE, "module %.*s is for %lld devices, not for %u", (int)m->name.n, m->name.p,
            (long long)all, devices);
}
/* Partitions the module: that of all devices becomes that of one. */
XG_APART XG_FN void xg_driver_partition(xg_module *m, const xg_driver_options *o) {
    const xg_ints **params, **results;
    xg_spmd_job job;
    size_t n = 0;
    uint32_t k;
    if (o->devices) xg_driver_spread(m, o->devices);
    m->machine_devices = o->machine_devices;
    if (m->num_partitions <= 1 || xg_driver_is_partitioned(m)) return;
    m->dump = o->dump;
    m->dump_user = o->dump_user;
    xg_driver_run_named(m, XG_STR("sharding-propagation"));
    for (k = 0; k < m->entry->n_params; k++) n += (size_t)m->entry->params[k]->shape->leaves;
    params = XG_NEW_N(m->arena, const xg_ints *, n + 1);
    results = XG_NEW_N(m->arena, const xg_ints *, (size_t)m->entry->root->shape->leaves + 1);
    job = xg_spmd_job_of(m, m->arena);
    for (k = 0, n = 0; k < m->entry->n_params; n += (size_t)m->entry->params[k++]->shape->leaves)
        xg_driver_parts_of(m, job.mesh, m->entry->params[k]->shape, job.params[k], params + n);
    xg_driver_parts_of(m, job.mesh, job.shape, job.results, results);
    xg_driver_run_named(m, XG_STR("spmd-partitioner"));
    m->param_parts = params;
    m->result_parts = results;
    xg_driver_dump_hlo(m, o, "hlo/after_spmd-partitioner");
}

XG_APART XG_FN xg_str xg_driver_compile(
    xg_module *m, xg_arena *a, const xg_driver_options *options, xg_driver_report *report, xg_arena *to) {
    xg_driver_options aimed = *options;
    const xg_driver_options *o = &aimed;
    xg_plan *p;
    xg_buf text;
    xg_driver_dump_hlo(m, o, "hlo/before_optimizations");
#ifdef XLAGPU_SMALL
    xg_small_check(m, o);
#else
    xg_driver_partition(m, o);
#endif
    if (XG_DRIVER_TELLS(o)) {
        xg_buf_init(&text, a);
        xg_indexing_print_module(&text, m);
        xg_driver_dump_text(o, "indexing", &text);
    }
    xg_driver_aim_by(m, &aimed);
    xg_driver_limit(m, o);
    if (XG_DRIVER_TELLS(o)) {
        m->fusion_log = XG_NEW(a, xg_buf);
        xg_buf_init(m->fusion_log, a);
    }
    xg_driver_run_passes(m, o);
    if (m->param_parts && (m->param_sizes || m->result_sizes))
        xg_fail(m->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "module %.*s: bounded dimensions on several devices are not supported", (int)m->name.n, m->name.p);
    xg_driver_dump_hlo(m, o, "hlo/after_optimizations");
    if (m->fusion_log) xg_driver_dump_text(o, "fusion_log", m->fusion_log);
    if (XG_DRIVER_TELLS(o) && o->schedules) {
        xg_buf_init(&text, a);
        xg_schedules_print(&text, m);
        xg_driver_dump_text(o, "schedule", &text);
    }
    if (XG_DRIVER_TELLS(o) && o->records) {
        xg_buf_init(&text, a);
        xg_tuned_print(&text, m);
        xg_driver_dump_text(o, "records", &text);
    }
    p = xg_plan_buffers(a, m);
    if (XG_DRIVER_TELLS(o)) {
        xg_buf_init(&text, a);
        xg_plan_print_buffers(&text, p);
        xg_driver_dump_text(o, "buffer-assignment", &text);
    }
    p->asks = o->command_buffer_control && !o->no_command_buffers; /* xg_plan_command_buffers counts what is left */
    xg_plan_thunks(p);
    return xg_driver_finish(p, o, report, to);
}

/* Fails if the plan needs more device memory than the limit. */
XG_FN void xg_driver_check_limit(const xg_plan *p, int64_t limit) {
    uint64_t bytes = 0; /* cannot overflow: the limit and each buffer are below 2^61 */
    uint32_t k;
    if (limit <= 0) return;
    for (k = 0; k < p->buffers.n && bytes <= (uint64_t)limit; k++)
        if (p->buffers.p[k]->kind != XG_EXE_ALLOC_TEMP) bytes += (uint64_t)p->buffers.p[k]->bytes;
    for (k = 0; k < p->spaces.n; k++)
        if (p->spaces.p[k].space != XG_PLAN_HOST_SPACE) bytes += (uint64_t)p->spaces.p[k].bytes;
    if (bytes > (uint64_t)limit)
        xg_fail(p->m->ctx, XLAGPU_ERROR_LIMIT,
            "the planned module needs %llu bytes of device memory, more than the limit of %lld; what is planned is not "
            "changed",
            (unsigned long long)bytes, (long long)limit);
}

/* A planned module is compiled on from where it was printed, for the same compute capability only: its records hold
 * for no other. */
XG_APART XG_FN xg_str xg_driver_compile_plan(
    xg_ctx *c, xg_arena *a, const xg_source *src, const xg_driver_options *o, xg_driver_report *report, xg_arena *to) {
    xg_driver_options aimed = *o;
    xg_plan *p = xg_plan_parse(c, a, src);
    uint32_t cc = p->m->device.cc;
    bool named = p->m->has_device;
    xg_driver_aim_by(p->m, &aimed);
    if (named && cc != aimed.target.cc)
        xg_fail(c, XLAGPU_ERROR_USAGE, "the module was planned for sm_%u and cannot be compiled for %s", cc,
            aimed.target.name);
    xg_driver_check_limit(p, o->memory_limit);
    p->m->deterministic = o->deterministic;
    p->m->libraries = o->libraries;
    xg_choice_complete(p->m);
    return xg_driver_finish(p, &aimed, report, to);
}

#endif /* XG_DRIVER_DRIVER_C */
