/* rt/system.c -- what the operating system gives: shared libraries, processors, threads. POSIX and Windows. */
#ifndef XG_RT_SYSTEM_C
#define XG_RT_SYSTEM_C
#include "rt.h"

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

XG_FN void *xr_library_open(const char *name) { return (void *)LoadLibraryA(name); }
XG_FN void *xr_library_symbol(void *library, const char *name) {
    FARPROC f = GetProcAddress((HMODULE)library, name);
    void *p;
    memcpy(&p, &f, sizeof p);
    return p;
}
XG_FN void xr_library_close(void *library) {
    if (library) FreeLibrary((HMODULE)library);
}
XG_FN double xr_seconds(void) {
    LARGE_INTEGER now, each;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&each);
    return (double)now.QuadPart / (double)each.QuadPart;
}
XG_FN void xr_nap(uint32_t microseconds) { Sleep((microseconds + 999) / 1000); }
XG_FN uint64_t xr_process(void) { return GetCurrentProcessId(); }
XG_FN uint32_t xr_processors(void) {
    SYSTEM_INFO i;
    GetSystemInfo(&i);
    return i.dwNumberOfProcessors ? (uint32_t)i.dwNumberOfProcessors : 1;
}

#ifdef XLAGPU_USE_LLVM_CPU
XG_FN size_t xr_page(void) {
    SYSTEM_INFO i;
    GetSystemInfo(&i);
    return i.dwPageSize;
}
XG_FN void *xr_pages_new(size_t bytes) { return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }
XG_FN bool xr_pages_seal(void *p, size_t bytes, bool runs) {
    DWORD old;
    if (!VirtualProtect(p, bytes, runs ? PAGE_EXECUTE_READ : PAGE_READONLY, &old)) return false;
    return !runs || FlushInstructionCache(GetCurrentProcess(), p, bytes);
}
XG_FN void xr_pages_free(void *p, size_t bytes) {
    (void)bytes;
    VirtualFree(p, 0, MEM_RELEASE);
}
#endif

struct xr_thread {
    void (*job)(void *, uint32_t);
    void *user;
    uint32_t index;
    HANDLE handle;
};
static DWORD WINAPI xr_thread_main(LPVOID p) {
    xr_thread *t = (xr_thread *)p;
    t->job(t->user, t->index);
    return 0;
}
XG_FN bool xr_thread_start(xr_thread *t) {
    t->handle = CreateThread(NULL, 0, xr_thread_main, t, 0, NULL);
    return t->handle != NULL;
}
XG_FN void xr_thread_join(xr_thread *t) {
    WaitForSingleObject(t->handle, INFINITE);
    CloseHandle(t->handle);
}
struct xr_lock {
    CRITICAL_SECTION mutex;
    CONDITION_VARIABLE changed;
};
XG_FN void xr_lock_init(xr_lock *l) {
    InitializeCriticalSection(&l->mutex);
    InitializeConditionVariable(&l->changed);
}
XG_FN void xr_lock_free(xr_lock *l) { DeleteCriticalSection(&l->mutex); }
XG_FN void xr_enter_lock(xr_lock *l) { EnterCriticalSection(&l->mutex); }
XG_FN void xr_leave_lock(xr_lock *l) { LeaveCriticalSection(&l->mutex); }
XG_FN void xr_wake(xr_lock *l) { WakeAllConditionVariable(&l->changed); }
XG_FN void xr_wait_lock(xr_lock *l) { SleepConditionVariableCS(&l->changed, &l->mutex, 1000); }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

XG_FN void *xr_library_open(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
XG_FN void *xr_library_symbol(void *library, const char *name) { return dlsym(library, name); }
XG_FN void xr_library_close(void *library) {
    if (library) dlclose(library);
}
#ifdef CLOCK_MONOTONIC
XG_FN double xr_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#else /* strict C hides it */
XG_FN double xr_seconds(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}
#endif
XG_FN void xr_nap(uint32_t microseconds) {
    struct timeval t;
    t.tv_sec = 0;
    t.tv_usec = microseconds;
    (void)select(0, NULL, NULL, NULL, &t);
}
XG_FN uint64_t xr_process(void) { return (uint64_t)getpid(); }
XG_FN uint32_t xr_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

#ifdef XLAGPU_USE_LLVM_CPU
#include <sys/mman.h>
#if !defined(MAP_ANONYMOUS) && defined(__linux__) /* strict C hides it */
#define XR_MAP_OWN (MAP_PRIVATE | 0x20)
#elif !defined(MAP_ANONYMOUS)
#define XR_MAP_OWN (MAP_PRIVATE | MAP_ANON)
#else
#define XR_MAP_OWN (MAP_PRIVATE | MAP_ANONYMOUS)
#endif
XG_FN size_t xr_page(void) {
    long n = sysconf(_SC_PAGESIZE);
    return n > 0 ? (size_t)n : 4096;
}
XG_FN void *xr_pages_new(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, XR_MAP_OWN, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
XG_FN bool xr_pages_seal(void *p, size_t bytes, bool runs) {
#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    if (runs) __builtin___clear_cache((char *)p, (char *)p + bytes);
#endif
    return mprotect(p, bytes, runs ? PROT_READ | PROT_EXEC : PROT_READ) == 0;
}
XG_FN void xr_pages_free(void *p, size_t bytes) { (void)munmap(p, bytes); }
#undef XR_MAP_OWN
#endif

struct xr_thread {
    void (*job)(void *, uint32_t);
    void *user;
    uint32_t index;
    pthread_t handle;
};
static void *xr_thread_main(void *p) {
    xr_thread *t = (xr_thread *)p;
    t->job(t->user, t->index);
    return NULL;
}
XG_FN bool xr_thread_start(xr_thread *t) { return pthread_create(&t->handle, NULL, xr_thread_main, t) == 0; }
XG_FN void xr_thread_join(xr_thread *t) { pthread_join(t->handle, NULL); }
struct xr_lock {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};
XG_FN void xr_lock_init(xr_lock *l) {
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
}
XG_FN void xr_lock_free(xr_lock *l) {
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->mutex);
}
XG_FN void xr_enter_lock(xr_lock *l) { pthread_mutex_lock(&l->mutex); }
XG_FN void xr_leave_lock(xr_lock *l) { pthread_mutex_unlock(&l->mutex); }
XG_FN void xr_wake(xr_lock *l) { pthread_cond_broadcast(&l->changed); }
XG_FN void xr_wait_lock(xr_lock *l) {
    struct timeval now;
    struct timespec until;
    gettimeofday(&now, NULL);
    until.tv_sec = now.tv_sec + 1;
    until.tv_nsec = (long)now.tv_usec * 1000;
    pthread_cond_timedwait(&l->changed, &l->mutex, &until);
}
#endif

XG_FN xr_lock *xr_lock_new(xg_ctx *c) {
    xr_lock *l = (xr_lock *)xg_mem_alloc(c, sizeof *l);
    if (l) xr_lock_init(l);
    return l;
}
XG_FN bool xr_thread_begin(xr_thread *t, void (*job)(void *user, uint32_t index), void *user, uint32_t index) {
    t->job = job;
    t->user = user;
    t->index = index;
    return xr_thread_start(t);
}

XG_FN void xr_parallel(uint32_t n, void (*job)(void *user, uint32_t index), void *user) {
    xr_thread threads[XR_WORKERS_MAX];
    uint32_t started = 0, k;
    if (n > XR_WORKERS_MAX) n = XR_WORKERS_MAX;
    for (k = 0; k + 1 < n; k++) {
        if (!xr_thread_begin(&threads[started], job, user, k)) break;
        started++;
    }
    for (; k < n; k++) job(user, k);
    for (k = 0; k < started; k++) xr_thread_join(&threads[k]);
}

#endif /* XG_RT_SYSTEM_C */
