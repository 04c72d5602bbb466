/* rt/commands.c -- command buffers: many commands recorded once and given to the device as one.
 *
 * The program knows each buffer's commands; an execution has recorded, for each, the addresses it works on. When it is
 * run and an address has changed since, the record and the platform's own form of it (a CUDA graph) are brought up to
 * date, command by command; nothing is allocated for that here. A platform that cannot have command buffers says so
 * when one is built (XLAGPU_ERROR_UNSUPPORTED), and the thunks run one by one from then on.
 *
 * Commands are the thunks that are no control flow, in the order of the tree; commands of a loop's condition and body,
 * and of branches, stand there as well, each once. */
#ifndef XG_RT_COMMANDS_C
#define XG_RT_COMMANDS_C
#include "rt.h"

XG_FN bool xr_is_control(uint32_t kind) {
    return kind == XG_EXE_THUNK_WHILE || kind == XG_EXE_THUNK_CONDITIONAL || kind == XG_EXE_THUNK_SEQUENCE;
}

/* What a thunk runs: its thunk links, behind the slice that a loop or branch asks. */
XG_FN const uint32_t *xr_children(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t *n) {
    uint32_t asks = t->kind == XG_EXE_THUNK_WHILE || t->kind == XG_EXE_THUNK_CONDITIONAL;
    *n = t->n_links - asks;
    return p->links + t->first_link + asks;
}

/* Writes down the commands below a thunk. False: something below cannot be a command. */
XG_FN bool xr_commands_list(xlagpu_program *p, uint32_t number, xr_command_buffer *b, xr_command *list) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *children;
    uint32_t n, k;
    if (number != b->thunk && !xr_is_control(t->kind)) {
        if (t->kind > XG_EXE_THUNK_MEMSET && t->kind != XG_EXE_THUNK_REPLICA_ID && t->kind != XG_EXE_THUNK_PARTITION_ID)
            return false;
        if (b->n_words > UINT32_MAX - 1 - t->n_links) return false; /* damaged thunks may all name the same links */
        list[b->n].thunk = number;
        list[b->n].first = b->n_words;
        p->command_of[number] = b->n;
        b->n++;
        b->n_words += t->n_links + (t->kind == XG_EXE_THUNK_REPLICA_ID || t->kind == XG_EXE_THUNK_PARTITION_ID);
        return true;
    }
    b->control = b->control || t->kind == XG_EXE_THUNK_WHILE || t->kind == XG_EXE_THUNK_CONDITIONAL;
    children = xr_children(p, t, &n);
    for (k = 0; k < n; k++)
        if (!xr_commands_list(p, children[k], b, list)) return false;
    return true;
}

/* The arrays have room for as many as there are thunks. */
XG_FN xlagpu_status xr_commands_load(xlagpu_program *p) {
    uint32_t k, used = 0;
    for (k = 0; k < p->n_thunks; k++) {
        xr_command_buffer *b = &p->command_buffers[p->n_command_buffers];
        if (p->thunks[k].kind != XG_EXE_THUNK_COMMAND_BUFFER) continue;
        b->thunk = k;
        b->commands = p->commands + used;
        if (!xr_commands_list(p, k, b, p->commands + used))
            return xr_damaged(p, "a command buffer with what is no command");
        used += b->n;
        p->has_control_commands = p->has_control_commands || b->control;
        p->command_of[k] = p->n_command_buffers++;
    }
    return XLAGPU_OK;
}

/* ---- of an execution ---- */

XG_FN uint64_t xr_commands_bytes(const xlagpu_program *p) {
    uint64_t n = (uint64_t)p->n_command_buffers * sizeof(xr_record);
    uint32_t k;
    /* 8: whatever a pointer has, words stay aligned */
    for (k = 0; k < p->n_command_buffers; k++)
        n += ((uint64_t)p->command_buffers[k].n_words + 1) * 8 + ((uint64_t)p->command_buffers[k].n + 1) * 8;
    return n;
}
XG_FN void xr_commands_place(xlagpu_execution *e, char *m) {
    const xlagpu_program *p = e->program;
    uint32_t k;
    e->records = (xr_record *)(void *)m;
    m += (size_t)p->n_command_buffers * sizeof(xr_record);
    for (k = 0; k < p->n_command_buffers; k++) {
        e->records[k].words = (uint64_t *)(void *)m;
        m += ((size_t)p->command_buffers[k].n_words + 1) * 8;
        e->records[k].nodes = (void **)(void *)m;
        m += ((size_t)p->command_buffers[k].n + 1) * 8;
    }
}
XG_FN void xr_commands_finish(xlagpu_execution *e) {
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

/* Addresses as they are now; commands that are built already are told. */
XG_FN xlagpu_status xr_commands_record(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    const xlagpu_program *p = e->program;
    uint32_t c, k;
    if (b->control) p->device->platform->forget(e, r); /* conditional nodes are built anew */
    for (c = 0; c < b->n; c++) {
        const xr_command *m = &b->commands[c];
        const xg_exe_thunk *t = &p->thunks[m->thunk];
        bool changed = false;
        for (k = 0; k < t->n_links; k++)
            changed = xr_commands_set(
                          &r->words[m->first + k], xr_address(e, p->links[t->first_link + k] & ~XG_EXE_WRITTEN)) ||
                      changed;
        if (t->kind == XG_EXE_THUNK_REPLICA_ID)
            changed = xr_commands_set(&r->words[m->first + 1], e->replica) || changed;
        if (t->kind == XG_EXE_THUNK_PARTITION_ID)
            changed = xr_commands_set(&r->words[m->first + 1], e->partition) || changed;
        if (changed && r->built) {
            xlagpu_status s = p->device->platform->update(e, b, r, c);
            if (s != XLAGPU_OK) return s;
        }
    }
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_run_commands(xlagpu_execution *e, uint32_t number, void *stream, bool *done) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const xr_command_buffer *b = &p->command_buffers[p->command_of[number]];
    xr_record *r = &e->records[p->command_of[number]];
    xlagpu_status s = XLAGPU_OK;
    *done = false;
    if (r->plain || p->device->no_command_buffers || e->profile.on) return XLAGPU_OK;
    if (!r->built || r->version != e->version) {
        s = xr_commands_record(e, b, r);
        if (s == XLAGPU_OK && !r->built) {
            s = q->build(e, b, r);
            if (s == XLAGPU_ERROR_UNSUPPORTED) {
                r->plain = true;
                xr_begin(&e->c);
                return XLAGPU_OK;
            }
        }
        r->version = e->version;
    }
    if (s == XLAGPU_OK) s = q->replay(e, b, r, stream);
    *done = true;
    if (s == XLAGPU_OK) return s;
    q->forget(e, r);
    xr_note(&e->c, "\nwhile running the command buffer that begins with HLO %s", p->strings + p->thunks[number].name);
    return s;
}

#endif /* XG_RT_COMMANDS_C */
