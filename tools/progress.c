/* tools/progress.c -- on a terminal, what takes long: from its second second on, a line that is rewritten and taken
 * away at the end. Of a kernel on the simulator it says how far it is and what is left; of a compilation, which file
 * and how long already. Ctrl-C takes the line away, too, and ends the process as the signal does. */
#include "tool.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
static int stderr_is_terminal(void) { return _isatty(2); }
#else
#include <sys/time.h>
#include <unistd.h>
static int stderr_is_terminal(void) { return isatty(2); }
#endif

/* ---- signals: they only read and count what is here, and write ---- */

#ifndef _WIN32
static char compiling[96]; /* what the line says in front of the seconds; empty: nothing is compiled */
static volatile sig_atomic_t compiled_for, line_is_shown;

static void say(const char *text, size_t n) {
    while (n) {
        ssize_t wrote = write(2, text, n);
        if (wrote <= 0) return;
        text += wrote;
        n -= (size_t)wrote;
    }
}
static void each_second(int signal_number) {
    char digits[16], *p = digits + sizeof digits;
    int s = ++compiled_for;
    (void)signal_number;
    do *--p = (char)('0' + s % 10);
    while (s /= 10);
    line_is_shown = 1;
    say("\r", 1);
    say(compiling, strlen(compiling));
    say(p, (size_t)(digits + sizeof digits - p));
    say(" s\033[K", 5);
}
static void interrupted(int signal_number) {
    if (line_is_shown) say("\r\033[K", 4);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}
static void every(time_t s) {
    struct itimerval t;
    memset(&t, 0, sizeof t);
    t.it_value.tv_sec = t.it_interval.tv_sec = s;
    (void)setitimer(ITIMER_REAL, &t, NULL);
}
static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = handler;
    a.sa_flags = SA_RESTART;
    (void)sigaction(signal_number, &a, NULL);
}
void compiling_begin(const char *path) {
    if (!stderr_is_terminal()) return;
    snprintf(compiling, sizeof compiling, "compiling %.70s: ", path);
    compiled_for = 0;
    handle(SIGINT, interrupted);
    handle(SIGALRM, each_second);
    every(1);
}
void compiling_end(void) {
    if (!*compiling) return;
    every(0);
    if (line_is_shown) say("\r\033[K", 4);
    line_is_shown = 0;
    *compiling = 0;
}
#else
static int line_is_shown;
void compiling_begin(const char *path) { (void)path; }
void compiling_end(void) {}
#endif

/* ---- kernels ---- */

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
        line_is_shown = p->visible = false;
    }
    if (spent < 1 || now - p->shown < 0.2 || !done || done >= blocks) return;
    p->shown = now;
    line_is_shown = p->visible = true;
    fprintf(stderr, "\r%.60s: %.0f%%, %.0f s left\033[K", kernel, 100.0 * (double)done / (double)blocks,
        spent * (double)(blocks - done) / (double)done);
    fflush(stderr);
}
void progress_begin(progress *p, xlagpu_device_desc *d) {
    memset(p, 0, sizeof *p);
    if (!stderr_is_terminal()) return;
#ifndef _WIN32
    handle(SIGINT, interrupted);
#endif
    d->progress = progress_show;
    d->progress_user = p;
}
void progress_end(progress *p) {
    if (p->visible) fprintf(stderr, "\r\033[K");
    line_is_shown = p->visible = false;
}

void print_text(void *user, const char *text, size_t bytes) {
    (void)user;
    fwrite(text, 1, bytes, stdout);
}
