/* tools/profile.c -- what --profile and --trace write: where the time of a run goes, by HLO instruction, and when each
 * step ran. */
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    const xlagpu_rt_event *first;
    unsigned long long runs;
    double seconds, flops, bytes, instructions, predicted;
} line;

static int by_thunk(const void *a, const void *b) {
    const xlagpu_rt_event *x = *(const xlagpu_rt_event *const *)a, *y = *(const xlagpu_rt_event *const *)b;
    if (x->thunk != y->thunk) return x->thunk < y->thunk ? -1 : 1;
    return x < y ? -1 : x > y;
}
static int by_time(const void *a, const void *b) {
    const line *x = (const line *)a, *y = (const line *)b;
    if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
    return x->first->thunk < y->first->thunk ? -1 : x->first->thunk > y->first->thunk;
}

/* A share of a peak, or "-" where there is none: the simulator's time says nothing of the target. */
static void percent(double amount, double seconds, double peak) {
    if (peak > 0 && seconds > 0)
        printf("\t%.1f", 100 * amount / seconds / peak);
    else
        printf("\t-");
}

int profile_print(const xlagpu_execution *e, const char *target, bool host) {
    uint32_t n, k, lines = 0;
    uint64_t dropped;
    double total = 0, bandwidth = 0, flops = 0;
    const xlagpu_rt_event *events = xlagpu_rt_profile_events(e, &n, &dropped),
                          **sorted = (const xlagpu_rt_event **)calloc((size_t)n + 1, sizeof *sorted);
    line *l = (line *)calloc((size_t)n + 1, sizeof *l);
    if (!sorted || !l) {
        free(sorted);
        free(l);
        return fail(DEVICE, "xlagpu: error: out of memory");
    }
    if (!host) xlagpu_target_peak(target, &bandwidth, &flops);
    for (k = 0; k < n; k++) sorted[k] = &events[k];
    if (n > 1) qsort(sorted, n, sizeof *sorted, by_thunk);
    for (k = 0; k < n; k++) {
        const xlagpu_rt_event *v = sorted[k];
        if (!lines || l[lines - 1].first->thunk != v->thunk) l[lines++].first = v;
        l[lines - 1].runs++;
        l[lines - 1].seconds += v->seconds;
        l[lines - 1].flops += (double)v->flops;
        l[lines - 1].bytes += (double)v->bytes;
        l[lines - 1].instructions += (double)v->instructions;
        l[lines - 1].predicted += v->predicted;
        total += v->seconds;
    }
    if (lines > 1) qsort(l, lines, sizeof *l, by_time);
    printf("share_%%\tms\truns\thlo\tkind\tkernel\tflops\tbytes\twarp_instructions\t%%_of_bandwidth\t%%_of_peak_"
           "flops\tpredicted_us\tlimited_by\n");
    for (k = 0; k < lines; k++) {
        printf("%.1f\t%.4f\t%llu\t%s\t%s\t%s\t%.0f\t%.0f\t%.0f", total > 0 ? 100 * l[k].seconds / total : 0,
            l[k].seconds * 1e3, l[k].runs, l[k].first->hlo, l[k].first->kind,
            *l[k].first->kernel ? l[k].first->kernel : "-", l[k].flops, l[k].bytes, l[k].instructions);
        percent(l[k].bytes, l[k].seconds, bandwidth);
        percent(l[k].flops, l[k].seconds, flops);
        if (l[k].predicted > 0)
            printf("\t%.3f\t%s", l[k].predicted * 1e6, xlagpu_limit_name(l[k].first->limit));
        else
            printf("\t-\t-");
        putchar('\n');
    }
    if (dropped)
        fail(
            0, "xlagpu: note: %llu steps more than a profile holds were not written down", (unsigned long long)dropped);
    free(sorted);
    free(l);
    return OK;
}

static void json_text(FILE *f, const char *s) {
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            fprintf(f, "\\u%04x", (unsigned)(unsigned char)*s);
        else
            fputc(*s, f);
    }
}

/* Chrome's and Perfetto's trace format. */
static void put_trace(FILE *f, const xlagpu_execution *e, const char *module) {
    uint32_t n, k;
    const xlagpu_rt_event *v = xlagpu_rt_profile_events(e, &n, NULL);
    fprintf(f, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,"
               "\"args\":{\"name\":\"");
    json_text(f, module);
    fprintf(f, "\"}}");
    for (k = 0; k < n; k++) {
        fprintf(f, ",\n{\"name\":\"");
        json_text(f, v[k].hlo);
        fprintf(f,
            "\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"kernel\":\"",
            v[k].kind, v[k].start * 1e6, v[k].seconds * 1e6);
        json_text(f, v[k].kernel);
        fprintf(f, "\",\"thunk\":%u,\"flops\":%llu,\"bytes\":%llu,\"warp_instructions\":%llu}}", v[k].thunk,
            (unsigned long long)v[k].flops, (unsigned long long)v[k].bytes, (unsigned long long)v[k].instructions);
    }
    fprintf(f, "\n]}\n");
}
int profile_trace(const xlagpu_execution *e, const char *path, const char *module) {
    FILE *f = fopen(path, "wb");
    bool ok;
    if (!f) return unwritable(path);
    put_trace(f, e, module);
    ok = !ferror(f);
    if (fclose(f) != 0) ok = false;
    return ok ? OK : unwritable(path);
}
/* The trace as one more stage of the page. */
int profile_view(const xlagpu_execution *e, viewer *v, const char *module) {
    FILE *f = tmpfile();
    char *text = NULL;
    long n = 0;
    if (f) put_trace(f, e, module);
    if (f && !ferror(f) && (n = ftell(f)) > 0) text = (char *)malloc((size_t)n);
    if (text) {
        rewind(f);
        if (fread(text, 1, (size_t)n, f) == (size_t)n) viewer_add(v, "trace", text, (size_t)n);
    }
    if (f) fclose(f);
    free(text);
    return text ? OK : fail(DEVICE, "xlagpu: error: the measured times do not fit into memory or a temporary file");
}
