/* binding.c -- what the Python module calls beside the public functions: structures made and read here, where the
 * compiler knows their layout. Compiled into the shared library of the package by build_xlagpu.py. */
#include <string.h>

XLAGPU_DEF xlagpu_device *xlagpu_py_open(
    const char *platform, uint32_t threads, const char *cache, xlagpu_status *status) {
    xlagpu_device_desc d;
    xlagpu_device *device = NULL;
    memset(&d, 0, sizeof d);
    d.platform = platform;
    d.threads = threads;
    d.cache = cache;
    *status = xlagpu_rt_open(&d, &device);
    return device;
}

/* For the device, unless a target is named. The bytes belong to the module. */
XLAGPU_DEF const unsigned char *xlagpu_py_compile(xlagpu_module *m, xlagpu_device *device, const char *target,
    const char *disable_passes, uint32_t ftz, size_t *size) {
    xlagpu_compile_desc d;
    xlagpu_bytes made;
    memset(&d, 0, sizeof d);
    d.target.name = target;
    d.disable_passes = disable_passes;
    d.ftz = ftz != 0;
    d.keep_hlo = true;
    if (device && !target) (void)xlagpu_rt_target_desc(device, &d.target);
    made = xlagpu_compile(m, &d);
    *size = made.size;
    return made.data;
}

typedef struct xlagpu_py_value {
    const char *type, *name;
    const int64_t *dims;
    uint64_t bytes;
    uint32_t rank, size_of;
} xlagpu_py_value;
/* which: 0 a parameter, 1 a result. Of a program or of a module: the other is NULL. */
XLAGPU_DEF uint32_t xlagpu_py_info(
    const xlagpu_program *p, const xlagpu_module *m, uint32_t which, uint32_t index, xlagpu_py_value *out) {
    xlagpu_rt_value r;
    xlagpu_value_info v;
    xlagpu_type type;
    bool ok;
    memset(&r, 0, sizeof r);
    memset(&v, 0, sizeof v);
    if (p)
        ok = which ? xlagpu_rt_result(p, index, &r) : xlagpu_rt_parameter(p, index, &r);
    else
        ok = which ? xlagpu_result_info(m, index, &v) : xlagpu_parameter_info(m, index, &v);
    type = p ? r.type : v.type;
    out->type = ok ? xlagpu_type_text(type) : "";
    out->name = p ? r.name : v.name;
    out->dims = p ? r.dims : v.dims;
    out->bytes = p ? r.bytes : v.bytes;
    out->rank = p ? r.rank : v.rank;
    out->size_of = p ? r.size_of : v.size_of;
    return ok;
}

XLAGPU_DEF const unsigned char *xlagpu_py_ptx(const unsigned char *exe, size_t size, size_t *ptx_size) {
    xlagpu_bytes in, out;
    in.data = exe;
    in.size = size;
    out = xlagpu_executable_ptx(in);
    *ptx_size = out.size;
    return out.data;
}

XLAGPU_DEF const char *xlagpu_py_version(void) { return XLAGPU_VERSION; }
