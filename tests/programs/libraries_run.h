/* libraries_run.h -- of libraries.c: a module with some parameters and results, evaluated, compiled for a library. */
#ifndef XLAGPU_TESTS_LIBRARIES_RUN_H
#define XLAGPU_TESTS_LIBRARIES_RUN_H

enum {
    RUN_GIVEN = 5,
    RUN_TAKEN = 3,
    RUN_BYTES = 4096 /* of an array, at most */
};
typedef struct library_run {
    xlagpu_module *m;
    xlagpu_bytes exe;
    xlagpu_report report;
    uint32_t n, n_results;
    xlagpu_rt_tensor given[RUN_GIVEN], taken[RUN_TAKEN];
    xlagpu_type type; /* of the first result */
    double in[RUN_GIVEN][RUN_BYTES / 8], want[RUN_TAKEN][RUN_BYTES / 8], got[RUN_TAKEN][RUN_BYTES / 8];
} library_run;
/* body: all computations of the module. */
static bool begin_run(xlagpu_context *c, const char *libraries, const char *body, library_run *r) {
    char text[4000];
    xlagpu_compile_desc desc;
    xlagpu_tensor in[RUN_GIVEN], out[RUN_TAKEN];
    xlagpu_value_info v;
    uint32_t k;
    memset(r, 0, sizeof *r);
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.libraries = libraries;
    desc.memory_limit = 1 << 20;
    desc.command_buffer_least = command_buffer_least;
    snprintf(text, sizeof text, "HloModule m\n%s\n", body);
    r->m = xlagpu_parse(c, "library", text, strlen(text));
    if (!EXPECT(r->m != NULL)) printf("%s\n%s\n", text, xlagpu_error(c));
    if (!r->m) return false;
    r->n = xlagpu_parameter_count(r->m);
    for (k = 0; k < r->n; k++) {
        xlagpu_parameter_info(r->m, k, &v);
        fill(&v, r->in[k]);
        in[k].data = r->given[k].data = r->in[k];
        in[k].bytes = r->given[k].bytes = v.bytes;
    }
    r->n_results = xlagpu_result_count(r->m);
    for (k = 0; k < r->n_results; k++) {
        xlagpu_result_info(r->m, k, &v);
        if (!k) r->type = v.type;
        out[k].data = r->want[k];
        r->taken[k].data = r->got[k];
        out[k].bytes = r->taken[k].bytes = v.bytes;
    }
    EXPECT(xlagpu_evaluate(r->m, in, r->n, out, r->n_results, false) == XLAGPU_OK);
    r->exe = xlagpu_compile(r->m, &desc);
    if (!EXPECT(r->exe.data && xlagpu_compile_report(r->m, &r->report))) printf("%s\n%s\n", text, xlagpu_error(c));
    return r->exe.data != NULL;
}
static xlagpu_status go(xlagpu_device *d, library_run *r) {
    xlagpu_program *p = xlagpu_rt_load(d, r->exe.data, r->exe.size);
    return p ? xlagpu_rt_run(p, r->given, r->n, r->taken, r->n_results) : xlagpu_rt_error_status(d);
}
#endif
