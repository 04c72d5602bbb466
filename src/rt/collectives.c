/* rt/collectives.c -- where the devices of a clique meet: what a collective's text says, and how devices on the host
 * exchange memory; for GPUs nccl.c does that.
 *
 * On the host each device runs its program on a thread of its own. One that comes to a collective takes its seat and
 * waits; the last one of its group does the work for all, in the order of the members, so that results do not depend on
 * which came when. Sums are made in double, or in the integers' own arithmetic, and rounded once.
 *
 * Laws: no waiting without an end. When a device fails, all others fail where they wait. When no device of a run goes
 * on and some wait, the run has failed, and the message says which device waits where. */
#ifndef XG_RT_COLLECTIVES_C
#define XG_RT_COLLECTIVES_C
#include "rt.h"
#include "program.c"

#ifndef XR_CLIQUES
/* A program that meets other devices is refused when it is loaded. */
XG_APART XG_FN xlagpu_status xr_collectives_load(xlagpu_program *p) {
    uint32_t k;
    for (k = 0; k < p->n_thunks; k++)
        if (p->thunks[k].kind == XG_EXE_THUNK_COLLECTIVE)
            return xr_fail(&p->device->c, XLAGPU_ERROR_UNSUPPORTED,
                "HLO %s meets other devices: not without XLAGPU_USE_NCCL", p->strings + p->thunks[k].name);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_run_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    (void)t;
    (void)stream;
    return xr_fail(&e->c, XLAGPU_ERROR_UNSUPPORTED, "collectives are not supported on this platform");
}
XG_FN xlagpu_status xr_clique_enter(xlagpu_execution *e) {
    (void)e;
    return XLAGPU_OK;
}
XG_FN void xr_clique_leave(xlagpu_clique *q, uint32_t rank, xlagpu_status s, const char *message) {
    (void)q;
    (void)rank;
    (void)s;
    (void)message;
}
#else
/* ---- the text of a collective ---- */

XG_FN bool xr_take(const char **at, const char *word) {
    size_t n = strlen(word);
    if (strncmp(*at, word, n) != 0 || (*at)[n] != ' ') return false;
    *at += n + 1;
    return true;
}
XG_FN uint32_t xr_take_of(const char **at, const char *words) { /* each ended by a NUL; their number: it is none */
    uint32_t k;
    for (k = 0; *words && !xr_take(at, words); k++) words += strlen(words) + 1;
    return k;
}
XG_FN bool xr_take_number(const char **at, uint32_t *out) {
    uint64_t n = 0;
    const char *p = *at;
    for (; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++) n = 10 * n + (uint64_t)(*p - '0');
    if (p == *at || n > UINT32_MAX) return false;
    *out = (uint32_t)n;
    *at = p;
    return true;
}
/* The label of a device's group is that of a device in it; they are joined as pairs come. */
XG_APART XG_FN uint32_t xr_label(const uint32_t *label, uint32_t device) {
    while (label[device] != device + 1) device = label[device] - 1;
    return device;
}
XG_FN bool xr_collective_pair(xr_collective *q, const uint32_t pair[2]) {
    uint32_t k;
    for (k = 0; k < 2; k++)
        if (!q->label[pair[k]]) q->label[pair[k]] = pair[k] + 1;
    if (q->ids[pair[1]] || q->first[pair[0]]) return false; /* source of one, target of one */
    q->ids[pair[1]] = pair[0] + 1;
    q->first[pair[0]] = 1;
    q->label[xr_label(q->label, pair[1])] = xr_label(q->label, pair[0]) + 1;
    return true;
}
/* Nothing, or " kernels 3,4", or " multimem 5,6", or both. */
XG_FN bool xr_collective_kernels(xr_collective *q, const char *at) {
    XG_TABLE const char words[XR_PEERS_WAYS][11] = {" kernels ", " multimem "};
    uint32_t number, w;
    for (w = 0; w < XR_PEERS_WAYS; w++) {
        size_t n = strlen(words[w]);
        if (q->kind != XR_COLLECTIVE_ALL_REDUCE || strncmp(at, words[w], n) != 0) continue;
        q->kernels[w] = at += n;
        for (;; at++) {
            if (!xr_take_number(&at, &number)) return false;
            q->n_kernels[w]++;
            if (*at != ',') break;
        }
    }
    return !*at;
}
/* {{0,1},{2,3}} of so many devices. */
XG_APART XG_FN bool xr_collective_groups(xr_collective *q, const char *at, uint32_t devices) {
    uint32_t n = 0, id, pair[2], k;
    bool pairs = q->kind == XR_COLLECTIVE_PERMUTE;
    if (*at++ != '{') return false;
    while (*at == '{') {
        for (k = 0; k == 0 || *at == ','; k++) {
            at++;
            if (!xr_take_number(&at, &id) || id >= devices || (pairs ? k == 2 : q->label[id] != 0)) return false;
            if (pairs)
                pair[k] = id;
            else {
                q->label[id] = ++n;
                q->ids[n - 1] = id;
            }
        }
        if (*at++ != '}' || (pairs && (k != 2 || !xr_collective_pair(q, pair)))) return false;
        for (; !pairs && k > 0; k--) q->label[q->ids[n - k]] = q->n_groups + 1;
        if (!pairs) q->first[++q->n_groups] = n;
        if (*at == ',' && at[1] == '{') at++;
    }
    for (k = 0; pairs && k < devices; k++)
        if (q->label[k]) q->label[k] = xr_label(q->label, k) + 1;
    return *at++ == '}' && xr_collective_kernels(q, at);
}
XG_FN bool xr_collective_read(xr_collective *q, const char *at, uint32_t devices) {
    XG_TABLE const char kinds[] =
#define X(name, text) text "\0"
        XR_COLLECTIVES(X)
#undef X
        ;
    XG_TABLE const char types[] =
#define X(name, text, bits, cls) text "\0"
        XLAGPU_TYPES(X)
#undef X
        ;
    bool typed;
    q->kind = (xr_collective_kind)xr_take_of(&at, kinds);
    if (q->kind == XR_COLLECTIVE_COUNT) return false;
    typed = q->kind == XR_COLLECTIVE_ALL_REDUCE || q->kind == XR_COLLECTIVE_REDUCE_SCATTER;
    if (typed && (q->reducer = xr_take_of(&at, "add\0multiply\0minimum\0maximum\0")) == 4) return false;
    if (q->kind == XR_COLLECTIVE_RAGGED) {
        typed = true;
        if (!xr_take_number(&at, &q->row) || *at++ != ' ') return false;
    }
    q->type = (xlagpu_type)xr_take_of(&at, types);
    if (q->type == XLAGPU_TYPE_COUNT) q->type = XLAGPU_INVALID;
    return (!typed || xr_element_bytes(q->type)) && xr_collective_groups(q, at, devices);
}

/* ---- the sizes of what it is given ---- */

XG_FN uint64_t xr_load_int(xlagpu_type t, const char *p) {
    uint32_t bytes = (uint32_t)xr_element_bytes(t), unused = 64 - 8 * bytes;
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return t >= XLAGPU_S1 && t <= XLAGPU_S64 ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

XG_FN uint64_t xr_link_bytes(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t k) {
    return p->slices[p->links[t->first_link + k] & ~XG_EXE_WRITTEN].bytes;
}
XG_FN uint32_t xr_collective_group(const xr_collective *q, uint32_t device, const uint32_t **ids) {
    uint32_t g = q->label[device];
    *ids = q->ids;
    if (!g || q->kind == XR_COLLECTIVE_PERMUTE) return 0;
    *ids += q->first[g - 1];
    return q->first[g] - q->first[g - 1];
}
XG_FN bool xr_collective_is_int(xlagpu_type t) {
    return t == XLAGPU_S8 || t == XLAGPU_S16 || t == XLAGPU_S32 || t == XLAGPU_S64 ||
           (t >= XLAGPU_U8 && t <= XLAGPU_U64);
}
XG_APART XG_FN bool xr_collective_fits(const xlagpu_program *p, const xg_exe_thunk *t, xr_collective *q) {
    uint32_t k, n = 0, g = q->n_groups ? q->first[1] : 1;
    bool reduces = q->kind == XR_COLLECTIVE_ALL_REDUCE || q->kind == XR_COLLECTIVE_REDUCE_SCATTER;
    uint64_t in, out;
    while (n < t->n_links && !(p->links[t->first_link + n] & XG_EXE_WRITTEN)) n++;
    for (k = n; k < t->n_links; k++)
        if (!(p->links[t->first_link + k] & XG_EXE_WRITTEN)) return false;
    q->n_in = n;
    q->n_out = t->n_links - n;
    for (k = 0; k < q->n_groups && q->kind != XR_COLLECTIVE_ALL_REDUCE && q->kind != XR_COLLECTIVE_BROADCAST; k++)
        if (q->first[k + 1] - q->first[k] != g) return false;
    if (q->kind == XR_COLLECTIVE_RAGGED) {
        uint64_t places = n == 6 ? xr_link_bytes(p, t, 2) : 1, size = xr_element_bytes(q->type);
        for (k = 3; k < n; k++)
            if (xr_link_bytes(p, t, k) != places) return false;
        return n == 6 && q->n_out == 1 && xr_link_bytes(p, t, 1) == xr_link_bytes(p, t, 6) &&
               xr_collective_is_int(q->type) && places % size == 0 && places / size % g == 0;
    }
    if (n != q->n_out + (q->kind == XR_COLLECTIVE_BROADCAST && q->type)) return false;
    for (k = 0; k < q->n_out; k++) {
        in = xr_link_bytes(p, t, k);
        out = xr_link_bytes(p, t, n + k);
        if (q->kind == XR_COLLECTIVE_ALL_GATHER       ? out / g != in || out % g
            : q->kind == XR_COLLECTIVE_REDUCE_SCATTER ? in / g != out || in % g
                                                      : in != out || (q->kind == XR_COLLECTIVE_ALL_TO_ALL && in % g))
            return false;
        if (reduces && out % xr_element_bytes(q->type)) return false;
    }
    if (!xr_peers_fit(p, q)) return false;
    return n == q->n_out || (xr_collective_is_int(q->type) && xr_link_bytes(p, t, n - 1) == xr_element_bytes(q->type));
}

XG_FN xlagpu_status xr_collectives_load(xlagpu_program *p) {
    uint32_t devices = p->head.replicas * p->head.partitions, k, n = 0;
    for (k = 0; k < p->n_thunks; k++) {
        const xg_exe_thunk *t = &p->thunks[k];
        xr_collective *q;
        if (t->kind != XG_EXE_THUNK_COLLECTIVE) continue;
        q = &p->collectives[n++];
        p->collective_of[k] = q;
        if (!xr_collective_read(q, p->strings + t->value, devices) || !xr_collective_fits(p, t, q))
            return xr_damaged(p, "a collective");
        if (*q->n_kernels) p->most_links = XG_MAX(p->most_links, q->first[1] + 1);
    }
    return XLAGPU_OK;
}

/* ---- seats ---- */

/* With the clique's lock. The first failure is the one that counts. */
XG_FN void xr_clique_fail(xlagpu_clique *q, xlagpu_status s, const char *text) {
    if (!q->failed) {
        q->failed = s;
        xg_format(q->why, sizeof q->why, "%s", text);
    }
    xr_wake(q->lock);
}
XG_FN void xr_clique_stuck(xlagpu_clique *q, const char *how) {
    char text[XG_MESSAGE_MAX - 256];
    size_t n = xg_format(text, sizeof text, "%s", how);
    uint32_t k;
    for (k = 0; k < q->n && n + 1 < sizeof text; k++) {
        const xr_seat *s = &q->seats[k];
        if (s->state == XR_SEAT_WAITS)
            n += xg_format(text + n, sizeof text - n, "; device %u waits in HLO %s", k,
                s->execution->program->strings + s->thunk->name);
        else
            n += xg_format(
                text + n, sizeof text - n, "; device %u %s", k, s->state == XR_SEAT_AWAY ? "has ended" : "runs");
        n = XG_MIN(n, sizeof text - 1);
    }
    xr_clique_fail(q, XLAGPU_ERROR_DEVICE, text);
}
/* No device goes on, and some wait. */
XG_FN void xr_clique_look(xlagpu_clique *q) {
    uint32_t k, waits = 0;
    for (k = 0; k < q->n; k++) {
        if (q->seats[k].state == XR_SEAT_RUNS || q->seats[k].state == XR_SEAT_SERVED) return;
        waits += q->seats[k].state == XR_SEAT_WAITS;
    }
    if (waits && q->together && !q->failed) xr_clique_stuck(q, "a collective would never end");
}
XG_FN void xr_clique_leave(xlagpu_clique *q, uint32_t rank, xlagpu_status s, const char *message) {
    char text[XG_MESSAGE_MAX];
    xr_enter_lock(q->lock);
    q->seats[rank - q->first].state = XR_SEAT_AWAY;
    xg_format(text, sizeof text, "device %u: %s", rank, message);
    if (s != XLAGPU_OK) xr_clique_fail(q, s, text);
    xr_clique_look(q);
    xr_leave_lock(q->lock);
}
XG_FN XG_COLD xlagpu_status xr_clique_failed(xlagpu_clique *q, xg_ctx *c) {
    xlagpu_status s;
    xr_enter_lock(q->lock);
    s = q->failed ? xr_fail(c, q->failed, "%s", q->why) : XLAGPU_OK;
    xr_leave_lock(q->lock);
    return s;
}
XG_FN xlagpu_status xr_clique_enter(xlagpu_execution *e) {
    xlagpu_clique *q = e->program->clique;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k = 0;
    if (!q || q->together) return XLAGPU_OK;
    xr_enter_lock(q->lock);
    while (k < q->n && q->seats[k].state == XR_SEAT_AWAY) k++;
    if (k == q->n) q->failed = XLAGPU_OK; /* the first of a run */
    if (q->seats[e->program->rank - q->first].state != XR_SEAT_AWAY)
        s = xr_fail(&e->c, XLAGPU_ERROR_USAGE, "device %u of the clique runs already", e->program->rank);
    else
        q->seats[e->program->rank - q->first].state = XR_SEAT_RUNS;
    xr_leave_lock(q->lock);
    return s;
}

/* ---- meeting ---- */

/* With the lock: are all of the device's group in this collective? */
XG_FN bool xr_meet_complete(const xlagpu_clique *q, const xg_exe_thunk *t, const xr_collective *c, uint32_t rank) {
    const xlagpu_program *mine = q->seats[rank].execution->program;
    uint32_t k, number = (uint32_t)(t - mine->thunks);
    for (k = 0; k < q->n; k++) {
        const xr_seat *s = &q->seats[k];
        if (c->label[k] != c->label[rank]) continue;
        if (s->state != XR_SEAT_WAITS || s->execution->program->peers != mine->peers ||
            (uint32_t)(s->thunk - s->execution->program->thunks) != number)
            return false;
    }
    return true;
}
XG_FN void xr_meet_set(xlagpu_clique *q, const xr_collective *c, uint32_t rank, xr_seat_state state) {
    uint32_t k;
    for (k = 0; k < q->n; k++)
        if (c->label[k] == c->label[rank]) q->seats[k].state = state;
}
/* Waits for all of the device's group. The last one does the work for all: NULL, that they are there is all. */
XG_FN xlagpu_status xr_meet(xlagpu_execution *e, const xg_exe_thunk *t,
    xlagpu_status (*work)(const xlagpu_clique *q, xlagpu_execution *e, const xg_exe_thunk *t)) {
    const xlagpu_program *p = e->program;
    const xr_collective *c = p->collective_of[t - p->thunks];
    xlagpu_clique *q = p->clique;
    xr_seat *seat = &q->seats[p->rank];
    double until = xr_seconds() + q->timeout;
    xlagpu_status s = XLAGPU_OK;
    xr_enter_lock(q->lock);
    /* Between two meetings of one all-reduce others read it without the lock (peers.c): it is the same in both. */
    if (seat->execution != e) seat->execution = e;
    seat->thunk = t;
    seat->state = XR_SEAT_WAITS;
    if (!q->failed && xr_meet_complete(q, t, c, p->rank)) {
        xr_meet_set(q, c, p->rank, XR_SEAT_SERVED);
        xr_leave_lock(q->lock);
        if (work) s = work(q, e, t);
        xr_enter_lock(q->lock);
        xr_meet_set(q, c, p->rank, XR_SEAT_RUNS);
        if (s != XLAGPU_OK) xr_clique_fail(q, s, e->c.message);
        xr_wake(q->lock);
    } else {
        xr_clique_look(q);
        while (seat->state == XR_SEAT_SERVED || (seat->state == XR_SEAT_WAITS && !q->failed)) {
            xr_wait_lock(q->lock);
            if ((!q->together || q->nccl) && seat->state == XR_SEAT_WAITS && !q->failed && xr_seconds() > until)
                xr_clique_stuck(q, "a collective has waited for too long");
        }
    }
    seat->state = XR_SEAT_RUNS;
    if (q->failed && s == XLAGPU_OK) s = xr_fail(&e->c, q->failed, "%s", q->why);
    xr_leave_lock(q->lock);
    return s;
}
/* ---- the host's exchange ---- */

#ifndef XLAGPU_NO_SIMULATOR
XG_FN double xr_reduce_float(uint32_t reducer, double a, double b) {
    switch (reducer) {
    case 0: return a + b;
    case 1: return a * b;
    case 2: return a != a || a < b ? a : b;
    default: return a != a || a > b ? a : b;
    }
}
XG_FN uint64_t xr_reduce_int(uint32_t reducer, bool is_signed, uint64_t a, uint64_t b) {
    uint64_t flip = is_signed ? UINT64_C(1) << 63 : 0;
    switch (reducer) {
    case 0: return a + b;
    case 1: return a * b;
    case 2: return (a ^ flip) < (b ^ flip) ? a : b;
    default: return (a ^ flip) > (b ^ flip) ? a : b;
    }
}
typedef struct xr_exchange { /* a group at work */
    const xr_collective *q;
    const xlagpu_clique *clique;
    const uint32_t *ids;
    uint32_t n;
} xr_exchange;
XG_FN char *xr_exchange_at(const xr_exchange *x, uint32_t member, uint32_t link) {
    return (char *)(uintptr_t)x->clique->seats[x->ids[member]].execution->args[link];
}
/* The bytes from `at` on of operand k of all members, reduced. */
XG_FN void xr_exchange_reduce(const xr_exchange *x, uint32_t k, size_t at, size_t bytes, char *to) {
    xlagpu_type t = x->q->type == XLAGPU_C64 ? XLAGPU_F32 : x->q->type == XLAGPU_C128 ? XLAGPU_F64 : x->q->type;
    bool is_float = t >= XLAGPU_F4E2M1FN && t <= XLAGPU_F64, is_signed = t >= XLAGPU_S1 && t <= XLAGPU_S64;
    size_t size = (size_t)xr_element_bytes(t), i;
    uint32_t m;
    for (i = 0; i < bytes; i += size) {
        const char *first = xr_exchange_at(x, 0, k) + at + i;
        if (is_float) {
            double sum = xg_float_load(t, first);
            for (m = 1; m < x->n; m++)
                sum = xr_reduce_float(x->q->reducer, sum, xg_float_load(t, xr_exchange_at(x, m, k) + at + i));
            xg_float_store(t, to + i, sum);
        } else {
            uint64_t sum = xr_load_int(t, first);
            for (m = 1; m < x->n; m++)
                sum = xr_reduce_int(x->q->reducer, is_signed, sum, xr_load_int(t, xr_exchange_at(x, m, k) + at + i));
            memcpy(to + i, &sum, size);
        }
    }
}
/* Entry j of the offsets belongs to a member, as many entries to each. */
XG_FN bool xr_exchange_ragged(const xr_exchange *x, uint64_t entries, uint64_t in, uint64_t out) {
    uint64_t size = xr_element_bytes(x->q->type), row = x->q->row, j;
    uint32_t m;
    for (m = 0; m < x->n; m++) memcpy(xr_exchange_at(x, m, 6), xr_exchange_at(x, m, 1), (size_t)out);
    for (m = 0; m < x->n; m++)
        for (j = 0; j < entries; j++) {
            uint64_t from = xr_load_int(x->q->type, xr_exchange_at(x, m, 2) + j * size),
                     rows = xr_load_int(x->q->type, xr_exchange_at(x, m, 3) + j * size),
                     to = xr_load_int(x->q->type, xr_exchange_at(x, m, 4) + j * size), have = row ? in / row : 0,
                     room = row ? out / row : 0;
            if (rows > have || from > have - rows || rows > room || to > room - rows) return false;
            memcpy(xr_exchange_at(x, (uint32_t)(j / (entries / x->n)), 6) + to * row,
                xr_exchange_at(x, m, 0) + from * row, (size_t)(rows * row));
        }
    return true;
}
XG_FN bool xr_exchange_one(const xr_exchange *x, uint32_t k, size_t in, size_t out) {
    const xr_collective *q = x->q;
    uint32_t m, j, to = q->n_in + k;
    uint64_t root = 0;
    for (m = 0; m < x->n; m++) {
        char *at = xr_exchange_at(x, m, to);
        switch (q->kind) {
        case XR_COLLECTIVE_ALL_REDUCE:
            if (m)
                memcpy(at, xr_exchange_at(x, 0, to), out);
            else
                xr_exchange_reduce(x, k, 0, out, at);
            break;
        case XR_COLLECTIVE_REDUCE_SCATTER: xr_exchange_reduce(x, k, m * out, out, at); break;
        case XR_COLLECTIVE_ALL_GATHER:
            for (j = 0; j < x->n; j++) memcpy(at + j * in, xr_exchange_at(x, j, k), in);
            break;
        case XR_COLLECTIVE_ALL_TO_ALL:
            for (j = 0; j < x->n; j++)
                memcpy(at + j * (in / x->n), xr_exchange_at(x, j, k) + m * (in / x->n), in / x->n);
            break;
        default:
            if (q->type) root = xr_load_int(q->type, xr_exchange_at(x, 0, q->n_in - 1));
            if (root >= x->n) return false;
            memcpy(at, xr_exchange_at(x, (uint32_t)root, k), out);
            break;
        }
    }
    return true;
}
XG_FN xlagpu_status xr_exchange_all(const xlagpu_clique *clique, xlagpu_execution *e, const xg_exe_thunk *t) {
    const xlagpu_program *p = e->program;
    const xr_collective *q = p->collective_of[t - p->thunks];
    xr_exchange x;
    uint32_t k, d;
    bool ok = true;
    memset(&x, 0, sizeof x);
    x.q = q;
    x.clique = clique;
    x.n = xr_collective_group(q, p->rank, &x.ids);
    for (k = 0; k < q->n_out && ok; k++) {
        size_t in = (size_t)xr_link_bytes(p, t, k), out = (size_t)xr_link_bytes(p, t, q->n_in + k);
        if (q->kind == XR_COLLECTIVE_RAGGED)
            ok = xr_exchange_ragged(&x, xr_link_bytes(p, t, 2) / xr_element_bytes(q->type), in, out);
        else if (q->kind != XR_COLLECTIVE_PERMUTE)
            ok = xr_exchange_one(&x, k, in, out);
        else
            for (d = 0; d < clique->n; d++) {
                char *to;
                if (q->label[d] != q->label[p->rank]) continue;
                to = (char *)(uintptr_t)clique->seats[d].execution->args[q->n_in + k];
                if (q->ids[d])
                    memcpy(to, (const void *)(uintptr_t)clique->seats[q->ids[d] - 1].execution->args[k], in);
                else
                    memset(to, 0, out);
            }
    }
    return ok ? XLAGPU_OK
              : xr_fail(&e->c, XLAGPU_ERROR_INVALID,
                    q->kind == XR_COLLECTIVE_RAGGED ? "rows of a device do not fit into the output of another"
                                                    : "its root is no member of the group");
}

/* Devices on the host: their memory is at hand. */
XG_FN xlagpu_status xr_host_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_collective *c = p->collective_of[t - p->thunks];
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; k < t->n_links && s == XLAGPU_OK; k++) {
        e->args[k] = xr_address(e, p->links[t->first_link + k] & ~XG_EXE_WRITTEN);
        s = xr_host_owns(&e->c, p->device, e->args[k], (size_t)xr_link_bytes(p, t, k));
    }
    if (s == XLAGPU_OK && c->label[p->rank]) s = xr_meet(e, t, xr_exchange_all);
    for (k = c->n_in; k < t->n_links && s == XLAGPU_OK; k++)
        if (!c->label[p->rank])
            s = xr_host_fill(e, e->args[k], 0, (size_t)xr_link_bytes(p, t, k), stream);
        else
            xg_sim_memory_written(&xr_host_of(p->device)->memory, e->args[k], (size_t)xr_link_bytes(p, t, k), 0);
    return s;
}
#endif

XG_FN xlagpu_status xr_run_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    if (!p->clique)
        return xr_fail(&e->c, XLAGPU_ERROR_USAGE,
            "it meets other devices, and this one is alone: run the program in a clique (xlagpu_rt_clique_open)");
    if (xr_peers_take(e, t)) return xr_peers_all_reduce(e, t, stream);
#ifndef XLAGPU_NO_SIMULATOR
    if (p->device->platform == xr_host_platform()) return xr_host_collective(e, t, stream);
#endif
    return xr_nccl_collective(e, t, stream);
}

#endif /* XR_CLIQUES */

#endif /* XG_RT_COLLECTIVES_C */
