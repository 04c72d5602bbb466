/* hlo/infer_device.c -- the result shapes of random bits, of collectives, of copies and transfers that run
 * asynchronously, and of all opcodes whose shape is simply given: those rules say what is plausible.
 *
 * Groups of devices. The number of devices in a group follows from replica_groups and the group mode, which is a matter
 * of mode, or else of channel_id and use_global_device_ids; a module that does not say how many devices it is for (1 of
 * each) leaves it open. */
#ifndef XG_HLO_INFER_DEVICE_C
#define XG_HLO_INFER_DEVICE_C
#include "infer_common.c"
#include "infer_control.c"

/* ---- collectives ---- */

typedef enum xg_infer_group_mode {
    XG_GROUP_REPLICA,
    XG_GROUP_PARTITION,
    XG_GROUP_BOTH,
    XG_GROUP_FLAT
} xg_infer_group_mode;

static bool xg_infer_has_global_ids(xg_opcode op) {
    return op == XG_ALL_REDUCE || op == XG_ALL_REDUCE_START || op == XG_ALL_GATHER || op == XG_ALL_GATHER_START ||
           op == XG_REDUCE_SCATTER;
}
static xg_infer_group_mode xg_want_group_mode(const xg_inst *i) {
    XG_TABLE const char words[] = "cross_replica cross_partition cross_replica_and_partition flattened_id";
    bool channel = xg_inst_attr(i, XG_A_channel_id) != NULL, global = xg_attr_or_0(i, XG_A_use_global_device_ids) != 0;
    int word = xg_word_in(words, xg_attr_str(i, XG_A_mode));
    XG_RULE(i, channel || !global, "use_global_device_ids=true needs a channel_id");
    if (word >= 0) return (xg_infer_group_mode)word;
    if (!channel) return XG_GROUP_REPLICA;
    if (!xg_infer_has_global_ids(i->op)) return XG_GROUP_PARTITION;
    return global ? XG_GROUP_FLAT : XG_GROUP_BOTH;
}
/* Devices in a group; 1 may mean that it is not known. Also checks that the groups partition 0..n-1. */
static int64_t xg_want_groups(const xg_inst *i, bool uniform) {
    const xg_module *m = i->comp->module;
    const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
    const xg_groups *g = a ? a->v.groups : NULL;
    xg_infer_group_mode mode = xg_want_group_mode(i);
    int64_t replicas = m->replica_count > 0 ? m->replica_count : 1,
            partitions = m->num_partitions > 0 ? m->num_partitions : 1, total = 0, all, want;
    uint8_t *seen;
    uint32_t k, j;
    all = xg_want_product(i, replicas, partitions);
    want = mode == XG_GROUP_PARTITION ? partitions : mode == XG_GROUP_FLAT ? all : replicas;
    if (!g || g->n == 0) {
        XG_RULE(i, mode != XG_GROUP_FLAT, "replica_groups must not be empty with use_global_device_ids=true");
        return mode == XG_GROUP_BOTH ? all : want;
    }
    for (k = 0; k < g->n; k++) {
        XG_RULE(i, g->p[k].n > 0, "replica_groups has an empty group");
        XG_RULE(i, !uniform || g->p[k].n == g->p[0].n,
            "all replica_groups must be of the same size, but group 0 has %u and group %u has %u", g->p[0].n, k,
            g->p[k].n);
        total += g->p[k].n;
    }
    seen = XG_NEW_N(m->arena, uint8_t, total);
    for (k = 0; k < g->n; k++)
        for (j = 0; j < g->p[k].n; j++) {
            int64_t id = g->p[k].p[j];
            XG_RULE(i, id >= 0 && id < total, "replica_groups of %lld devices must name 0 to %lld, but names %lld",
                (long long)total, (long long)total - 1, (long long)id);
            XG_RULE(i, !seen[id], "replica_groups names %lld twice", (long long)id);
            seen[id] = 1;
        }
    XG_RULE(i, want == 1 || total == want, "replica_groups must name all %lld devices, but names %lld", (long long)want,
        (long long)total);
    return mode == XG_GROUP_BOTH ? xg_want_product(i, g->p[0].n, partitions) : (int64_t)g->p[0].n;
}
/* The result for operand k: the result itself of one operand, else an element of it. */
static const xg_shape *xg_want_part(const xg_inst *i, const xg_shape *s, uint32_t k) {
    if (i->n_operands == 1) return s;
    XG_RULE(i, s->type == XLAGPU_TUPLE && s->n_elems == i->n_operands,
        "the result must have one element for each of %u operands, but is %s", i->n_operands, xg_infer_text(i, s));
    return s->elems[k];
}
/* Each result part is its operand with dimension dim multiplied (gather) or divided (scatter) by the number of
 * shards. */
static const xg_shape *xg_want_shards(xg_module *m, const xg_inst *i, const xg_shape *s, bool gather) {
    int64_t size = xg_want_groups(i, true), dim = xg_want_dim(i, XG_RANK_MAX), shards = 0;
    const xg_shape **elems = XG_NEW_N(m->arena, const xg_shape *, i->n_operands);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_shape *in = xg_want_array(i, k), *out = xg_want_part(i, s, k), *whole, *part;
        xg_draft d;
        XG_RULE(i, dim < (int64_t)in->rank && xg_shape_is_array(out) && out->rank == in->rank,
            "dimension %lld must exist in %s and in the result %s", (long long)dim, xg_infer_text(i, in),
            xg_infer_text(i, out));
        whole = gather ? out : in;
        part = gather ? in : out;
        if (k == 0) shards = part->dims[dim] > 0 ? (whole->dims[dim] - 1) / part->dims[dim] + 1 : size;
        xg_draft_of(&d, in);
        if (gather)
            d.size[dim] = xg_want_product(i, in->dims[dim], shards);
        else {
            XG_RULE(i, shards > 0 && in->dims[dim] % shards == 0,
                "dimension %lld of %s cannot be divided among %lld devices", (long long)dim, xg_infer_text(i, in),
                (long long)shards);
            d.size[dim] = in->dims[dim] / shards;
        }
        elems[k] = xg_draft_shape(m, &d);
    }
    XG_RULE(i, size == 1 || shards == size, "the result %s is for %lld devices in a group, but there are %lld",
        xg_infer_text(i, s), (long long)shards, (long long)size);
    return i->n_operands == 1 ? elems[0] : xg_shape_tuple(m, elems, i->n_operands);
}
/* to_apply of an all-reduce reduces two scalars; with many operands it is applied to each, so types are its own
 * matter. */
static void xg_want_scalar_reducer(const xg_inst *i) {
    xg_comp *c = xg_want_comp(i, XG_A_to_apply, 2);
    uint32_t k;
    XG_RULE(i, xg_shape_is_scalar(c->root->shape), "to_apply=%.*s must give a scalar, but is %s", (int)c->name.n,
        c->name.p, xg_infer_signature(i, c));
    for (k = 0; k < 2; k++) xg_want_scalar_param(i, XG_A_to_apply, c, k, c->root->shape->type);
}

static const xg_shape *xg_infer_all_reduce(xg_module *m, const xg_inst *i) {
    xg_want_arrays(i);
    xg_want_scalar_reducer(i);
    xg_want_groups(i, false);
    return xg_infer_tuple_of(m, i, i->n_operands, true);
}
static const xg_shape *xg_infer_reduce_scatter(xg_module *m, const xg_inst *i) {
    xg_want_scalar_reducer(i);
    return xg_want_shards(m, i, xg_want_given(i), false);
}
static const xg_shape *xg_infer_all_gather(xg_module *m, const xg_inst *i) {
    return xg_want_shards(m, i, xg_want_given(i), true);
}

static const xg_shape *xg_infer_all_to_all(xg_module *m, const xg_inst *i) {
    int64_t size = xg_want_groups(i, true);
    uint32_t k;
    xg_want_arrays(i);
    if (xg_inst_attr(i, XG_A_dimensions)) {
        const xg_shape *s = xg_infer_operand(i, 0);
        int64_t d;
        XG_RULE_HINT(i, i->n_operands == 1, "leave dimensions out to exchange one operand with each device",
            "with dimensions= there must be one operand, but there are %u", i->n_operands);
        d = xg_want_dim(i, s->rank);
        XG_RULE(i, s->dims[d] % size == 0, "dimension %lld of %s cannot be divided among %lld devices", (long long)d,
            xg_infer_text(i, s), (long long)size);
        return xg_shape_default_layout(m, s);
    }
    XG_RULE(i, size == 1 || (int64_t)i->n_operands == size,
        "there must be one operand for each of %lld devices, but there are %u", (long long)size, i->n_operands);
    for (k = 1; k < i->n_operands; k++)
        XG_RULE(i, xg_shape_agrees(xg_infer_operand(i, 0), xg_infer_operand(i, k)),
            "all operands must have the same shape, but are %s", xg_infer_operands_text(i));
    return xg_infer_tuple_of(m, i, i->n_operands, false);
}

static const xg_shape *xg_infer_ragged_all_to_all(xg_module *m, const xg_inst *i) {
    const xg_shape *in = xg_want_array_0(i), *out = xg_want_array(i, 1), *first = xg_want_array(i, 2);
    uint32_t k;
    xg_want_groups(i, true);
    xg_want_same_type(i, 0, 1);
    XG_RULE(i, in->rank >= 1 && in->rank == out->rank,
        "input and output must have as many dimensions, at least one, but are %s and %s", xg_infer_text(i, in),
        xg_infer_text(i, out));
    for (k = 1; k < in->rank; k++)
        XG_RULE(i, xg_shape_dim_agrees(in, k, out, k), "input %s and output %s may differ in dimension 0 only",
            xg_infer_text(i, in), xg_infer_text(i, out));
    for (k = 2; k < 6; k++) {
        const xg_shape *s = xg_want_array(i, k);
        XG_RULE(i, xg_infer_is_int(s->type) && s->rank >= 1 && s->rank <= 2,
            "operand %u, offsets or sizes, must be integers in one or two dimensions, but is %s", k,
            xg_infer_text(i, s));
        XG_RULE(i, xg_shape_agrees(s, first), "offsets and sizes must have the same shape, but are %s",
            xg_infer_operands_text(i));
    }
    return xg_shape_default_layout(m, out);
}

static const xg_shape *xg_infer_collective_same(xg_module *m, const xg_inst *i) {
    uint32_t n = i->n_operands;
    xg_want_group_mode(i); /* a group may leave devices out: those get zeros */
    if (xg_attr_or_0(i, XG_A_has_dynamic_root)) {
        XG_RULE(i, n >= 2, "has_dynamic_root=true needs the root as the last operand");
        n--;
        XG_RULE(i, xg_shape_is_array(xg_infer_operand(i, n)) && xg_infer_is_int(xg_infer_operand(i, n)->type),
            "the last operand, the root, must be an integer, but is %s", xg_infer_operand_text(i, n));
    }
    return xg_infer_tuple_of(m, i, n, true);
}

/* ---- collective-permute ---- */

/* Offsets into a buffer: a tuple of one integer for each dimension, or a tuple of such tuples. Returns how many there
 * are. */
static uint32_t xg_want_offsets(const xg_inst *i, const xg_shape *buffer, const xg_shape *offsets, uint32_t k) {
    bool tuples = offsets->type == XLAGPU_TUPLE && offsets->n_elems && offsets->elems[0]->type == XLAGPU_TUPLE,
         ok = offsets->type == XLAGPU_TUPLE;
    uint32_t j;
    if (ok && !tuples) ok = offsets->n_elems == buffer->rank;
    for (j = 0; ok && j < offsets->n_elems; j++)
        ok = tuples ? offsets->elems[j]->type == XLAGPU_TUPLE && offsets->elems[j]->n_elems == buffer->rank
                    : xg_shape_is_array(offsets->elems[j]);
    XG_RULE(i, ok, "operand %u must hold one offset for each dimension of %s, but is %s", k, xg_infer_text(i, buffer),
        xg_infer_text(i, offsets));
    return tuples ? offsets->n_elems : 1;
}
static bool xg_infer_in_place(const xg_inst *i) {
    return i->n_operands == 4 && xg_infer_operand(i, 2)->type == XLAGPU_TUPLE;
}

static uint32_t xg_want_in_place(const xg_inst *i) {
    uint32_t side, n = 1, k;
    XG_RULE(i,
        (xg_infer_operand(i, 0)->type == XLAGPU_TUPLE) == (xg_infer_operand(i, 1)->type == XLAGPU_TUPLE) &&
            xg_infer_operand(i, 0)->n_elems == xg_infer_operand(i, 1)->n_elems,
        "input and output buffers must match, but are %s and %s", xg_infer_operand_text(i, 0),
        xg_infer_operand_text(i, 1));
    for (side = 0; side < 2; side++) {
        const xg_shape *b = xg_infer_operand(i, side), *o = xg_infer_operand(i, 2 + side);
        if (xg_shape_is_array(b)) {
            n = xg_want_offsets(i, b, o, 2 + side);
            continue;
        }
        XG_RULE(i, o->type == XLAGPU_TUPLE && o->n_elems == b->n_elems,
            "operand %u must hold offsets for each buffer of %s, but is %s", 2 + side, xg_infer_text(i, b),
            xg_infer_text(i, o));
        for (k = 0; k < b->n_elems; k++) n = xg_want_offsets(i, b->elems[k], o->elems[k], 2 + side);
    }
    return n;
}
/* A sender and a receiver appear at most `times` times; an array of counts when ids are small, so linear. */
static void xg_want_pairs_once(const xg_inst *i, uint32_t times) {
    const xg_module *m = i->comp->module;
    const xg_attr *a = xg_inst_attr(i, XG_A_source_target_pairs);
    int64_t limit = xg_want_group_mode(i) == XG_GROUP_REPLICA ? m->replica_count : m->num_partitions;
    uint32_t n = a ? a->v.lists->n : 0, k, side;
    xg_map64 seen[2];
    xg_map64_init(&seen[0], m->arena);
    xg_map64_init(&seen[1], m->arena);
    for (k = 0; k < n; k++) {
        XG_RULE(i, a->v.lists->p[k].n == 2, "entry %u of source_target_pairs must be a pair", k);
        for (side = 0; side < 2; side++) {
            int64_t id = a->v.lists->p[k].p[side];
            uint32_t *count;
            XG_RULE(i, id >= 0 && (limit <= 1 || id < limit),
                "source_target_pairs names device %lld, but there are %lld", (long long)id, (long long)limit);
            count = (uint32_t *)xg_map64_get(&seen[side], (uint64_t)id);
            if (!count) {
                count = XG_NEW(m->arena, uint32_t);
                xg_map64_put(&seen[side], (uint64_t)id, count);
            }
            XG_RULE(i, ++*count <= times, "device %lld is more than %s a %s in source_target_pairs", (long long)id,
                times == 1 ? "once" : "as often as there are slices", side ? "target" : "source");
        }
    }
}
static void xg_want_permute(const xg_inst *i) {
    uint32_t times = xg_infer_in_place(i) ? xg_want_in_place(i) : 1;
    xg_want_pairs_once(i, times);
}
static const xg_shape *xg_infer_collective_permute(xg_module *m, const xg_inst *i) {
    xg_want_permute(i);
    if (xg_infer_in_place(i)) return xg_shape_default_layout(m, xg_infer_operand(i, 1));
    return xg_infer_tuple_of(m, i, i->n_operands, true);
}

/* ---- random bits ---- */

static const xg_shape *xg_infer_rng_bit_generator(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_given(i), *state = xg_want_array_0(i), *bits = s;
    if (s->type == XLAGPU_TUPLE) {
        XG_RULE(i, s->n_elems == 2 && xg_shape_agrees(s->elems[0], state),
            "the result must be (state, bits) with the state %s, but is %s", xg_infer_text(i, state),
            xg_infer_text(i, s));
        bits = s->elems[1];
    }
    XG_RULE(i, xg_shape_is_array(bits) && xg_infer_is_int(bits->type), "the bits must be integers, but are %s",
        xg_infer_text(i, bits));
    return xg_shape_default_layout(m, s);
}

/* ---- opcodes whose shape is given ---- */

static void xg_want_shape(const xg_inst *i, bool ok, const char *want) {
    XG_RULE(i, ok, "the result must be %s, but is stated as %s; the operands are %s", want, xg_infer_text(i, i->shape),
        xg_infer_operands_text(i));
}
static bool xg_infer_is_scalar(const xg_shape *s, xlagpu_type t) { return xg_shape_is_scalar(s) && s->type == t; }
static bool xg_infer_is_tuple(const xg_shape *s, uint32_t n) { return s->type == XLAGPU_TUPLE && s->n_elems == n; }

/* The operands of a start, as one shape: itself, or the tuple of all. */
static bool xg_infer_is_operands(const xg_inst *i, const xg_shape *s) {
    uint32_t k;
    if (i->n_operands == 1) return xg_shape_agrees(s, xg_infer_operand(i, 0));
    if (!xg_infer_is_tuple(s, i->n_operands)) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_shape_agrees(s->elems[k], xg_infer_operand(i, k))) return false;
    return true;
}
static void xg_infer_given_rng(const xg_inst *i, const xg_shape *s) {
    const xg_shape *a = xg_want_scalar(i, 0, XLAGPU_INVALID, "a parameter of the distribution");
    int cls = xg_type_class(a->type);
    bool normal = xg_attr_is(i, XG_A_distribution, "rng_normal");
    xg_want_scalar(i, 1, a->type, "a parameter of the distribution");
    XG_RULE(i, cls == XGT_F || (!normal && (cls == XGT_I || cls == XGT_P)), "this distribution is not defined for %s",
        xg_type_name(a->type));
    xg_want_shape(i, xg_shape_is_array(s) && s->type == a->type, "an array of the parameters' type");
}
static void xg_infer_given_gather_start(xg_module *m, const xg_inst *i, const xg_shape *s) {
    xg_want_shape(
        i, s->type == XLAGPU_TUPLE && s->n_elems >= 2 && xg_infer_is_operands(i, s->elems[0]), "(operands, results)");
    XG_RULE(i, xg_shape_agrees(s->elems[1], xg_want_shards(m, i, s->elems[1], true)),
        "element 1 of %s must be the gathered operands", xg_infer_text(i, s));
}
static void xg_infer_given_permute_start(const xg_inst *i, const xg_shape *s) {
    xg_want_permute(i);
    if (xg_infer_in_place(i))
        xg_want_shape(i,
            s->type == XLAGPU_TUPLE && s->n_elems >= 2 && xg_shape_agrees(s->elems[1], xg_infer_operand(i, 1)),
            "(input, output, ...)");
    else
        xg_want_shape(i,
            s->type == XLAGPU_TUPLE && s->n_elems >= 2 && xg_infer_is_operands(i, s->elems[0]) &&
                xg_infer_is_operands(i, s->elems[1]),
            "(operand, result, ...), both as the operand");
}
/* Element k of the tuple that the operand is, and the result must be. */
static void xg_infer_given_element(const xg_inst *i, const xg_shape *s, uint32_t k) {
    const xg_shape *o = xg_infer_operand(i, 0);
    XG_RULE(i, o->type == XLAGPU_TUPLE && o->n_elems > k,
        "the operand must be what the start gives, a tuple, but is %s", xg_infer_text(i, o));
    xg_want_shape(i, xg_shape_agrees(s, o->elems[k]), k ? "element 1 of the operand" : "element 0 of the operand");
}
static void xg_infer_given_constant(const xg_inst *i, const xg_shape *s) {
    if (!i->literal) return; /* the parser asks before it reads the value */
    XG_RULE(i, i->literal->shape && xg_shape_agrees(i->literal->shape, s),
        "the value is %s, but the shape is stated as %s", xg_infer_text(i, i->literal->shape), xg_infer_text(i, s));
}
static void xg_infer_given_layout_constraints(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_layout_constraints);
    uint32_t k;
    if (!a) return;
    XG_RULE(i, a->v.shapes->n == i->n_operands,
        "operand_layout_constraints must have one shape for each of %u operands, but has %u", i->n_operands,
        a->v.shapes->n);
    for (k = 0; k < i->n_operands; k++)
        XG_RULE(i, xg_shape_agrees(a->v.shapes->p[k], xg_infer_operand(i, k)),
            "operand %u is %s, but its layout constraint is %s", k, xg_infer_operand_text(i, k),
            xg_infer_text(i, a->v.shapes->p[k]));
}

static const xg_shape *xg_infer_given(xg_module *m, const xg_inst *i) {
    const xg_shape *s = xg_want_given(i), *o = i->n_operands ? xg_infer_operand(i, 0) : NULL;
    switch (i->op) {
    case XG_CONSTANT: xg_infer_given_constant(i, s); break;
    case XG_RNG_GET_AND_UPDATE_STATE:
        xg_want_shape(i, s->type == XLAGPU_U64 && s->rank == 1 && s->dims[0] == 2, "u64[2]");
        break;
    case XG_RNG: xg_infer_given_rng(i, s); break;
    case XG_CUSTOM_CALL:
        xg_infer_given_layout_constraints(i);
        xg_want_aliases(i, s);
        break;
    case XG_ALL_REDUCE_DONE: xg_want_shape(i, xg_shape_agrees(s, o), "what the start gives"); break;
    case XG_ALL_GATHER_START: xg_infer_given_gather_start(m, i, s); break;
    case XG_ALL_GATHER_DONE:
    case XG_COLLECTIVE_PERMUTE_DONE: xg_infer_given_element(i, s, 1); break;
    case XG_COLLECTIVE_PERMUTE_START: xg_infer_given_permute_start(i, s); break;
    case XG_COPY_START:
        xg_want_shape(i,
            xg_infer_is_tuple(s, 3) && xg_shape_agrees(s->elems[0], o) && xg_shape_agrees(s->elems[1], o) &&
                xg_infer_is_scalar(s->elems[2], XLAGPU_U32),
            "(destination, source, u32[])");
        break;
    case XG_COPY_DONE: xg_infer_given_element(i, s, 0); break;
    case XG_SEND:
        xg_want_token(i, 1);
        xg_want_shape(i,
            xg_infer_is_tuple(s, 3) && xg_shape_agrees(s->elems[0], o) && xg_infer_is_scalar(s->elems[1], XLAGPU_U32) &&
                s->elems[2]->type == XLAGPU_TOKEN,
            "(operand, u32[], token[])");
        break;
    case XG_SEND_DONE: xg_want_shape(i, s->type == XLAGPU_TOKEN, "token[]"); break;
    case XG_RECV:
        xg_want_token(i, 0);
        xg_want_shape(i,
            xg_infer_is_tuple(s, 3) && xg_infer_is_scalar(s->elems[1], XLAGPU_U32) && s->elems[2]->type == XLAGPU_TOKEN,
            "(data, u32[], token[])");
        break;
    case XG_RECV_DONE:
        xg_want_shape(i,
            xg_infer_is_tuple(s, 2) && o->type == XLAGPU_TUPLE && o->n_elems > 0 &&
                xg_shape_agrees(s->elems[0], o->elems[0]) && s->elems[1]->type == XLAGPU_TOKEN,
            "(data, token[])");
        break;
    case XG_INFEED:
        xg_want_token(i, 0);
        xg_want_shape(i, xg_infer_is_tuple(s, 2) && s->elems[1]->type == XLAGPU_TOKEN, "(data, token[])");
        break;
    case XG_OUTFEED: {
        const xg_attr *a = xg_inst_attr(i, XG_A_outfeed_shape);
        xg_want_token(i, 1);
        XG_RULE(i, !a || xg_shape_agrees(a->v.shape, o), "outfeed_shape=%s must be the shape of the operand, %s",
            a ? xg_infer_text(i, a->v.shape) : "", xg_infer_text(i, o));
        xg_want_shape(i, s->type == XLAGPU_TOKEN, "token[]");
        break;
    }
    default: break;
    }
    return xg_shape_fill_layout(m, s);
}

#endif /* XG_HLO_INFER_DEVICE_C */
