/* tools/progress.c -- how far a kernel on the simulator is, on a terminal: from its second second on, a line that is
 * rewritten and taken away at the end. */
#include "tool.h"
#include <stdio.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
static int stderr_is_terminal(void) { return _isatty(2); }
#else
#include <unistd.h>
static int stderr_is_terminal(void) { return isatty(2); }
#endif

/* Called by the runtime now and then. A launch begins where less is done than before, or another kernel runs. */
static void progress_show(void *user, const char *kernel, uint64_t done, uint64_t blocks) {
    progress *p = (progress *)user;
    double now = seconds(), spent;
    if (kernel != p->kernel || done < p->done) {
        p->kernel = kernel;
        p->begin = p->shown = now;
    }
    p->done = done;
    spent = now - p->begin;
    if (p->visible && done >= blocks) {
        fprintf(stderr, "\r\033[K");
        p->visible = false;
    }
    if (spent < 1 || now - p->shown < 0.2 || !done || done >= blocks) return;
    p->shown = now;
    p->visible = true;
    fprintf(stderr, "\r%.60s: %.0f%%, %.0f s left\033[K", kernel, 100.0 * (double)done / (double)blocks,
        spent * (double)(blocks - done) / (double)done);
    fflush(stderr);
}
void progress_begin(progress *p, xlagpu_device_desc *d) {
    memset(p, 0, sizeof *p);
    if (!stderr_is_terminal()) return;
    d->progress = progress_show;
    d->progress_user = p;
}
void progress_end(progress *p) {
    if (p->visible) fprintf(stderr, "\r\033[K");
    p->visible = false;
}

void print_text(void *user, const char *text, size_t bytes) {
    (void)user;
    fwrite(text, 1, bytes, stdout);
}
