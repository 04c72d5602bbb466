/* llvm/compile.c -- the backend "llvm": kernels through LLVM, each a module of its own, and their entries in one text.
 *
 * LLVM's NVPTX writes a head (version, target), declarations and the entry. The head goes, since the module has one;
 * the cluster of a kernel, which LLVM 16 has no word for, is put in front of its body.
 * LLVM reports what it cannot do to a handler of the context, so that nothing is written to a stream; what it calls a
 * fatal error ends the program, as in every program that uses it. */
#ifndef XG_LLVM_COMPILE_C
#define XG_LLVM_COMPILE_C
#include "../api/executable.h"
#include "llvm.h"

static const char *xg_backend_name_at(const void *user, size_t i) {
    XG_TABLE const char names[][9] = {"ptx", "llvm", "llvm-ir", "llvm-cpu"};
    (void)user;
    return i < XG_COUNT(names) ? names[i] : NULL;
}

/* ---- "llvm-ir": the IR for its dump, and PTX by our own printer ---- */

static void xg_llvm_ir_kernel(void *state, xg_kmodule *m, xg_backend_dump dump, void *user) {
    xg_ptx *p = (xg_ptx *)state;
    xg_llvm_ir ir;
    xg_ptx_prepare(p, m);
    if (dump && xg_llvm_print(m->arena, m, (const xg_target *)m->target, &ir)) dump(user, "llvm/before", ir.text);
    xg_ptx_print_prepared(p);
}
static void *xg_llvm_ir_begin(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d) {
    return xg_ptx_begin(c, a, t, d);
}
static uint32_t xg_llvm_ir_finish(void *state, xg_texts *out) { return xg_ptx_finish((xg_ptx *)state, out); }
static const xg_backend xg_llvm_ir_backend_row = {
    "llvm-ir", xg_llvm_ir_begin, xg_llvm_ir_kernel, xg_llvm_ir_finish, false};

#ifdef XLAGPU_USE_LLVM

/* What each version of LLVM can make code for at most: X(version, compute capability, PTX version), both times 10. */
#define XG_LLVM_VERSIONS(X) X(16, 90, 78) X(17, 90, 81) X(18, 90, 83) X(19, 90, 85) X(20, 120, 87) X(21, 121, 88)
typedef struct xg_llvm_version {
    uint32_t version, cc, isa;
} xg_llvm_version;
XG_FN xg_llvm_version xg_llvm_own_version(void) {
    XG_TABLE const xg_llvm_version versions[] = {
#define X(version, cc, isa) {version, cc, isa},
        XG_LLVM_VERSIONS(X)
#undef X
    };
    uint32_t k = 0;
    while (k + 1 < XG_COUNT(versions) && versions[k + 1].version <= LLVM_VERSION_MAJOR) k++;
    return versions[k];
}

typedef struct xg_llvm_state {
    xg_ctx *ctx;
    xg_arena *arena;
    const xg_target *target, *base; /* base: the target without its letter, which LLVM's part needs none of */
    xg_ptx *ptx;
} xg_llvm_state;

/* One compilation: everything of LLVM's is given back before a failure leaves it. */
typedef struct xg_llvm_job {
    xg_arena *arena;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef made;
    xg_str error, optimized, code;
    xg_str libdevice; /* bitcode that is linked; .p NULL: none */
    bool plain;       /* at O1: without vectors of what a thread does several times */
    const char *kernel;
} xg_llvm_job;

static void xg_llvm_diagnosed(LLVMDiagnosticInfoRef info, void *user) {
    xg_llvm_job *j = (xg_llvm_job *)user;
    char *text;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || j->error.n) return;
    text = LLVMGetDiagInfoDescription(info);
    j->error = xg_str_copy(j->arena, xg_str_z(text));
    LLVMDisposeMessage(text);
}
static bool xg_llvm_failed(xg_llvm_job *j, char *message) {
    if (!j->error.n) j->error = xg_str_copy(j->arena, xg_str_z(message ? message : "no reason was given"));
    if (message) LLVMDisposeMessage(message);
    return false;
}
static bool xg_llvm_parse(xg_llvm_job *j, xg_str ir) {
    LLVMMemoryBufferRef text;
    char *message = NULL;
    j->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(j->context, xg_llvm_diagnosed, j);
    text = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.p, ir.n, "kernel");
    if (LLVMParseIRInContext(j->context, text, &j->module, &message)) return xg_llvm_failed(j, message);
    return true;
}
/* Functions of another module; what the kernel does not call goes. They are part of the kernel: a call would have a
 * stack. */
static bool xg_llvm_link(xg_llvm_job *j, xg_str bitcode, const char *kernel) {
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.p, bitcode.n, "libdevice");
    LLVMModuleRef library = NULL;
    LLVMValueRef f;
    char *message = NULL;
    unsigned inline_kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
    if (LLVMParseIRInContext(j->context, text, &library, &message)) return xg_llvm_failed(j, message);
    LLVMSetTarget(library, LLVMGetTarget(j->module));
    LLVMSetDataLayout(library, LLVMGetDataLayoutStr(j->module));
    if (LLVMLinkModules2(j->module, library)) return xg_llvm_failed(j, NULL); /* it has disposed of the library */
    for (f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        if (LLVMIsDeclaration(f) || strcmp(LLVMGetValueName2(f, &n), kernel) == 0) continue;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, never);
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(j->context, inline_kind, 0));
    }
    for (f = LLVMGetFirstGlobal(j->module); f; f = LLVMGetNextGlobal(f)) { /* another kernel may have them, too */
        char name[200];
        size_t n;
        if (strncmp(LLVMGetValueName2(f, &n), "__cudart_", 9) != 0) continue;
        n = xg_format(name, sizeof name, "%s_%s", LLVMGetValueName2(f, &n), kernel);
        LLVMSetValueName2(f, name, n);
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    return true;
}
/* What this LLVM has no part for fails by name. */
static bool xg_llvm_machine(xg_llvm_job *j, const xg_cpu_target *t, LLVMRelocMode reloc) {
    char *message = NULL;
    LLVMTargetRef target;
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
    if (LLVMGetTargetFromTriple(t->triple, &target, &message)) return xg_llvm_failed(j, message);
    j->machine = LLVMCreateTargetMachine(
        target, t->triple, t->cpu, t->features, LLVMCodeGenLevelAggressive, reloc, LLVMCodeModelDefault);
    if (!j->machine) return xg_llvm_failed(j, NULL);
    if (!*LLVMGetDataLayoutStr(j->module)) {
        LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine);
        LLVMSetModuleDataLayout(j->module, layout);
        LLVMDisposeTargetData(layout);
    }
    return true;
}
static bool xg_llvm_passes(xg_llvm_job *j, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
    LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, 1);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
    LLVMErrorRef error = LLVMRunPasses(j->module, passes, j->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) return true;
    {
        char *text = LLVMGetErrorMessage(error);
        j->error = xg_str_copy(j->arena, xg_str_z(text));
        LLVMDisposeErrorMessage(text);
    }
    return false;
}
/* What looks up in a table is inlined when loops are vectors: until then it is a call, of which LLVM knows both
 * forms. */
static bool xg_llvm_inline_late(xg_llvm_job *j) {
    LLVMValueRef look = LLVMGetNamedFunction(j->module, "xg.look");
    unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    if (!LLVMGetNamedFunction(j->module, "xg.looks")) return true;
    if (look) {
        LLVMRemoveEnumAttributeAtIndex(look, LLVMAttributeFunctionIndex, never);
        LLVMAddAttributeAtIndex(look, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(j->context, always, 0));
    }
    return xg_llvm_passes(j, "always-inline,function(instcombine,early-cse)");
}
static bool xg_llvm_optimize(xg_llvm_job *j) {
    return xg_llvm_passes(j, j->plain ? "default<O1>" : "default<O3>") && xg_llvm_inline_late(j);
}
static bool xg_llvm_emit(xg_llvm_job *j, LLVMCodeGenFileType kind) {
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->module, kind, &message, &j->made))
        return xg_llvm_failed(j, message);
    j->code = xg_str_copy(j->arena, xg_str_of(LLVMGetBufferStart(j->made), (uint32_t)LLVMGetBufferSize(j->made)));
    return !j->error.n;
}
static bool xg_llvm_run(
    xg_llvm_job *j, xg_str ir, const xg_cpu_target *t, LLVMRelocMode reloc, LLVMCodeGenFileType kind, bool keep) {
    bool ok = xg_llvm_parse(j, ir) && xg_llvm_machine(j, t, reloc) &&
              (!j->libdevice.p || xg_llvm_link(j, j->libdevice, j->kernel)) && xg_llvm_optimize(j);
    if (ok && keep) {
        char *text = LLVMPrintModuleToString(j->module);
        j->optimized = xg_str_copy(j->arena, xg_str_z(text));
        LLVMDisposeMessage(text);
    }
    ok = ok && xg_llvm_emit(j, kind);
    if (j->made) LLVMDisposeMemoryBuffer(j->made);
    if (j->machine) LLVMDisposeTargetMachine(j->machine);
    if (j->module) LLVMDisposeModule(j->module);
    if (j->context) LLVMContextDispose(j->context);
    return ok;
}

/* ---- LLVM's text as an entry of the module's ---- */

/* Number of instructions: lines that begin with a tab and no dot. */
static uint32_t xg_llvm_count(xg_str s) {
    uint32_t n = 0, i;
    for (i = 0; i + 1 < s.n; i++)
        if (s.p[i] == '\t' && (i == 0 || s.p[i - 1] == '\n') && s.p[i + 1] != '.' && s.p[i + 1] != '/') n++;
    return n;
}
/* What stands behind `.address_size 64`; the version in front of it. */
static bool xg_llvm_behind_head(xg_str s, xg_str *rest, uint32_t *isa) {
    XG_TABLE const char version[] = ".version ", size[] = ".address_size 64";
    const char *at = NULL, *v = NULL;
    uint32_t i;
    for (i = 0; i + sizeof size <= s.n && !at; i++) {
        if (!v && memcmp(s.p + i, version, sizeof version - 1) == 0) v = s.p + i + sizeof version - 1;
        if (memcmp(s.p + i, size, sizeof size - 1) == 0) at = s.p + i + sizeof size - 1;
    }
    if (!at || !v || v + 3 > s.p + s.n) return false;
    *isa = (uint32_t)(v[0] - '0') * 10 + (uint32_t)(v[2] - '0');
    *rest = xg_str_of(at, (uint32_t)(s.p + s.n - at));
    return true;
}
/* The cluster's directives stand between the parameters and the body, which begins with the first '{' on a line. */
static xg_str xg_llvm_with_cluster(xg_arena *a, xg_str s, const xg_kfunc *f) {
    xg_buf b;
    uint32_t i = 0;
    if (!f->cluster) return s;
    while (i + 1 < s.n && !(s.p[i] == '\n' && s.p[i + 1] == '{')) i++;
    xg_buf_init(&b, a);
    xg_put_str(&b, xg_str_of(s.p, i));
    xg_printf(&b, "\n.explicitcluster\n.reqnctapercluster %u, 1, 1", f->cluster);
    xg_put_str(&b, xg_str_of(s.p + i, s.n - i));
    return xg_str_of(b.p, b.n);
}

/* ---- as a backend ---- */

static void *xg_llvm_begin_module(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d) {
    xg_llvm_state *s = XG_NEW(a, xg_llvm_state);
    xg_llvm_version own = xg_llvm_own_version();
    s->ctx = c;
    s->arena = a;
    s->target = t;
    s->base = xg_target_base(t);
    if (t->cc > own.cc)
        xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "LLVM %u makes code for sm_%u at most, not for %s; --backend=ptx does",
            (uint32_t)LLVM_VERSION_MAJOR, own.cc, t->name);
    s->ptx = xg_ptx_begin(c, a, t, d);
    return s;
}
static void xg_llvm_kernel(void *state, xg_kmodule *m, xg_backend_dump dump, void *user) {
    xg_llvm_state *s = (xg_llvm_state *)state;
    xg_llvm_version own = xg_llvm_own_version();
    const xg_kfunc *f;
    xg_llvm_ir ir;
    xg_llvm_job j;
    xg_cpu_target gpu = {NULL, "nvptx64-nvidia-cuda", s->base->name, NULL};
    xg_str entry;
    char features[16];
    uint32_t isa = 0;
    if (m->plain) m->libdevice.p = NULL;
    xg_ptx_prepare(s->ptx, m);
    xg_ptx_find_resident(s->ptx);
    if (m->plain || !xg_llvm_print(m->arena, m, s->target, &ir)) {
        if (m->libdevice.p) { /* the printer of PTX has no such functions */
            m->libdevice.p = NULL;
            xg_ptx_prepare(s->ptx, m);
        }
        xg_ptx_print_prepared(s->ptx);
        return;
    }
    f = m->entry ? m->entry : m->first;
    if (dump) dump(user, "llvm/before", ir.text);
    memset(&j, 0, sizeof j);
    j.arena = s->arena;
    if (ir.calls_libdevice) j.libdevice = m->libdevice;
    j.kernel = xg_str_copy(s->arena, f->name).p;
    isa = XG_MAX(ir.isa, s->base->isa);
    xg_format(features, sizeof features, "+ptx%u", XG_MIN(isa, own.isa));
    gpu.features = features;
    if (!xg_llvm_run(&j, ir.text, &gpu, LLVMRelocDefault, LLVMAssemblyFile, dump != NULL))
        xg_fail(s->ctx, XLAGPU_ERROR_INTERNAL, "LLVM does not take kernel '%.*s': %.*s", (int)f->name.n, f->name.p,
            (int)j.error.n, j.error.p);
    if (dump) dump(user, "llvm/after", j.optimized);
    if (!xg_llvm_behind_head(j.code, &entry, &isa))
        xg_fail(s->ctx, XLAGPU_ERROR_INTERNAL, "LLVM's text of kernel '%.*s' has no head", (int)f->name.n, f->name.p);
    entry = xg_llvm_with_cluster(s->arena, entry, f);
    xg_ptx_add(s->ptx, entry, XG_MAX(isa, ir.isa), xg_llvm_count(entry));
}
static uint32_t xg_llvm_finish(void *state, xg_texts *out) { return xg_ptx_finish(((xg_llvm_state *)state)->ptx, out); }
static const xg_backend xg_llvm_backend_row = {"llvm", xg_llvm_begin_module, xg_llvm_kernel, xg_llvm_finish, true};

/* ---- "llvm-cpu": object code for the processor of a host ---- */

typedef struct xg_cpu_state {
    xg_ctx *ctx;
    xg_arena *arena;
    const xg_target *target;
    const xg_cpu_target *row;
    xg_ptx *ptx; /* makes kernels legal */
    xg_texts objects;
    uint32_t n;
} xg_cpu_state;

static void *xg_cpu_begin(xg_ctx *c, xg_arena *a, const xg_target *t, const xg_device *d) {
    xg_cpu_state *s = XG_NEW(a, xg_cpu_state);
    s->ctx = c;
    s->arena = a;
    s->target = t;
    s->row = xg_cpu_target_of(t);
    s->ptx = xg_ptx_begin(c, a, t, d);
    return s;
}
/* The SLP vectorizer of LLVM 19 mixes up rows of a gather whose indices are clamped (ragged_dots of tests/corpus, for
 * x86-64-v4; for v3, and by LLVM 16, it is right), and no option of its C API leaves it out of O3. */
static bool xg_cpu_clamps(const xg_kregion *r) {
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        if (op->op == XG_K_OP_MINSI || op->op == XG_K_OP_MAXSI) return true;
        for (k = 0; k < op->n_regions; k++)
            if (xg_cpu_clamps(op->regions[k])) return true;
    }
    return false;
}
static void xg_cpu_kernel(void *state, xg_kmodule *m, xg_backend_dump dump, void *user) {
    xg_cpu_state *s = (xg_cpu_state *)state;
    const xg_kfunc *f;
    const xg_kop *lacks;
    xg_llvm_job j;
    xg_str ir;
    xg_exe_object head;
    xg_buf b;
    m->libdevice.p = NULL; /* that is code for GPUs */
    xg_ptx_prepare(s->ptx, m);
    f = m->entry ? m->entry : m->first;
    lacks = xg_cpu_print(m->arena, m, s->target, &ir);
    if (lacks)
        xg_fail(s->ctx, XLAGPU_ERROR_UNSUPPORTED, "kernel '%.*s' has %s, which no processor of a host has",
            (int)f->name.n, f->name.p, xg_kop_name(lacks->op));
    if (dump) dump(user, "llvm/before", ir);
    memset(&j, 0, sizeof j);
    j.arena = s->arena;
    j.plain = LLVM_VERSION_MAJOR >= 19 && strcmp(s->row->name, "x86-64-v4") == 0 && xg_cpu_clamps(f->body);
    if (!xg_llvm_run(&j, ir, s->row, LLVMRelocPIC, LLVMObjectFile, dump != NULL))
        xg_fail(s->ctx, XLAGPU_ERROR_INTERNAL, "LLVM does not take kernel '%.*s' for %s: %.*s", (int)f->name.n,
            f->name.p, s->row->name, (int)j.error.n, j.error.p);
    if (dump) dump(user, "llvm/after", j.optimized);
    memset(&head, 0, sizeof head);
    memcpy(head.magic, XG_EXE_OBJECT_MAGIC, sizeof head.magic);
    head.bytes = (uint32_t)j.code.n;
    head.n_params = f->body->n_args;
    xg_buf_init(&b, s->arena);
    xg_put_str(&b, xg_str_of((const char *)&head, sizeof head));
    xg_put_str(&b, j.code);
    while (b.n % XG_EXE_ALIGN) xg_putc(&b, 0);
    xg_texts_add(&s->objects, s->arena, xg_str_of(b.p, b.n));
    s->n++;
}
static uint32_t xg_cpu_finish(void *state, xg_texts *out) {
    *out = ((xg_cpu_state *)state)->objects;
    return 0;
}
static const xg_backend xg_cpu_backend_row = {"llvm-cpu", xg_cpu_begin, xg_cpu_kernel, xg_cpu_finish, false};

#endif /* XLAGPU_USE_LLVM */

XG_FN const xg_backend *xg_backend_for(xg_ctx *c, const xg_backend *asked, const xg_target *t) {
    bool cpu = t->suffix == XG_TARGET_CPU;
    if (!cpu && asked && strcmp(asked->name, "llvm-cpu") == 0)
        xg_fail(c, XLAGPU_ERROR_USAGE, "the backend llvm-cpu makes no code for %s; name a target such as x86-64-v3",
            t->name);
    if (!cpu) return asked ? asked : xg_ptx_backend();
#ifdef XLAGPU_USE_LLVM
    return &xg_cpu_backend_row;
#else
    xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "LLVM makes the code for %s, and is not in this build: define XLAGPU_USE_LLVM",
        t->name);
#endif
}
XG_FN const xg_backend *xg_backend_find(xg_ctx *c, xg_str name) {
    const char *nearby;
    if (!name.n || xg_str_is(name, "ptx")) return xg_ptx_backend();
#ifndef XLAGPU_SMALL
    if (xg_str_is(name, "llvm-ir")) return &xg_llvm_ir_backend_row;
#endif
    if (xg_word_in("llvm llvm-cpu", name) >= 0) {
#ifdef XLAGPU_USE_LLVM
        return name.n > 4 ? &xg_cpu_backend_row : &xg_llvm_backend_row;
#else
        xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "the backend %.*s is not in this build: define XLAGPU_USE_LLVM",
            (int)name.n, name.p);
#endif
    }
    nearby = xg_nearest(name, xg_backend_name_at, NULL);
    xg_fail(c, XLAGPU_ERROR_USAGE, "no backend is called '%.*s'; there are ptx, llvm and llvm-ir%s%s%s",
        (int)XG_MIN(name.n, 40u), name.p, nearby ? ": did you mean '" : "", nearby ? nearby : "", nearby ? "'?" : "");
}

#endif /* XG_LLVM_COMPILE_C */
