/* rt/rendezvous.c -- the processes of a clique find each other: process 0 waits at an address and the others come to
 * it, by TCP; then it can tell all of them something. Or a function of the caller's does that.
 *
 * Laws: no waiting without an end. What connects and is no process of this clique is sent away. */
#ifndef XG_RT_RENDEZVOUS_C
#define XG_RT_RENDEZVOUS_C
#include "rt.h"
#include "device.c"
#include "system.c"

#ifndef XLAGPU_USE_NCCL
XG_FN XG_COLD xlagpu_status xr_rendezvous(
    xlagpu_clique *q, const xlagpu_rt_clique_desc *desc, xlagpu_device_desc *device) {
    (void)device;
    q->all = q->n;
    return desc->processes < 2 && !desc->environment
               ? XLAGPU_OK
               : xr_fail(&q->c, XLAGPU_ERROR_UNSUPPORTED,
                     "several processes meet by NCCL: define XLAGPU_USE_NCCL for the implementation");
}
XG_FN XG_COLD void xr_rendezvous_end(xlagpu_clique *q) { (void)q; }
XLAGPU_DEF XG_COLD uint32_t xlagpu_rt_processes(uint32_t *process) {
    *process = 0;
    return 1;
}
#else
/* ---- what the environment says ---- */

XG_FN XG_COLD uint32_t xr_timeout_ms(const xlagpu_clique *q) { return (uint32_t)XG_MIN(q->timeout * 1e3, 4e9); }

typedef struct xr_endpoint {
    char host[256];
    uint32_t port;
} xr_endpoint;
enum {
    XR_PORT = 29500 /* where none is named, as torchrun has it */
};

XG_FN XG_COLD bool xr_number_of(const char *text, uint32_t *out) {
    uint32_t n = 0;
    if (!text || !*text) return false;
    for (; *text >= '0' && *text <= '9' && n < 100000000; text++) n = 10 * n + (uint32_t)(*text - '0');
    *out = n;
    return !*text;
}
/* The first of "gpu[07-09,12],x3": gpu07. */
XG_FN XG_COLD void xr_first_node(const char *list, char *out, size_t cap) {
    size_t n = 0;
    for (; *list && *list != ',' && *list != '-' && *list != ']' && n + 1 < cap; list++)
        if (*list != '[') out[n++] = *list;
    out[n] = 0;
}
XG_FN XG_COLD xlagpu_status xr_environment(xlagpu_clique *q, xr_endpoint *a, uint32_t *local) {
    XG_TABLE const char *const names[][3] = {{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
        {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"}, {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};
    const char *node = getenv("SLURM_STEP_NODELIST");
    size_t k = 0;
    while (k < XG_COUNT(names) && !getenv(names[k][0])) k++;
    if (k == XG_COUNT(names)) return XLAGPU_OK;
    if (!xr_number_of(getenv(names[k][0]), &q->process) || !xr_number_of(getenv(names[k][1]), &q->processes))
        return xr_fail(&q->c, XLAGPU_ERROR_USAGE, "the environment has a %s, but %s and it are not both numbers",
            names[k][0], names[k][1]);
    if (!xr_number_of(getenv(names[k][2]), local)) *local = q->process;
    if (getenv("MASTER_ADDR"))
        xg_format(a->host, sizeof a->host, "%s", getenv("MASTER_ADDR"));
    else if (k == XG_COUNT(names) - 1 && node)
        xr_first_node(node, a->host, sizeof a->host);
    if (getenv("MASTER_PORT") && !xr_number_of(getenv("MASTER_PORT"), &a->port))
        return xr_fail(&q->c, XLAGPU_ERROR_USAGE, "MASTER_PORT is no number: %.60s", getenv("MASTER_PORT"));
    return XLAGPU_OK;
}

XLAGPU_DEF XG_COLD uint32_t xlagpu_rt_processes(uint32_t *process) {
    xlagpu_clique q;
    xr_endpoint a;
    uint32_t local;
    memset(&q, 0, sizeof q);
    xg_ctx_init(&q.c, NULL, 0);
    q.processes = 1;
    if (xr_environment(&q, &a, &local) != XLAGPU_OK) q.process = q.processes = 0;
    *process = q.process;
    return q.processes;
}

/* ---- sockets ---- */

#ifdef _WIN32
XG_FN XG_COLD xlagpu_status xr_meet_processes(xlagpu_clique *q, const xr_endpoint *a) {
    (void)a;
    return xr_fail(&q->c, XLAGPU_ERROR_UNSUPPORTED,
        "processes do not find each other on Windows, which has no NCCL; give the clique a function that shares");
}
XG_FN XG_COLD bool xr_socket_all(int socket, void *bytes, size_t size, bool out, double until) {
    (void)socket;
    (void)bytes;
    (void)size;
    (void)out;
    (void)until;
    return false;
}
XG_FN XG_COLD void xr_socket_close(int socket) { (void)socket; }
#else
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
enum { /* a peer that is gone is a failure of send, not a signal, where the system can say so */
#ifdef MSG_NOSIGNAL
    XR_SEND_FLAGS = MSG_NOSIGNAL
#else
    XR_SEND_FLAGS = 0
#endif
};

XG_FN XG_COLD void xr_socket_close(int s) {
    if (s >= 0) close(s);
}
/* Until it can be read or written. */
XG_FN XG_COLD bool xr_socket_ready(int s, bool out, double until) {
    struct timeval t;
    double left = until - xr_seconds();
    fd_set set;
    if (s >= FD_SETSIZE || left <= 0) return false;
    FD_ZERO(&set);
    FD_SET(s, &set);
    t.tv_sec = (long)left;
    t.tv_usec = (long)((left - (double)t.tv_sec) * 1e6);
    return select(s + 1, out ? NULL : &set, out ? &set : NULL, NULL, &t) > 0;
}
/* All of the bytes, one way or the other. */
XG_FN XG_COLD bool xr_socket_all(int s, void *bytes, size_t size, bool out, double until) {
    char *at = (char *)bytes;
    while (size) {
        long n;
        if (!xr_socket_ready(s, out, until)) return false;
        n = (long)(out ? send(s, at, size, XR_SEND_FLAGS) : recv(s, at, size, 0));
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}
XG_FN XG_COLD bool xr_socket_find(const xr_endpoint *a, struct sockaddr_in *out) {
    /* A bare machine has no table of names, but knows itself. */
    const struct hostent *h = gethostbyname(strcmp(a->host, "localhost") ? a->host : "127.0.0.1");
    memset(out, 0, sizeof *out);
    out->sin_family = AF_INET;
    out->sin_port = htons((uint16_t)a->port);
    if (!h || h->h_addrtype != AF_INET) return false;
    memcpy(&out->sin_addr, h->h_addr_list[0], sizeof out->sin_addr);
    return true;
}
XG_FN XG_COLD int xr_socket_new(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s >= 0) (void)fcntl(s, F_SETFL, O_NONBLOCK);
    if (s >= 0) (void)fcntl(s, F_SETFD, FD_CLOEXEC);
    return s;
}

/* What a process says when it comes. */
typedef struct xr_hello {
    char magic[8];
    uint32_t process, processes, devices, version;
} xr_hello;
XG_FN XG_COLD void xr_hello_of(const xlagpu_clique *q, xr_hello *h) {
    memset(h, 0, sizeof *h);
    memcpy(h->magic, "xlagpu", 6);
    h->process = q->process;
    h->processes = q->processes;
    h->devices = q->n;
    h->version = XG_EXE_VERSION;
}
XG_FN XG_COLD xlagpu_status xr_welcome(xlagpu_clique *q, int s, double until, uint32_t *come) {
    enum {
        SECONDS = 5 /* to say who it is */
    };
    xr_hello h, own;
    xr_hello_of(q, &own);
    if (!xr_socket_all(s, &h, sizeof h, false, XG_MIN(until, xr_seconds() + SECONDS)) ||
        memcmp(h.magic, own.magic, sizeof h.magic) != 0) {
        xr_socket_close(s); /* a stranger */
        return XLAGPU_OK;
    }
    own.process = h.process;
    if (memcmp(&h, &own, sizeof h) == 0 && h.process && h.process < q->processes && q->sockets[h.process] < 0) {
        q->sockets[h.process] = s;
        ++*come;
        return XLAGPU_OK;
    }
    xr_socket_close(s);
    return xr_fail(&q->c, XLAGPU_ERROR_USAGE,
        "a process says that it is number %u of %u with %u devices; this is number 0 of %u with %u, and each number is "
        "there once",
        h.process, h.processes, h.devices, q->processes, q->n);
}
XG_FN XG_COLD xlagpu_status xr_wait_for_processes(xlagpu_clique *q, const xr_endpoint *a, double until) {
    struct sockaddr_in at;
    int listener = xr_socket_new(), yes = 1, s;
    uint32_t come = 1;
    xlagpu_status status = XLAGPU_OK;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_port = htons((uint16_t)a->port);
    at.sin_addr.s_addr = htonl(INADDR_ANY);
    if (listener >= 0) (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener < 0 || bind(listener, (struct sockaddr *)(void *)&at, sizeof at) || listen(listener, SOMAXCONN))
        status = xr_fail(&q->c, XLAGPU_ERROR_DEVICE, "process 0 cannot wait for the others at port %u: %s", a->port,
            strerror(errno));
    while (status == XLAGPU_OK && come < q->processes) {
        if (!xr_socket_ready(listener, false, until))
            status = xr_fail(&q->c, XLAGPU_ERROR_DEVICE, "%u of %u processes have come to port %u within %u ms", come,
                q->processes, a->port, xr_timeout_ms(q));
        else if ((s = accept(listener, NULL, NULL)) >= 0) {
            (void)fcntl(s, F_SETFL, O_NONBLOCK);
            (void)fcntl(s, F_SETFD, FD_CLOEXEC);
            status = xr_welcome(q, s, until, &come);
        }
    }
    xr_socket_close(listener);
    return status;
}
XG_FN XG_COLD xlagpu_status xr_go_to_process(xlagpu_clique *q, const xr_endpoint *a, double until) {
    enum {
        AGAIN = 20000 /* microseconds: process 0 may not wait yet */
    };
    struct sockaddr_in at;
    xr_hello h;
    xr_hello_of(q, &h);
    if (!xr_socket_find(a, &at))
        return xr_fail(&q->c, XLAGPU_ERROR_DEVICE, "no address is known of '%s', where process 0 should be", a->host);
    for (;; xr_nap(AGAIN)) {
        int s = xr_socket_new(), error = 0;
        socklen_t n = sizeof error;
        if (s >= 0 && (!connect(s, (struct sockaddr *)(void *)&at, sizeof at) || errno == EINPROGRESS) &&
            xr_socket_ready(s, true, until) && !getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &n) && !error &&
            xr_socket_all(s, &h, sizeof h, true, until)) {
            q->sockets[0] = s;
            return XLAGPU_OK;
        }
        xr_socket_close(s);
        if (xr_seconds() > until)
            return xr_fail(&q->c, XLAGPU_ERROR_DEVICE, "process 0 has not been found at %s:%u within %u ms", a->host,
                a->port, xr_timeout_ms(q));
    }
}
XG_FN XG_COLD xlagpu_status xr_meet_processes(xlagpu_clique *q, const xr_endpoint *a) {
    double until = xr_seconds() + q->timeout;
    uint32_t k;
    q->sockets = (int *)xg_mem_alloc(&q->c, q->processes * sizeof *q->sockets);
    if (!q->sockets) return xr_no_memory(&q->c);
    for (k = 0; k < q->processes; k++) q->sockets[k] = -1;
    return q->process ? xr_go_to_process(q, a, until) : xr_wait_for_processes(q, a, until);
}
#endif

/* ---- the rendezvous ---- */

XG_FN XG_COLD xlagpu_status xr_rendezvous(
    xlagpu_clique *q, const xlagpu_rt_clique_desc *desc, xlagpu_device_desc *device) {
    xr_endpoint a;
    uint32_t local = 0;
    const char *colon = desc->address ? strrchr(desc->address, ':') : NULL;
    xlagpu_status s = XLAGPU_OK;
    memset(&a, 0, sizeof a);
    a.port = XR_PORT;
    q->process = desc->process;
    q->processes = desc->processes;
    if (desc->environment) s = xr_environment(q, &a, &local);
    if (!q->processes) q->processes = 1;
    device->ordinal += (int)(local * q->n);
    q->first = q->process * q->n;
    q->all = q->processes * q->n;
    q->share = desc->share;
    q->share_user = desc->share_user;
    if (s != XLAGPU_OK) return s;
    if (q->process >= q->processes || q->processes > XR_DEVICES_MAX / q->n)
        return xr_fail(&q->c, XLAGPU_ERROR_USAGE, "there is no process number %u of %u with %u devices each",
            q->process, q->processes, q->n);
    if (q->processes == 1 || q->share) return XLAGPU_OK;
    if (colon) xg_format(a.host, sizeof a.host, "%.*s", (int)(colon - desc->address), desc->address);
    if (!a.host[0] || (colon && !xr_number_of(colon + 1, &a.port)) || a.port > UINT16_MAX)
        return xr_fail(&q->c, XLAGPU_ERROR_USAGE,
            "the address of process 0 is not known: it is \"host:port\", or MASTER_ADDR and MASTER_PORT");
    return xr_meet_processes(q, &a);
}
XG_FN XG_COLD xlagpu_status xr_share(xlagpu_clique *q, void *bytes, size_t size) {
    double until = xr_seconds() + q->timeout;
    uint32_t k, n = q->process ? 1 : q->processes;
    if (q->processes == 1) return XLAGPU_OK;
    if (q->share) {
        xlagpu_status s = q->share(q->share_user, bytes, size);
        return s == XLAGPU_OK ? s : xr_fail(&q->c, s, "the function that shares bytes among processes failed");
    }
    for (k = q->process ? 0 : 1; k < n; k++)
        if (!xr_socket_all(q->sockets[k], bytes, size, !q->process, until))
            return xr_fail(
                &q->c, XLAGPU_ERROR_DEVICE, "process %u has gone, or is not there after %u ms", k, xr_timeout_ms(q));
    return XLAGPU_OK;
}
/* From process k, which is another one, to process 0. */
XG_FN XG_COLD xlagpu_status xr_send_home(xlagpu_clique *q, uint32_t k, void *bytes, size_t size) {
    double until = xr_seconds() + q->timeout;
    if (!q->sockets)
        return xr_fail(&q->c, XLAGPU_ERROR_UNSUPPORTED,
            "processes that share by a function have no way to bring results to process 0");
    if (xr_socket_all(q->sockets[q->process ? 0 : k], bytes, size, q->process != 0, until)) return XLAGPU_OK;
    return xr_fail(&q->c, XLAGPU_ERROR_DEVICE, "process %u has gone, or is not there after %u ms", q->process ? 0 : k,
        xr_timeout_ms(q));
}
XG_FN XG_COLD void xr_rendezvous_end(xlagpu_clique *q) {
    uint32_t k;
    for (k = 0; q->sockets && k < q->processes; k++) xr_socket_close(q->sockets[k]);
    xg_mem_free(&q->c, q->sockets);
}

#endif /* XLAGPU_USE_NCCL */

#endif /* XG_RT_RENDEZVOUS_C */
