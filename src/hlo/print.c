/* hlo/print.c -- a module as HLO text.
 *
 * Laws
 * - Fixed point: parsing the text and printing again gives the same bytes. Everything that the parser filled in (names,
 *   layouts, inferred shapes, the entry's layout) is written.
 * - XLA reads it: its order of header attributes, operands and attributes; names that are its keywords carry a '%'. */
#ifndef XG_HLO_PRINT_C
#define XG_HLO_PRINT_C
#include "text.h"
#include "graph.c"
#include "print_attr.c"

XG_FN xg_printer xg_printer_make(xg_buf *b, const xg_print_options *o) {
    xg_printer p;
    memset(&p, 0, sizeof p);
    p.b = b;
    if (o)
        p.o = *o;
    else
        p.o.whole_constants = true;
    return p;
}
XG_FN void xg_print_operands(const xg_printer *p, const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(i, k);
        if (k) xg_puts(p->b, ", ");
        if (k && k % 5 == 0) {
            xg_puts(p->b, "/*index=");
            xg_put_i64(p->b, k);
            xg_puts(p->b, "*/");
        }
        if (p->o.operand_shapes) {
            xg_shape_print(p->b, o->shape, true);
            xg_putc(p->b, ' ');
        }
        xg_print_name(p, o->name);
    }
}
XG_FN void xg_print_inst(const xg_printer *p, const xg_inst *i) {
    uint32_t k;
    if (i->comp->root == i) xg_puts(p->b, "ROOT ");
    xg_print_name(p, i->name);
    xg_puts(p->b, " = ");
    xg_shape_print(p->b, i->shape, true);
    xg_putc(p->b, ' ');
    xg_put(p->b, xg_op_name(i->op), xg_op_rows[i->op].length);
    xg_putc(p->b, '(');
    if (i->op == XG_CONSTANT) {
        if (i->literal) xg_literal_print(p->b, i->literal, p->o.whole_constants);
    } else if (i->op == XG_PARAMETER)
        xg_put_i64(p->b, i->number);
    else
        xg_print_operands(p, i);
    xg_putc(p->b, ')');
    for (k = 0; k < i->n_attrs; k++)
        if (!(p->o.no_metadata && i->attrs[k].key == XG_A_metadata)) xg_print_attr(p, &i->attrs[k]);
}
/* "name {", or with percent signs XLA's long form "%name (p: f32[2]) -> f32[2] {". */
XG_FN void xg_print_comp(const xg_printer *p, const xg_comp *c) {
    uint32_t k;
    if (c->module->entry == c) xg_puts(p->b, "ENTRY ");
    xg_print_name(p, c->name);
    if (p->o.percent) {
        xg_puts(p->b, " (");
        for (k = 0; k < c->n_params; k++) {
            if (k) xg_puts(p->b, ", ");
            xg_put_str(p->b, c->params[k]->name);
            xg_puts(p->b, ": ");
            xg_shape_print(p->b, c->params[k]->shape, false);
        }
        xg_puts(p->b, ") -> ");
        xg_shape_print(p->b, c->root->shape, false);
    }
    xg_puts(p->b, " {\n");
    XG_FOR_INSTS(i, c) {
        xg_puts(p->b, "  ");
        xg_print_inst(p, i);
        xg_putc(p->b, '\n');
    }
    xg_putc(p->b, '}');
    if (c->execution_thread.n) {
        xg_puts(p->b, ", execution_thread=");
        xg_put_quoted(p->b, c->execution_thread);
    }
    xg_putc(p->b, '\n');
}
XG_FN void xg_print_io_aliases(const xg_printer *p, const xg_module *m) {
    uint32_t k;
    if (!m->n_aliases) return;
    xg_puts(p->b, ", input_output_alias={ ");
    for (k = 0; k < m->n_aliases; k++) {
        const xg_io_alias *a = &m->aliases[k];
        if (k) xg_puts(p->b, ", ");
        xg_print_ints(p->b, a->output);
        xg_puts(p->b, ": (");
        xg_put_i64(p->b, a->param);
        xg_puts(p->b, ", ");
        xg_print_ints(p->b, a->param_index);
        xg_puts(p->b, a->must ? ", must-alias)" : ", may-alias)");
    }
    xg_puts(p->b, " }");
}
XG_FN void xg_print_donors(const xg_printer *p, const xg_module *m) {
    uint32_t k;
    if (!m->n_donors) return;
    xg_puts(p->b, ", buffer_donor={ ");
    for (k = 0; k < m->n_donors; k++) {
        xg_puts(p->b, k ? ", (" : "(");
        xg_put_i64(p->b, m->donors[k].param);
        xg_puts(p->b, ", ");
        xg_print_ints(p->b, m->donors[k].param_index);
        xg_putc(p->b, ')');
    }
    xg_puts(p->b, " }");
}
XG_FN void xg_print_device(const xg_printer *p, const xg_module *m) {
    xg_puts(p->b, XG_HLO_DEVICE_KEY "=\"");
    xg_device_print(p->b, &m->device);
    xg_putc(p->b, '"');
}
/* The device stands in front of the other frontend attributes. */
XG_FN void xg_print_header_value(const xg_printer *p, const xg_module *m, const xg_header_attr *a) {
    bool here = m->has_device && xg_str_is(a->name, "frontend_attributes") && a->text.n > 2;
    if (!here) {
        xg_put_str(p->b, a->text);
        return;
    }
    xg_putc(p->b, '{');
    xg_print_device(p, m);
    xg_putc(p->b, ',');
    xg_put(p->b, a->text.p + 1, a->text.n - 1);
}
XG_FN void xg_print_header(const xg_printer *p, const xg_module *m) {
    bool named = false;
    uint32_t k;
    xg_puts(p->b, xg_print_is_keyword(m->name) ? "HloModule %" : "HloModule ");
    xg_put_str(p->b, m->name);
    if (m->is_scheduled) xg_puts(p->b, ", is_scheduled=true");
    xg_print_io_aliases(p, m);
    xg_print_donors(p, m);
    if (m->entry_params && m->entry_result) {
        xg_puts(p->b, ", entry_computation_layout={");
        xg_shape_print(p->b, m->entry_params, true);
        xg_puts(p->b, "->");
        xg_shape_print(p->b, m->entry_result, true);
        xg_putc(p->b, '}');
    }
    for (k = 0; k < m->n_header; k++) {
        xg_puts(p->b, ", ");
        xg_put_str(p->b, m->header[k].name);
        xg_putc(p->b, '=');
        xg_print_header_value(p, m, &m->header[k]);
        named = named || xg_str_is(m->header[k].name, "frontend_attributes");
    }
    if (m->has_device && !named) {
        xg_puts(p->b, ", frontend_attributes={");
        xg_print_device(p, m);
        xg_putc(p->b, '}');
    }
    if (m->replica_count != 1) {
        xg_puts(p->b, ", replica_count=");
        xg_put_i64(p->b, m->replica_count);
    }
    if (m->num_partitions != 1) {
        xg_puts(p->b, ", num_partitions=");
        xg_put_i64(p->b, m->num_partitions);
    }
    xg_putc(p->b, '\n');
    if (m->stack.text.n) {
        xg_putc(p->b, '\n');
        xg_put_str(p->b, m->stack.text);
    }
}
XG_FN void xg_hlo_print_comp(xg_buf *b, const xg_comp *c, const xg_print_options *o) {
    xg_printer p = xg_printer_make(b, o);
    xg_print_comp(&p, c);
}
XG_FN void xg_hlo_print(xg_buf *b, const xg_module *m, const xg_print_options *o) {
    xg_printer p = xg_printer_make(b, o);
    const xg_comp *c;
    xg_print_header(&p, m);
    for (c = m->first; c; c = c->next) {
        xg_putc(b, '\n');
        xg_print_comp(&p, c);
    }
}

#endif /* XG_HLO_PRINT_C */
