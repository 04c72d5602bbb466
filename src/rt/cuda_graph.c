/* rt/cuda_graph.c -- command buffers as CUDA graphs, built node by node.
 *
 * Each command is a node that waits for the one before it; on a device opened with concurrent, only for those that it
 * conflicts with (lanes.c), of the last few, by as few edges as say so. Loops and branches are conditional nodes, which
 * wait for all before them as all behind them wait for them: a small kernel of ours reads what they ask and sets the
 * handle of the node; a branch has one node each. The condition of a loop stands before its node and again at the end
 * of its body.
 *
 * Law: what a build made is taken back when one of its steps fails. */
#ifndef XG_RT_CUDA_GRAPH_C
#define XG_RT_CUDA_GRAPH_C
#include "rt.h"
#include "cuda.c"

enum {
    XR_GRAPH_NODE_CONDITIONAL = 13,
    XR_GRAPH_IF = 0,
    XR_GRAPH_WHILE = 1,
    XR_GRAPH_ASSIGN_DEFAULT = 1,
    XR_GRAPH_DEVICE_MEMORY = 2
};

#define XR_GRAPH(e, call, what) xr_cuda_check(&(e)->c, xr_cuda_under(e), xr_cuda_under(e)->call, (what))

/* ---- what a command is ---- */

XG_FN void xr_graph_kernel(xlagpu_execution *e, const xg_exe_thunk *t, const uint64_t *words, xr_kernel_node *n) {
    const xr_kernel *k = &e->program->kernels[t->kernel];
    memset(n, 0, sizeof *n);
    memcpy(e->args, words, (size_t)t->n_links * 8);
    n->function = xr_cuda_handle(k->handle);
    memcpy(n->grid, k->blocks, sizeof n->grid);
    memcpy(n->block, k->threads, sizeof n->block);
    n->shared = k->shared_bytes;
    n->params = e->arg_pointers;
}
XG_FN void xr_graph_copy(const xlagpu_program *p, const xg_exe_thunk *t, const uint64_t *words, xr_copy_node *n) {
    memset(n, 0, sizeof *n);
    n->from.type = n->to.type = XR_GRAPH_DEVICE_MEMORY;
    n->from.device = words[0];
    n->to.device = words[1];
    n->width = n->from.pitch = n->to.pitch = (size_t)p->slices[p->links[t->first_link]].bytes;
    n->height = n->depth = n->from.height = n->to.height = 1;
}
XG_FN void xr_graph_fill(const xlagpu_program *p, const xg_exe_thunk *t, const uint64_t *words, xr_fill_node *n) {
    size_t bytes = t->kind == XG_EXE_THUNK_MEMSET ? (size_t)p->slices[p->links[t->first_link]].bytes : 4;
    memset(n, 0, sizeof *n);
    n->to = words[0];
    n->value = t->kind == XG_EXE_THUNK_MEMSET ? t->value : (unsigned)words[1];
    n->element = (n->to | bytes) % 4 ? 1 : 4;
    if (n->element == 1) n->value &= 0xFF;
    n->width = bytes / n->element;
    n->height = 1;
}
XG_FN bool xr_graph_is_empty(const xlagpu_program *p, const xg_exe_thunk *t) {
    return (t->kind == XG_EXE_THUNK_COPY || t->kind == XG_EXE_THUNK_MEMSET) &&
           !p->slices[p->links[t->first_link]].bytes;
}

/* ---- building ---- */

/* A graph being filled. front: commands that the next one may run beside; below: a bit for each of the front that such
 * a one waits for, whether straight or not; base: the node that all of them wait for. */
enum {
    XR_GRAPH_FRONT = 64
};
typedef struct xr_graph_writer {
    xlagpu_execution *e;
    const xr_command_buffer *b;
    xr_record *r;
    void *graph, *base, *front[XR_GRAPH_FRONT];
    uint32_t thunks[XR_GRAPH_FRONT], n_front;
    uint64_t below[XR_GRAPH_FRONT];
} xr_graph_writer;

/* The nodes that a new one waits for, the latest first: of the front those that it conflicts with; without a thunk all.
 * What they wait for themselves is not named again. */
XG_FN uint32_t xr_graph_after(const xr_graph_writer *w, const uint32_t *thunk, void **after, uint64_t *below) {
    bool all = !thunk || !w->e->program->device->concurrent;
    uint32_t n = 0, k;
    *below = 0;
    for (k = w->n_front; k-- > 0;) {
        if (*below >> k & 1 || (!all && !xr_lanes_conflict(w->e->program, w->thunks[k], *thunk))) continue;
        after[n++] = w->front[k];
        *below |= w->below[k] | (uint64_t)1 << k;
    }
    if (!n && w->base) after[n++] = w->base;
    return n;
}
/* From here on all wait for this node, which waits for all. */
XG_FN void xr_graph_join(xr_graph_writer *w, void *node) {
    w->base = node;
    w->n_front = 0;
}

XG_FN xlagpu_status xr_graph_command(xr_graph_writer *w, uint32_t command) {
    xlagpu_execution *e = w->e;
    const xlagpu_program *p = e->program;
    xr_cuda *u = xr_cuda_under(e);
    uint32_t thunk = w->b->commands[command].thunk, n_after;
    bool full = w->n_front == XR_GRAPH_FRONT;
    const xg_exe_thunk *t = &p->thunks[thunk];
    const uint64_t *words = w->r->words + w->b->commands[command].first;
    void *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    xlagpu_status s;
    if (xr_graph_is_empty(p, t)) return XLAGPU_OK;
    n_after = xr_graph_after(w, full ? NULL : &thunk, after, &below);
    if (t->kind == XG_EXE_THUNK_KERNEL) {
        xr_kernel_node n;
        xr_graph_kernel(e, t, words, &n);
        s = XR_GRAPH(e, graph_kernel(&node, w->graph, after, n_after, &n), "adding a kernel to a graph");
    } else if (t->kind == XG_EXE_THUNK_COPY) {
        xr_copy_node n;
        xr_graph_copy(p, t, words, &n);
        s = XR_GRAPH(e, graph_copy(&node, w->graph, after, n_after, &n, u->context), "adding a copy to a graph");
    } else {
        xr_fill_node n;
        xr_graph_fill(p, t, words, &n);
        s = XR_GRAPH(e, graph_fill(&node, w->graph, after, n_after, &n, u->context), "adding a fill to a graph");
    }
    if (s != XLAGPU_OK) {
        xr_note(&e->c, "\nfor HLO %s", p->strings + t->name);
        return s;
    }
    w->r->nodes[command] = node;
    if (full) {
        xr_graph_join(w, node);
        return s;
    }
    w->front[w->n_front] = node;
    w->thunks[w->n_front] = thunk;
    w->below[w->n_front++] = below;
    return s;
}

/* The kernel that sets a handle by what lies at the address. */
XG_FN xlagpu_status xr_graph_ask(
    xr_graph_writer *w, uint64_t handle, uint64_t address, uint32_t kind, uint32_t branches, uint32_t which) {
    xr_kernel_node n;
    void *params[5], *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    uint32_t n_after = xr_graph_after(w, NULL, after, &below);
    xlagpu_status s;
    memset(&n, 0, sizeof n);
    n.function = xr_cuda_under(w->e)->condition;
    n.grid[0] = n.grid[1] = n.grid[2] = n.block[0] = n.block[1] = n.block[2] = 1;
    params[0] = &handle;
    params[1] = &address;
    params[2] = &kind;
    params[3] = &branches;
    params[4] = &which;
    n.params = params;
    s = XR_GRAPH(w->e, graph_kernel(&node, w->graph, after, n_after, &n), "adding a condition to a graph");
    xr_graph_join(w, node);
    return s;
}

/* A conditional node; the graph inside it comes back in `inside`. */
XG_FN xlagpu_status xr_graph_conditional(xr_graph_writer *w, int type, uint64_t handle, xr_graph_writer *inside) {
    xr_conditional_node n;
    void *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    uint32_t n_after = xr_graph_after(w, NULL, after, &below);
    xlagpu_status s;
    memset(&n, 0, sizeof n);
    n.type = XR_GRAPH_NODE_CONDITIONAL;
    n.u.c.handle = handle;
    n.u.c.type = type;
    n.u.c.size = 1;
    n.u.c.context = xr_cuda_under(w->e)->context;
    s = XR_GRAPH(w->e, graph_node(&node, w->graph, after, n_after, &n), "adding a loop or branch to a graph");
    if (s != XLAGPU_OK) return s;
    xr_graph_join(w, node);
    *inside = *w;
    inside->graph = n.u.c.graphs[0];
    xr_graph_join(inside, NULL);
    return s;
}
XG_FN xlagpu_status xr_graph_handle(xr_graph_writer *w, uint64_t *handle) {
    return XR_GRAPH(w->e, graph_handle(handle, w->graph, xr_cuda_under(w->e)->context, 0, XR_GRAPH_ASSIGN_DEFAULT),
        "making the handle of a loop or branch");
}

XG_FN xlagpu_status xr_graph_thunk(xr_graph_writer *w, uint32_t number);

XG_FN xlagpu_status xr_graph_while(xr_graph_writer *w, const uint32_t *children, uint64_t address) {
    xr_graph_writer in;
    uint64_t handle = 0;
    xlagpu_status s = xr_graph_handle(w, &handle);
    if (s == XLAGPU_OK) s = xr_graph_thunk(w, children[0]);
    if (s == XLAGPU_OK) s = xr_graph_ask(w, handle, address, 0, 0, 0);
    if (s == XLAGPU_OK) s = xr_graph_conditional(w, XR_GRAPH_WHILE, handle, &in);
    if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[1]);
    if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[0]);
    if (s == XLAGPU_OK) s = xr_graph_ask(&in, handle, address, 0, 0, 0);
    return s;
}
/* All questions are asked before a branch runs: it may write over what they are about. */
XG_FN xlagpu_status xr_graph_branches(
    xr_graph_writer *w, const uint32_t *children, uint32_t n, uint64_t address, bool pred) {
    enum {
        MOST = 64
    };
    uint64_t handles[MOST];
    xr_graph_writer in;
    uint32_t k;
    xlagpu_status s = XLAGPU_OK;
    if (n > MOST) return XLAGPU_ERROR_UNSUPPORTED;
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xr_graph_handle(w, &handles[k]);
        if (s == XLAGPU_OK) s = xr_graph_ask(w, handles[k], address, pred ? 1 : 2, n, k);
    }
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xr_graph_conditional(w, XR_GRAPH_IF, handles[k], &in);
        if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[k]);
    }
    return s;
}
XG_FN xlagpu_status xr_graph_thunk(xr_graph_writer *w, uint32_t number) {
    const xlagpu_program *p = w->e->program;
    const xg_exe_thunk *t = &p->thunks[number];
    uint32_t n, k, slice = t->n_links ? p->links[t->first_link] : 0;
    const uint32_t *children = xr_children(p, t, &n);
    xlagpu_status s = XLAGPU_OK;
    if (number != w->b->thunk && !xr_is_control(t->kind)) return xr_graph_command(w, p->command_of[number]);
    if (t->kind == XG_EXE_THUNK_WHILE) return xr_graph_while(w, children, xr_address(w->e, slice));
    if (t->kind == XG_EXE_THUNK_CONDITIONAL)
        return xr_graph_branches(w, children, n, xr_address(w->e, slice), p->slices[slice].bytes == 1);
    for (k = 0; k < n && s == XLAGPU_OK; k++) s = xr_graph_thunk(w, children[k]);
    return s;
}

XG_FN void xr_cuda_forget(xlagpu_execution *e, xr_record *r) {
    xr_cuda *u = xr_cuda_under(e);
    if (r->exec) u->graph_exec_destroy(r->exec);
    if (r->graph) u->graph_destroy(r->graph);
    r->exec = r->graph = NULL;
    r->built = false;
}

XG_FN xlagpu_status xr_cuda_build(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    xr_graph_writer w;
    xlagpu_status s;
    if (!xr_cuda_under(e)->graphs) return XLAGPU_ERROR_UNSUPPORTED;
    if (b->control && !xr_cuda_under(e)->condition) return XLAGPU_ERROR_UNSUPPORTED;
    s = XR_GRAPH(e, graph_create(&r->graph, 0), "making a graph");
    memset(&w, 0, sizeof w);
    w.e = e;
    w.b = b;
    w.r = r;
    w.graph = r->graph;
    if (s == XLAGPU_OK) s = xr_graph_thunk(&w, b->thunk);
    if (s == XLAGPU_OK) s = XR_GRAPH(e, graph_instantiate(&r->exec, r->graph, 0), "making a graph executable");
    if (s != XLAGPU_OK) {
        xr_cuda_forget(e, r);
        return s;
    }
    r->built = true;
    r->builds++;
    return s;
}

XG_FN xlagpu_status xr_cuda_update(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, uint32_t command) {
    const xlagpu_program *p = e->program;
    const xg_exe_thunk *t = &p->thunks[b->commands[command].thunk];
    const uint64_t *words = r->words + b->commands[command].first;
    xr_cuda *u = xr_cuda_under(e);
    r->updates++;
    if (xr_graph_is_empty(p, t)) return XLAGPU_OK;
    if (t->kind == XG_EXE_THUNK_KERNEL) {
        xr_kernel_node n;
        xr_graph_kernel(e, t, words, &n);
        return XR_GRAPH(e, graph_set_kernel(r->exec, r->nodes[command], &n), "changing a kernel of a graph");
    }
    if (t->kind == XG_EXE_THUNK_COPY) {
        xr_copy_node n;
        xr_graph_copy(p, t, words, &n);
        return XR_GRAPH(e, graph_set_copy(r->exec, r->nodes[command], &n, u->context), "changing a copy of a graph");
    }
    {
        xr_fill_node n;
        xr_graph_fill(p, t, words, &n);
        return XR_GRAPH(e, graph_set_fill(r->exec, r->nodes[command], &n, u->context), "changing a fill of a graph");
    }
}

XG_FN xlagpu_status xr_cuda_replay(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    uint32_t k;
    for (k = 0; k < b->n; k++) {
        const xg_exe_thunk *t = &e->program->thunks[b->commands[k].thunk];
        if (t->kind == XG_EXE_THUNK_KERNEL) e->stats[t->kernel].launches++;
    }
    return XR_GRAPH(e, graph_launch(r->exec, stream), "launching a graph");
}
#undef XR_GRAPH

#endif /* XG_RT_CUDA_GRAPH_C */
