/* fake_capture.h -- of the fake driver: streams that are captured into graphs, and graphs as nodes of others.
 *
 * As the real driver does, it spoils a capture by what must not be done meanwhile, and gives no graph at its end. A
 * child's nodes are copied into the graph, in front of a node that waits for all of them. */
#ifndef XLAGPU_TESTS_FAKE_CAPTURE_H
#define XLAGPU_TESTS_FAKE_CAPTURE_H

static int spoils_capture(void) {
    fake_stream *s;
    for (s = captured; s; s = s->next)
        if (pthread_equal(s->capturer, pthread_self())) return s->spoilt = 1;
    return 0;
}
int cuStreamBeginCapture_v2(void *stream, int mode) {
    fake_stream *s = (fake_stream *)stream;
    IN_CONTEXT("cuStreamBeginCapture_v2");
    if (!s || s->capture || mode != 1) return s ? 1 : 900; /* thread local; not the default stream */
    s->capture = graph_new();
    s->last = NULL;
    s->spoilt = 0;
    s->capturer = pthread_self();
    s->next = captured;
    captured = s;
    fake.captures++;
    return 0;
}
int cuStreamEndCapture(void *stream, void **graph) {
    fake_stream *s = (fake_stream *)stream, **p = &captured;
    fake_graph *g = s->capture;
    int e = failing("cuStreamEndCapture");
    HOLD;
    *graph = NULL;
    if (!current_depth()) return 201;
    if (!g) return 401;
    if (!pthread_equal(s->capturer, pthread_self())) return 908;
    while (*p != s) p = &(*p)->next;
    *p = s->next;
    s->capture = NULL;
    if (s->spoilt && !e) e = 901;
    if (e)
        graph_let_go(g);
    else
        *graph = g;
    return e;
}
/* status: 0 not captured, 1 captured, 2 spoilt */
int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph, void *const **last, size_t *n) {
    const fake_stream *s = (const fake_stream *)stream;
    IN_CONTEXT("cuStreamGetCaptureInfo_v2");
    *status = !capturing(stream) ? 0 : s->spoilt ? 2 : 1;
    if (id) *id = (uint64_t)(uintptr_t)(s ? s->capture : NULL);
    if (graph) *graph = s ? s->capture : NULL;
    if (last) *last = s ? (void *const *)&s->last : NULL;
    if (n) *n = s && s->last;
    return 0;
}
static fake_node *capture_node(void *stream, int kind) {
    fake_stream *s = (fake_stream *)stream;
    void *out = NULL, *after[1];
    after[0] = s->last;
    s->last = node_new(&out, s->capture, after, s->last != NULL, kind);
    return s->last;
}
static int capture_copy(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    fake_node *n = capture_node(stream, COPY);
    xr_copy_side *sides[2];
    uint64_t addresses[2];
    int k;
    sides[0] = &n->c.from;
    sides[1] = &n->c.to;
    addresses[0] = from;
    addresses[1] = to;
    n->c.width = bytes;
    for (k = 0; k < 2; k++) {
        sides[k]->type = is_pinned(addresses[k], bytes) ? 1 : 2;
        if (sides[k]->type == 1)
            sides[k]->host = at(addresses[k]);
        else
            sides[k]->device = addresses[k];
    }
    return 0;
}
static int capture_fill(uint64_t to, unsigned value, unsigned size, size_t count, void *stream) {
    fake_node *n = capture_node(stream, FILL);
    n->f.to = to;
    n->f.value = value;
    n->f.element = size;
    n->f.width = count;
    return 0;
}
static int capture_plan(void *stream, int kind, const fake_plan *p) {
    fake_node *n = capture_node(stream, kind);
    n->plan = (fake_plan *)block_new(sizeof *p);
    *n->plan = *p;
    n->plan->refs = 1;
    return 0;
}
int cuEventRecordWithFlags(void *event, void *stream, unsigned flags) {
    IN_CONTEXT("cuEventRecordWithFlags");
    if (!event || !capturing(stream) || flags != 1) return 1; /* a node of its own */
    capture_node(stream, EVENT)->event = (fake_event *)event;
    return 0;
}

/* ---- children ---- */

static fake_node *node_copy(const fake_node *from, fake_graph *to) {
    fake_node *n = (fake_node *)block_new(sizeof *n);
    *n = *from;
    n->graph = to;
    if (n->plan) n->plan->refs++;
    return n;
}
/* The bits of a child's nodes, whose first is number `by` of the graph. */
static void above_shift(uint64_t *to, const uint64_t *from, int n, int by) {
    int k;
    for (k = 0; k < n; k++)
        if (from[k / 64] >> k % 64 & 1) to[(k + by) / 64] |= (uint64_t)1 << (k + by) % 64;
}
int cuGraphAddChildGraphNode(void **out, void *graph, void *const *after, size_t n, void *child) {
    fake_graph *g = (fake_graph *)graph, *c = (fake_graph *)child;
    int k, i, first = g->n;
    uint64_t before[NODES / 64];
    fake_node *node;
    IN_CONTEXT("cuGraphAddChildGraphNode");
    if (!c || g->n + c->n + 1 > NODES) return 1;
    node = node_new(out, graph, after, n, CHILD);
    if (!node) return 1;
    memcpy(before, node->above, sizeof before);
    g->n--; /* it goes behind the others */
    for (k = 0; k < c->n; k++) {
        fake_node *part = node_copy(c->nodes[k], g);
        memcpy(part->above, before, sizeof before);
        above_shift(part->above, c->nodes[k]->above, c->n, first);
        g->nodes[g->n++] = part;
        node->above[(first + k) / 64] |= (uint64_t)1 << (first + k) % 64;
    }
    for (i = 0; i < NODES / 64; i++) node->above[i] |= before[i];
    node->parts = c->n;
    g->nodes[g->n++] = node;
    fake.children++;
    return 0;
}
/* Only what nodes do may change: not how many there are, of which kinds, in which order. */
int cuGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child) {
    fake_graph *c = (fake_graph *)child, *g;
    fake_node *n;
    int k, at_node;
    IN_CONTEXT("cuGraphExecChildGraphNodeSetParams");
    n = of_exec(exec, node);
    if (!n || n->kind != CHILD || n->parts != c->n) return 1;
    g = n->graph;
    for (at_node = 0; g->nodes[at_node] != n; at_node++) {}
    for (k = 0; k < c->n; k++)
        if (g->nodes[at_node - c->n + k]->kind != c->nodes[k]->kind) return 910;
    for (k = 0; k < c->n; k++) {
        fake_node **place = &g->nodes[at_node - c->n + k], *old = *place;
        *place = node_copy(c->nodes[k], g);
        memcpy((*place)->above, old->above, sizeof old->above);
        plan_let_go(old->plan);
        block_free(old);
    }
    return 0;
}
/* Is there a current context? Then a library works on this driver. */
int fake_current(void);
int fake_current(void) { return current_depth() != 0; }
/* One step of some stream: the driver does nothing while nobody calls it. */
int fake_go_on(void);
int fake_go_on(void) {
    HOLD;
    return queues_step();
}
/* For libraries whose work waits for other devices: n ranges of memory that it touches. */
int fake_meet_node(void *stream, void *(*start)(void *user), int (*go)(void *begun), void (*drop)(void *user),
    void *user, const fake_range *ranges, int n);
int fake_meet_node(void *stream, void *(*start)(void *user), int (*go)(void *begun), void (*drop)(void *user),
    void *user, const fake_range *ranges, int n) {
    fake_plan p;
    HOLD;
    memset(&p, 0, sizeof p);
    p.start = start;
    p.go = go;
    p.drop = drop;
    p.user = user;
    p.n_ranges = n > RANGES ? -1 : n;
    if (n <= RANGES) memcpy(p.ranges, ranges, (size_t)n * sizeof *ranges);
    return capturing(stream) ? capture_plan(stream, MEETING, &p) : 1;
}

#endif
