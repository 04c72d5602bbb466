/* rt/cuda_graph.c -- command buffers as CUDA graphs, built node by node.
 *
 * Each command is a node that waits for the one before it; on a device opened with concurrent, only for those that it
 * conflicts with (lanes.c), of the last few, by as few edges as say so. Loops and branches are conditional nodes, which
 * wait for all before them as all behind them wait for them: a small kernel of ours reads what they ask and sets the
 * handle of the node; a branch has one node each. The condition of a loop stands before its node and again at the end
 * of its body.
 *
 * What a library enqueues is captured from a stream into a graph of its own, which becomes one node. Collectives keep
 * their order among themselves, and stand beside all that does not touch their memory.
 *
 * When addresses change, nodes are changed where they stand, in the bodies of loops and branches too: the executable
 * graph takes the nodes of the graphs inside the one that it was made of.
 *
 * Laws
 * - What a build made is taken back when one of its steps fails.
 * - A refusal is XLAGPU_ERROR_UNSUPPORTED unless memory is short or the context is lost: then the caller does without.
 */
#ifndef XG_RT_CUDA_GRAPH_C
#define XG_RT_CUDA_GRAPH_C
#include "rt.h"
#include "cuda.c"

enum {
    XR_GRAPH_NODE_CONDITIONAL = 13,
    XR_GRAPH_IF = 0,
    XR_GRAPH_WHILE = 1,
    XR_GRAPH_ASSIGN_DEFAULT = 1,
    XR_GRAPH_HOST_MEMORY = 1,
    XR_GRAPH_DEVICE_MEMORY = 2
};

/* Answers behind which nothing in the context works any more, so that there is no other way to run. X(number), of
 * CUresult. */
#define XR_CUDA_LOST(X) \
    X(4 /* DEINITIALIZED */) \
    X(214 /* ECC_UNCORRECTABLE */) \
    X(220 /* NVLINK_UNCORRECTABLE */) \
    X(226 /* CONTAINED */) \
    X(700 /* ILLEGAL_ADDRESS */) \
    X(702 /* LAUNCH_TIMEOUT */) \
    X(709 /* CONTEXT_IS_DESTROYED */) \
    X(710 /* ASSERT */) \
    X(714 /* HARDWARE_STACK_ERROR */) \
    X(715 /* ILLEGAL_INSTRUCTION */) \
    X(716 /* MISALIGNED_ADDRESS */) \
    X(717 /* INVALID_ADDRESS_SPACE */) \
    X(718 /* INVALID_PC */) \
    X(719 /* LAUNCH_FAILED */) \
    X(721 /* TENSOR_MEMORY_LEAK */)

XG_FN bool xr_cuda_is_lost(int error) {
    switch (error) {
#define X(number) case number:
        XR_CUDA_LOST(X)
#undef X
        return true;
    default: return false;
    }
}
XG_FN XG_COLD xlagpu_status xr_graph_check(xlagpu_execution *e, int error, const char *what) {
    xlagpu_status s = xr_cuda_check(&e->c, xr_cuda_under(e), error, what);
    return s == XLAGPU_ERROR_DEVICE && !xr_cuda_is_lost(error) ? XLAGPU_ERROR_UNSUPPORTED : s;
}
#define XR_GRAPH(e, call, what) xr_graph_check((e), xr_cuda_under(e)->call, (what))

/* ---- what a command is ---- */

XG_FN xlagpu_status xr_graph_kernel(
    xlagpu_execution *e, const xg_exe_thunk *t, const uint64_t *words, xr_kernel_node *n) {
    const xr_kernel *k = &e->program->kernels[t->kernel];
    memset(n, 0, sizeof *n);
    memcpy(e->args, words, (size_t)t->n_links * 8);
    n->function = xr_cuda_handle(k->handle);
    memcpy(n->grid, k->blocks, sizeof n->grid);
    memcpy(n->block, k->threads, sizeof n->block);
    n->shared = k->shared_bytes;
    n->params = e->arg_pointers;
    return xr_finish_args(e, t->kernel);
}
/* The executable graph keeps the kind of memory that it was made with: that of the allocation, device memory for all
 * that the caller brings. */
XG_FN void xr_graph_copy_side(const xlagpu_program *p, uint32_t slice, uint64_t address, xr_copy_side *side) {
    const xg_exe_allocation *a = &p->allocations[p->slices[slice].allocation];
    bool host = a->kind == XG_EXE_ALLOC_TEMP && a->host;
    side->type = host ? XR_GRAPH_HOST_MEMORY : XR_GRAPH_DEVICE_MEMORY;
    if (host)
        side->host = (const void *)(uintptr_t)address;
    else
        side->device = address;
}
XG_FN void xr_graph_copy(const xlagpu_program *p, const xg_exe_thunk *t, const uint64_t *words, xr_copy_node *n) {
    memset(n, 0, sizeof *n);
    xr_graph_copy_side(p, p->links[t->first_link], words[0], &n->from);
    xr_graph_copy_side(p, p->links[t->first_link + 1], words[1], &n->to);
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

/* May the two stand beside each other? */
XG_FN XG_COLD bool xr_graph_beside(const xlagpu_program *p, uint32_t a, uint32_t b) {
    return (p->device->concurrent || p->thunks[a].kind == XG_EXE_THUNK_COLLECTIVE ||
               p->thunks[b].kind == XG_EXE_THUNK_COLLECTIVE) &&
           !xr_lanes_conflict(p, a, b);
}
/* The nodes that a new one waits for, the latest first: of the front those that it conflicts with; without a thunk all.
 * What they wait for themselves is not named again. */
XG_FN XG_COLD uint32_t xr_graph_after(const xr_graph_writer *w, const uint32_t *thunk, void **after, uint64_t *below) {
    uint32_t n = 0, k;
    *below = 0;
    for (k = w->n_front; k-- > 0;) {
        if (*below >> k & 1 || (thunk && xr_graph_beside(w->e->program, w->thunks[k], *thunk))) continue;
        after[n++] = w->front[k];
        *below |= w->below[k] | (uint64_t)1 << k;
    }
    if (!n && w->base) after[n++] = w->base;
    return n;
}
/* From here on all wait for this node, which waits for all. */
XG_FN XG_COLD void xr_graph_join(xr_graph_writer *w, void *node) {
    w->base = node;
    w->n_front = 0;
}

/* Remembers a node, for a command or, for the number behind the last one, a question. */
XG_FN XG_COLD xr_node *xr_graph_remember(xr_graph_writer *w, uint32_t command, void *node) {
    xr_record *r = w->r;
    xr_node *n = &r->nodes[r->n_nodes++];
    XLAGPU_ASSERT(r->n_nodes <= w->b->n_nodes);
    memset(n, 0, sizeof *n);
    n->node = node;
    n->next = r->first[command];
    r->first[command] = r->n_nodes;
    return n;
}

/* Whatever a library says while a stream is captured, or the driver at the end of that, the step may still run by
 * itself; but a collective that fails has failed on all devices. */
XG_FN XG_COLD xlagpu_status xr_graph_capture(xlagpu_execution *e, xr_record *r, const xg_exe_thunk *t, void **child) {
    enum {
        NON_BLOCKING = 1,
        THREAD_LOCAL = 1 /* other threads may do what they want meanwhile */
    };
    xr_cuda *u = xr_cuda_under(e);
    xlagpu_status s = XLAGPU_OK, ended;
    *child = NULL;
    if (!u->captures) return xr_fail(&e->c, XLAGPU_ERROR_UNSUPPORTED, "the driver captures no streams");
    if (!r->stream) s = XR_GRAPH(e, stream_create(&r->stream, NON_BLOCKING), "making a stream");
    if (s == XLAGPU_OK) s = XR_GRAPH(e, capture_begin(r->stream, THREAD_LOCAL), "beginning to capture a stream");
    if (s != XLAGPU_OK) return s;
    e->capturing = true;
    s = xr_run_step(e, t, r->stream);
    e->capturing = false;
    if (s != XLAGPU_OK && t->kind != XG_EXE_THUNK_COLLECTIVE) s = XLAGPU_ERROR_UNSUPPORTED;
    ended = XR_GRAPH(e, capture_end(r->stream, child), "capturing a stream");
    if (s == XLAGPU_OK) s = ended;
    if (s == XLAGPU_OK || !*child) return s;
    u->graph_destroy(*child);
    return s;
}
XG_FN XG_COLD xlagpu_status xr_graph_library(
    xr_graph_writer *w, const xg_exe_thunk *t, void **node, void *const *after, uint32_t n_after) {
    void *child;
    xlagpu_status s = xr_graph_capture(w->e, w->r, t, &child);
    if (s != XLAGPU_OK) return s;
    s = XR_GRAPH(w->e, graph_child(node, w->graph, after, n_after, child), "adding a library's work to a graph");
    xr_cuda_under(w->e)->graph_destroy(child); /* the node has its own */
    return s;
}

XG_FN XG_COLD xlagpu_status xr_graph_command(xr_graph_writer *w, uint32_t command) {
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
        s = xr_graph_kernel(e, t, words, &n);
        if (s == XLAGPU_OK)
            s = XR_GRAPH(e, graph_kernel(&node, w->graph, after, n_after, &n), "adding a kernel to a graph");
    } else if (t->kind == XG_EXE_THUNK_COPY) {
        xr_copy_node n;
        xr_graph_copy(p, t, words, &n);
        s = XR_GRAPH(e, graph_copy(&node, w->graph, after, n_after, &n, u->context), "adding a copy to a graph");
    } else if (xg_exe_thunk_row_of(t->kind)->flags & XG_EXE_CAPTURED) {
        s = xr_graph_library(w, t, &node, after, n_after);
    } else {
        xr_fill_node n;
        xr_graph_fill(p, t, words, &n);
        s = XR_GRAPH(e, graph_fill(&node, w->graph, after, n_after, &n, u->context), "adding a fill to a graph");
    }
    if (s != XLAGPU_OK) {
        xr_note(&e->c, "\nfor HLO %s", p->strings + t->name);
        return s;
    }
    (void)xr_graph_remember(w, command, node);
    if (full) {
        xr_graph_join(w, node);
        return s;
    }
    w->front[w->n_front] = node;
    w->thunks[w->n_front] = thunk;
    w->below[w->n_front++] = below;
    return s;
}

/* The kernel that sets a handle by what lies at the address. params: 5, which point into q. */
XG_FN void xr_graph_question(xlagpu_execution *e, xr_question *q, void **params, xr_kernel_node *n) {
    memset(n, 0, sizeof *n);
    n->function = xr_cuda_under(e)->condition;
    n->grid[0] = n->grid[1] = n->grid[2] = n->block[0] = n->block[1] = n->block[2] = 1;
    params[0] = &q->handle;
    params[1] = &q->address;
    params[2] = &q->kind;
    params[3] = &q->branches;
    params[4] = &q->which;
    n->params = params;
}
XG_FN XG_COLD xlagpu_status xr_graph_ask(
    xr_graph_writer *w, uint64_t handle, uint32_t slice, uint32_t kind, uint32_t branches, uint32_t which) {
    xr_kernel_node n;
    xr_question q;
    void *params[5], *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    uint32_t n_after = xr_graph_after(w, NULL, after, &below);
    xlagpu_status s;
    q.handle = handle;
    q.address = xr_address(w->e, slice);
    q.slice = slice;
    q.kind = kind;
    q.branches = branches;
    q.which = which;
    xr_graph_question(w->e, &q, params, &n);
    s = XR_GRAPH(w->e, graph_kernel(&node, w->graph, after, n_after, &n), "adding a condition to a graph");
    xr_graph_join(w, node);
    if (s == XLAGPU_OK) xr_graph_remember(w, w->b->n, node)->asks = q;
    return s;
}

/* A conditional node; the graph inside it comes back in `inside`. */
XG_FN XG_COLD xlagpu_status xr_graph_conditional(
    xr_graph_writer *w, int type, uint64_t handle, xr_graph_writer *inside) {
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
XG_FN XG_COLD xlagpu_status xr_graph_handle(xr_graph_writer *w, uint64_t *handle) {
    return XR_GRAPH(w->e, graph_handle(handle, w->graph, xr_cuda_under(w->e)->context, 0, XR_GRAPH_ASSIGN_DEFAULT),
        "making the handle of a loop or branch");
}

XG_FN xlagpu_status xr_graph_thunk(xr_graph_writer *w, uint32_t number);

XG_FN XG_COLD xlagpu_status xr_graph_while(xr_graph_writer *w, const uint32_t *children, uint32_t slice) {
    xr_graph_writer in;
    uint64_t handle = 0;
    xlagpu_status s = xr_graph_handle(w, &handle);
    if (s == XLAGPU_OK) s = xr_graph_thunk(w, children[0]);
    if (s == XLAGPU_OK) s = xr_graph_ask(w, handle, slice, 0, 0, 0);
    if (s == XLAGPU_OK) s = xr_graph_conditional(w, XR_GRAPH_WHILE, handle, &in);
    if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[1]);
    if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[0]);
    if (s == XLAGPU_OK) s = xr_graph_ask(&in, handle, slice, 0, 0, 0);
    return s;
}
/* All questions are asked before a branch runs: it may write over what they are about. */
XG_FN XG_COLD xlagpu_status xr_graph_branches(
    xr_graph_writer *w, const uint32_t *children, uint32_t n, uint32_t slice) {
    enum {
        MOST = 64
    };
    uint64_t handles[MOST];
    xr_graph_writer in;
    uint32_t k;
    xlagpu_status s = XLAGPU_OK;
    bool pred = w->e->program->slices[slice].bytes == 1;
    if (n > MOST)
        return xr_fail(&w->e->c, XLAGPU_ERROR_UNSUPPORTED, "a graph of %u branches; %d are the most", n, MOST);
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xr_graph_handle(w, &handles[k]);
        if (s == XLAGPU_OK) s = xr_graph_ask(w, handles[k], slice, pred ? 1 : 2, n, k);
    }
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xr_graph_conditional(w, XR_GRAPH_IF, handles[k], &in);
        if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[k]);
    }
    return s;
}
XG_FN XG_COLD xlagpu_status xr_graph_thunk(xr_graph_writer *w, uint32_t number) {
    const xlagpu_program *p = w->e->program;
    const xg_exe_thunk *t = &p->thunks[number];
    uint32_t n, k, slice = t->n_links ? p->links[t->first_link] : 0;
    const uint32_t *children = xr_children(p, t, &n);
    xlagpu_status s = XLAGPU_OK;
    if (number != w->b->thunk && !xr_is_control(t->kind)) return xr_graph_command(w, p->command_of[number]);
    if (t->kind == XG_EXE_THUNK_WHILE) return xr_graph_while(w, children, slice);
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) return xr_graph_branches(w, children, n, slice);
    for (k = 0; k < n && s == XLAGPU_OK; k++) s = xr_graph_thunk(w, children[k]);
    return s;
}

XG_FN XG_COLD void xr_cuda_forget(xlagpu_execution *e, xr_record *r) {
    xr_cuda *u = xr_cuda_under(e);
    if (r->exec) u->graph_exec_destroy(r->exec);
    if (r->graph) u->graph_destroy(r->graph);
    if (r->stream) u->stream_destroy(r->stream);
    r->exec = r->graph = r->stream = NULL;
    r->built = false;
}

XG_FN XG_COLD xlagpu_status xr_cuda_build(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    xr_graph_writer w;
    xlagpu_status s;
    if (!xr_cuda_under(e)->graphs) return XLAGPU_ERROR_UNSUPPORTED;
    if (b->control && !xr_cuda_under(e)->condition) return XLAGPU_ERROR_UNSUPPORTED;
    if (!b->n_nodes)
        return xr_fail(&e->c, XLAGPU_ERROR_UNSUPPORTED, "a graph of more than %d nodes", (int)XR_GRAPH_NODES_MAX);
    memset(r->first, 0, ((size_t)b->n + 1) * sizeof *r->first);
    r->n_nodes = 0;
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

/* All nodes of a command get what its words say now. */
XG_FN xlagpu_status xr_graph_update_kernel(xlagpu_execution *e, xr_record *r, uint32_t first, const xr_kernel_node *n) {
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(e, graph_set_kernel(r->exec, r->nodes[first - 1].node, n), "changing a kernel of a graph");
    return s;
}
XG_FN xlagpu_status xr_graph_update_copy(xlagpu_execution *e, xr_record *r, uint32_t first, const xr_copy_node *n) {
    void *context = xr_cuda_under(e)->context;
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(e, graph_set_copy(r->exec, r->nodes[first - 1].node, n, context), "changing a copy of a graph");
    return s;
}
XG_FN xlagpu_status xr_graph_update_fill(xlagpu_execution *e, xr_record *r, uint32_t first, const xr_fill_node *n) {
    void *context = xr_cuda_under(e)->context;
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(e, graph_set_fill(r->exec, r->nodes[first - 1].node, n, context), "changing a fill of a graph");
    return s;
}
XG_FN xlagpu_status xr_graph_update_library(xlagpu_execution *e, xr_record *r, uint32_t first, const xg_exe_thunk *t) {
    void *child;
    xlagpu_status s = xr_graph_capture(e, r, t, &child);
    if (s != XLAGPU_OK) return s;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(
            e, graph_set_child(r->exec, r->nodes[first - 1].node, child), "changing a library's work in a graph");
    xr_cuda_under(e)->graph_destroy(child);
    return s;
}
/* Questions about an address that has changed. */
XG_FN xlagpu_status xr_graph_update_questions(xlagpu_execution *e, xr_record *r, uint32_t first) {
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next) {
        xr_node *node = &r->nodes[first - 1];
        xr_kernel_node n;
        void *params[5];
        if (node->asks.address == xr_address(e, node->asks.slice)) continue;
        node->asks.address = xr_address(e, node->asks.slice);
        xr_graph_question(e, &node->asks, params, &n);
        s = XR_GRAPH(e, graph_set_kernel(r->exec, node->node, &n), "changing a condition of a graph");
        r->updates++;
    }
    return s;
}

XG_FN xlagpu_status xr_cuda_update(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, uint32_t command) {
    const xlagpu_program *p = e->program;
    uint32_t first = r->first[command];
    const xg_exe_thunk *t;
    const uint64_t *words;
    xr_kernel_node kernel;
    xr_copy_node copy;
    xr_fill_node fill;
    xlagpu_status s;
    if (command == b->n) return xr_graph_update_questions(e, r, first);
    t = &p->thunks[b->commands[command].thunk];
    words = r->words + b->commands[command].first;
    if (!first) return XLAGPU_OK; /* copies of nothing have no nodes */
    r->updates++;
    switch (t->kind) {
    case XG_EXE_THUNK_KERNEL:
        s = xr_graph_kernel(e, t, words, &kernel);
        return s == XLAGPU_OK ? xr_graph_update_kernel(e, r, first, &kernel) : s;
    case XG_EXE_THUNK_COPY: xr_graph_copy(p, t, words, &copy); return xr_graph_update_copy(e, r, first, &copy);
    case XG_EXE_THUNK_LIBRARY_CALL:
    case XG_EXE_THUNK_COLLECTIVE: return xr_graph_update_library(e, r, first, t);
    default: xr_graph_fill(p, t, words, &fill); return xr_graph_update_fill(e, r, first, &fill);
    }
}

XG_FN xlagpu_status xr_cuda_replay(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    xlagpu_status s = XR_GRAPH(e, graph_launch(r->exec, stream), "launching a graph");
    uint32_t k;
    for (k = 0; k < b->n && s == XLAGPU_OK; k++) {
        const xg_exe_thunk *t = &e->program->thunks[b->commands[k].thunk];
        if (t->kind == XG_EXE_THUNK_KERNEL) e->stats[t->kernel].launches++;
    }
    return s;
}
#undef XR_GRAPH

#endif /* XG_RT_CUDA_GRAPH_C */
