/* opt/conv_labels.c -- the dimension labels of convolutions, as lists that may be written. */
#ifndef XG_OPT_CONV_LABELS_C
#define XG_OPT_CONV_LABELS_C
#include "opt.h"

/* A copy of the labels whose lists may be written. */
XG_FN xg_dim_labels *xg_conv_labels(xg_module *m, const xg_inst *i, xg_conv_part part[3]) {
    xg_dim_labels *l = XG_NEW(m->arena, xg_dim_labels);
    xg_ints *lists[3];
    uint32_t k, j;
    *l = *xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    lists[0] = &l->input_spatial;
    lists[1] = &l->kernel_spatial;
    lists[2] = &l->output_spatial;
    part[0].first = &l->input_batch;
    part[0].second = &l->input_feature;
    part[0].letters = "bf";
    part[1].first = &l->kernel_input;
    part[1].second = &l->kernel_output;
    part[1].letters = "io";
    part[2].first = &l->output_batch;
    part[2].second = &l->output_feature;
    part[2].letters = "bf";
    for (k = 0; k < 3; k++) {
        part[k].spatial = XG_NEW_N(m->arena, int64_t, lists[k]->n + 1);
        for (j = 0; j < lists[k]->n; j++) part[k].spatial[j] = lists[k]->p[j];
        lists[k]->p = part[k].spatial;
    }
    return l;
}
XG_FN bool xg_conv_is_labelled(const xg_inst *i) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    return l->input_batch >= 0 && l->input_feature >= 0 && l->kernel_input >= 0 && l->kernel_output >= 0 &&
           l->output_batch >= 0 && l->output_feature >= 0 && !xg_inst_attr(i, XG_A_sparsity_config);
}
/* Dimension d becomes to[d]. */
XG_FN void xg_conv_renumber(xg_conv_part *p, uint32_t n, const int64_t *to) {
    uint32_t k;
    *p->first = to[*p->first];
    *p->second = to[*p->second];
    for (k = 0; k < n; k++) p->spatial[k] = to[p->spatial[k]];
}
XG_FN xg_attr xg_conv_attr(xg_module *m, xg_dim_labels *l, const xg_conv_part *part) {
    uint32_t n = l->input_spatial.n, k, j;
    xg_attr a;
    xg_buf b;
    xg_buf_init(&b, m->arena);
    for (k = 0; k < 3; k++) {
        xg_puts(&b, k == 0 ? "" : k == 1 ? "_" : "->");
        for (j = 0; j < n + 2; j++) {
            uint32_t s = 0;
            while (s < n && part[k].spatial[s] != (int64_t)j) s++;
            xg_putc(&b, *part[k].first == (int64_t)j    ? part[k].letters[0]
                        : *part[k].second == (int64_t)j ? part[k].letters[1]
                                                        : (char)('0' + s));
        }
    }
    l->text = xg_str_of(b.p, b.n);
    memset(&a, 0, sizeof a);
    a.key = XG_A_dim_labels;
    a.v.labels = l;
    return a;
}

#endif /* XG_OPT_CONV_LABELS_C */
