/* rt/commands.c -- command buffers: many commands recorded once and given to the device as one.
 *
 * The program knows each buffer's commands; an execution has recorded, for each, the addresses it works on. When it is
 * run and an address has changed since, the record and the platform's own form of it (a CUDA graph) are brought up to
 * date, command by command; nothing is allocated for that here.
 *
 * Law: what a device refuses (XLAGPU_ERROR_UNSUPPORTED) costs speed, never a run. A refused change leads to one new
 * build, a refused build to thunks that run one by one from then on; the execution's note says why.
 *
 * Commands are the thunks that are no control flow, in the order of the tree; commands of a loop's condition and body,
 * and of branches, stand there as well, each once. */
#ifndef XG_RT_COMMANDS_C
#define XG_RT_COMMANDS_C
#include "rt.h"

XG_APART XG_FN bool xr_is_list(uint32_t kind) {
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(kind);
    return row->runs == XG_EXE_MANY && !row->slices;
}
XG_FN bool xr_is_command(uint32_t kind) {
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(kind);
    return !row->runs && (row->flags & XG_EXE_INSIDE);
}
XG_FN bool xr_is_control(uint32_t kind) {
    const xg_exe_thunk_row *row = xg_exe_thunk_row_of(kind);
    return row->runs && (row->flags & XG_EXE_INSIDE);
}

/* What a thunk runs: its thunk links, behind the slice that a loop or branch asks. */
XG_FN const uint32_t *xr_children(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t *n) {
    uint32_t slices = xg_exe_thunk_row_of(t->kind)->slices;
    *n = t->n_links - slices;
    return p->links + t->first_link + slices;
}

/* Writes down the commands below a thunk. False: something below cannot be a command. */
XG_FN XG_COLD bool xr_commands_list(xlagpu_program *p, uint32_t number, xr_command_buffer *b, xr_command *list) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *children;
    uint32_t n, k;
    if (number != b->thunk && !xr_is_control(t->kind)) {
        if (!xr_is_command(t->kind)) return false;
        if (b->n_words > UINT32_MAX - 1 - t->n_links) return false; /* damaged thunks may all name the same links */
        list[b->n].thunk = number;
        list[b->n].first = b->n_words;
        p->command_of[number] = b->n;
        b->n++;
        b->n_words += t->n_links + ((xg_exe_thunk_row_of(t->kind)->flags & XG_EXE_OWN) != 0);
        return true;
    }
    b->control = b->control || (xg_exe_thunk_row_of(t->kind)->flags & XG_EXE_ASKS);
    children = xr_children(p, t, &n);
    for (k = 0; k < n; k++)
        if (!xr_commands_list(p, children[k], b, list)) return false;
    return true;
}

/* How many graph nodes a thunk gives; above XR_GRAPH_NODES_MAX: too many. A loop has its condition twice, and asks
 * twice. */
XG_FN XG_COLD uint32_t xr_commands_nodes(const xlagpu_program *p, uint32_t number, const xr_command_buffer *b) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *children;
    uint64_t all = 0;
    uint32_t n, k;
    if (number != b->thunk && !xr_is_control(t->kind)) return 1;
    children = xr_children(p, t, &n);
    for (k = 0; k < n; k++) {
        uint32_t below = xr_commands_nodes(p, children[k], b);
        bool twice = t->kind == XG_EXE_THUNK_WHILE && k == 0;
        all += twice ? 2 * (uint64_t)below : below;
    }
    if (t->kind == XG_EXE_THUNK_WHILE) all += 2;
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) all += n;
    return (uint32_t)XG_MIN(all, (uint64_t)XR_GRAPH_NODES_MAX + 1);
}

/* The arrays have room for as many as there are thunks. */
XG_FN XG_COLD xlagpu_status xr_commands_load(xlagpu_program *p) {
    uint32_t k, used = 0;
    for (k = 0; k < p->n_thunks; k++) {
        xr_command_buffer *b = &p->command_buffers[p->n_command_buffers];
        if (p->thunks[k].kind != XG_EXE_THUNK_COMMAND_BUFFER) continue;
        b->thunk = k;
        b->commands = p->commands + used;
        if (!xr_commands_list(p, k, b, p->commands + used))
            return xr_damaged(p, "a command buffer with what is no command");
        used += b->n;
        b->n_nodes = xr_commands_nodes(p, k, b);
        if (b->n_nodes > XR_GRAPH_NODES_MAX) b->n_nodes = 0;
        p->has_control_commands = p->has_control_commands || b->control;
        p->command_of[k] = p->n_command_buffers++;
    }
    return XLAGPU_OK;
}

/* ---- of an execution ---- */

/* Of the parts of a record, each a multiple of 8, so that words stay aligned. */
XG_FN uint64_t xr_commands_words_bytes(const xr_command_buffer *b) { return ((uint64_t)b->n_words + 1) * 8; }
XG_FN uint64_t xr_commands_nodes_bytes(const xr_command_buffer *b) {
    return ((uint64_t)b->n_nodes * sizeof(xr_node) + 7) / 8 * 8;
}
XG_FN uint64_t xr_commands_first_bytes(const xr_command_buffer *b) { return ((uint64_t)b->n / 2 + 1) * 8; }
XG_FN uint64_t xr_commands_bytes(const xlagpu_program *p) {
    uint64_t n = (uint64_t)p->n_command_buffers * sizeof(xr_record);
    uint32_t k;
    for (k = 0; k < p->n_command_buffers; k++) {
        const xr_command_buffer *b = &p->command_buffers[k];
        n += xr_commands_words_bytes(b) + xr_commands_nodes_bytes(b) + xr_commands_first_bytes(b);
    }
    return n;
}
XG_FN XG_COLD void xr_commands_place(xlagpu_execution *e, char *m) {
    const xlagpu_program *p = e->program;
    uint32_t k;
    e->records = (xr_record *)(void *)m;
    m += (size_t)p->n_command_buffers * sizeof(xr_record);
    for (k = 0; k < p->n_command_buffers; k++) {
        const xr_command_buffer *b = &p->command_buffers[k];
        e->records[k].words = (uint64_t *)(void *)m;
        m += (size_t)xr_commands_words_bytes(b);
        e->records[k].nodes = (xr_node *)(void *)m;
        m += (size_t)xr_commands_nodes_bytes(b);
        e->records[k].first = (uint32_t *)(void *)m;
        m += (size_t)xr_commands_first_bytes(b);
    }
}
XG_FN XG_COLD void xr_commands_finish(xlagpu_execution *e) {
    uint32_t k;
    for (k = 0; e->records && k < e->program->n_command_buffers; k++)
        e->program->device->platform->forget(e, &e->records[k]);
}

/* ---- a run ---- */

XG_FN bool xr_commands_set(uint64_t *at, uint64_t word) {
    bool changed = *at != word;
    *at = word;
    return changed;
}

/* Addresses as they are now; commands that are built already are told, and so is what asks for a changed address. */
XG_FN xlagpu_status xr_commands_record(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    const xlagpu_program *p = e->program;
    uint32_t c, k;
    for (c = 0; c < b->n; c++) {
        const xr_command *m = &b->commands[c];
        const xg_exe_thunk *t = &p->thunks[m->thunk];
        bool changed = false;
        for (k = 0; k < t->n_links; k++)
            changed = xr_commands_set(
                          &r->words[m->first + k], xr_address(e, p->links[t->first_link + k] & ~XG_EXE_WRITTEN)) ||
                      changed;
        if (xg_exe_thunk_row_of(t->kind)->flags & XG_EXE_OWN)
            changed = xr_commands_set(&r->words[m->first + t->n_links], xr_own_number(e, t)) || changed;
        if (changed && r->built) {
            xlagpu_status s = p->device->platform->update(e, b, r, c);
            if (s != XLAGPU_OK) return s;
        }
    }
    return r->built && b->control ? p->device->platform->update(e, b, r, b->n) : XLAGPU_OK;
}

/* Brings the record up to date, builds what is not built, and runs it. */
XG_FN xlagpu_status xr_commands_try(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = XLAGPU_OK;
    if (!r->built || r->version != e->version) {
        bool built = r->built;
        if (r->no_update) q->forget(e, r);
        s = xr_commands_record(e, b, r);
        r->no_update = r->no_update || (built && s == XLAGPU_ERROR_UNSUPPORTED);
        if (s == XLAGPU_OK && !r->built) s = q->build(e, b, r);
        if (s == XLAGPU_OK) r->version = e->version;
    }
    return s == XLAGPU_OK ? q->replay(e, b, r, stream) : s;
}

/* The refusal becomes the execution's note: the run goes on without it. */
XG_FN XG_COLD void xr_commands_refused(xlagpu_execution *e, const char *consequence) {
    const char *why = *e->c.message ? e->c.message : "the driver has no such graphs";
    xg_format(e->note, sizeof e->note, "%s: %s", consequence, why);
    xr_begin(&e->c);
}

XG_FN xlagpu_status xr_run_commands(xlagpu_execution *e, uint32_t number, void *stream, bool *done) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const xr_command_buffer *b = &p->command_buffers[p->command_of[number]];
    xr_record *r = &e->records[p->command_of[number]];
    bool built = r->built;
    xlagpu_status s;
    *done = false;
    if (r->plain || p->device->no_command_buffers || e->profile.on) return XLAGPU_OK;
    s = xr_commands_try(e, b, r, stream);
    if (s == XLAGPU_ERROR_UNSUPPORTED && built) {
        q->forget(e, r);
        xr_commands_refused(e, "a command buffer is built anew where addresses change");
        s = xr_commands_try(e, b, r, stream);
    }
    *done = s != XLAGPU_ERROR_UNSUPPORTED;
    if (s == XLAGPU_OK) return s;
    q->forget(e, r);
    if (s == XLAGPU_ERROR_UNSUPPORTED) {
        xr_commands_refused(e, "a command buffer runs kernel by kernel");
        r->plain = true;
        return XLAGPU_OK;
    }
    xr_nccl_leave(e);
    xr_note(&e->c, "\nwhile running the command buffer that begins with HLO %s", p->strings + p->thunks[number].name);
    return s;
}

#endif /* XG_RT_COMMANDS_C */
