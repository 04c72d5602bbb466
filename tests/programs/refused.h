/* tests/programs/refused.h -- calls of the runtime with one thing missing: no device, one that did not open, no room
 * for what is asked. For api.c; include it behind both headers and expect.h. */
#ifndef XLAGPU_TESTS_REFUSED_H
#define XLAGPU_TESTS_REFUSED_H

static const char refused_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 a, .param "
    ".u64 b) {\nret;\n}\n.visible .entry l(.param .u32 a) {\nret;\n}\n";

/* Every call says that there is no device; none writes anything. */
static void refused_by(xlagpu_device *d) {
    static const int64_t dims[1] = {4};
    xlagpu_buffer b;
    xlagpu_target_desc target;
    xlagpu_tensor_map map;
    xlagpu_texture texture;
    xlagpu_rt_function_desc f;
    xlagpu_ptx_launch launch;
    xlagpu_kernel_stats stats;
    char bytes[128] = {0};
    uint32_t at = 7, size = 7;
    memset(&map, 0, sizeof map);
    memset(&texture, 0, sizeof texture);
    memset(&f, 0, sizeof f);
    memset(&launch, 0, sizeof launch);
    memset(&stats, 1, sizeof stats);
    memset(&b, 0, sizeof b);
    EXPECT(xlagpu_rt_target_desc(d, &target) == XLAGPU_ERROR_USAGE && !target.name);
    EXPECT(xlagpu_rt_alloc(d, 4, &b) == XLAGPU_ERROR_USAGE && !b.address && !b.bytes);
    EXPECT(xlagpu_rt_upload(d, b, bytes, 0) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_download(d, bytes, b, 0) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_wait(d, NULL) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_register_function(d, &f) == XLAGPU_ERROR_USAGE);
    EXPECT(!xlagpu_rt_load_ptx(d, "k", refused_ptx, sizeof refused_ptx - 1));
    EXPECT(xlagpu_rt_launch_ptx(d, "k", refused_ptx, sizeof refused_ptx - 1, &launch, &stats) == XLAGPU_ERROR_USAGE);
    EXPECT(!stats.name);
    EXPECT(xlagpu_rt_encode_tensor_map(d, &map, bytes) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_make_texture(d, &texture, &b) == XLAGPU_ERROR_USAGE);
    EXPECT(xlagpu_rt_describe_buffer(d, b, "b", 4, dims, 1) == XLAGPU_ERROR_USAGE);
    EXPECT(!xlagpu_rt_fault(d, 0) && !xlagpu_rt_load(d, bytes, sizeof bytes));
    EXPECT(!d == !xlagpu_rt_ptx_parameter(d, "k", refused_ptx, sizeof refused_ptx - 1, "k", 0, &at, &size));
    xlagpu_rt_forget_contents(d, b);
    xlagpu_rt_free(d, b);
    EXPECT_TEXT(xlagpu_rt_platform(d), "none");
}
/* A device lacks nothing; what it is asked to do lacks one thing, and the message says which. */
static void refused_parts(xlagpu_device *d) {
    static const int64_t dims[2] = {2, -1};
    xlagpu_buffer b;
    xlagpu_tensor_map map;
    xlagpu_ptx *p;
    xlagpu_ptx_launch launch;
    char bytes[128], name[200];
    uint32_t at = 0, size = 0;
    xlagpu_rt_function_desc f;
    memset(&map, 0, sizeof map);
    memset(&f, 0, sizeof f);
    memset(&launch, 0, sizeof launch);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
#define SAYS(call, status, text) \
    do { \
        EXPECT((call) == (status)); \
        EXPECT_TEXT(xlagpu_rt_error(d), text); \
    } while (0)
    EXPECT(xlagpu_rt_alloc(d, 4, &b) == XLAGPU_OK);
    SAYS(xlagpu_rt_upload(d, b, bytes, 5), XLAGPU_ERROR_USAGE, "uploading 5 bytes into a buffer of 4");
    SAYS(xlagpu_rt_upload(d, b, NULL, 4), XLAGPU_ERROR_USAGE, "uploading 4 bytes from nowhere");
    SAYS(xlagpu_rt_download(d, bytes, b, 5), XLAGPU_ERROR_USAGE, "downloading 5 bytes from a buffer of 4");
    SAYS(xlagpu_rt_download(d, NULL, b, 4), XLAGPU_ERROR_USAGE, "downloading 4 bytes to nowhere");
    EXPECT(xlagpu_rt_upload(d, b, NULL, 0) == XLAGPU_OK && xlagpu_rt_download(d, NULL, b, 0) == XLAGPU_OK);
    EXPECT(xlagpu_rt_describe_buffer(d, b, "b", 2, dims, 2) == XLAGPU_OK &&
           xlagpu_rt_describe_buffer(d, b, "b", 2, NULL, 0) == XLAGPU_OK &&
           xlagpu_rt_describe_buffer(d, b, NULL, 2, dims, 2) == XLAGPU_ERROR_USAGE);
    xlagpu_rt_free(d, b);
    SAYS(xlagpu_rt_register_function(d, NULL), XLAGPU_ERROR_USAGE, "a function needs a name");
    f.name = "";
    SAYS(xlagpu_rt_register_function(d, &f), XLAGPU_ERROR_USAGE, "a function needs a name");
    f.name = name;
    SAYS(xlagpu_rt_register_function(d, &f), XLAGPU_ERROR_USAGE, "a function needs a name");
    f.name = "f";
    SAYS(xlagpu_rt_register_function(d, &f), XLAGPU_ERROR_USAGE,
        "a function needs a name of 1 to 127 characters, and its "
        "address");
    EXPECT(!xlagpu_rt_load_ptx(d, "k", NULL, 0));
    EXPECT_TEXT(xlagpu_rt_error(d), "there is no PTX");
    SAYS(xlagpu_rt_launch_ptx(d, "k", NULL, 0, &launch, NULL), XLAGPU_ERROR_USAGE, "there is no PTX");
    SAYS(xlagpu_rt_launch_ptx(d, "k", refused_ptx, sizeof refused_ptx - 1, NULL, NULL), XLAGPU_ERROR_USAGE,
        "there is no launch");
    SAYS(xlagpu_rt_encode_tensor_map(d, NULL, bytes), XLAGPU_ERROR_USAGE, "there is no tensor");
    SAYS(xlagpu_rt_encode_tensor_map(d, &map, NULL), XLAGPU_ERROR_USAGE, "no room for the tensor map");
    SAYS(xlagpu_rt_encode_tensor_map(d, &map, bytes), XLAGPU_ERROR_USAGE, "rank 1 to 5, not 0");
    map.rank = 6;
    SAYS(xlagpu_rt_encode_tensor_map(d, &map, bytes), XLAGPU_ERROR_USAGE, "rank 1 to 5, not 6");
    /* of one kernel, by its name or as the only one, and of one that is loaded */
#define PARAMETER(text, entry, index) xlagpu_rt_ptx_parameter(d, NULL, text, sizeof text - 1, entry, index, &at, &size)
    EXPECT(PARAMETER(refused_ptx, "k", 1) && at == 8 && size == 8 && PARAMETER(refused_ptx, "l", 0) && at == 0 &&
           size == 4);
    EXPECT(!PARAMETER(refused_ptx, "k", 2) && !PARAMETER(refused_ptx, "l", 1));
    EXPECT(!PARAMETER(refused_ptx, NULL, 0));
    EXPECT_TEXT(xlagpu_rt_error(d), "ptx");
    EXPECT(!PARAMETER(refused_ptx, "m", 0));
    p = xlagpu_rt_load_ptx(d, NULL, refused_ptx, sizeof refused_ptx - 1);
    EXPECT(p && PARAMETER(refused_ptx, "k", 0) && at == 0 && size == 4);
    xlagpu_rt_unload_ptx(p);
    xlagpu_rt_unload_ptx(NULL);
#undef PARAMETER
    EXPECT(!xlagpu_rt_ptx_parameter(d, NULL, refused_ptx, 9, "k", 0, NULL, &size) &&
           !xlagpu_rt_ptx_parameter(d, NULL, refused_ptx, 9, "k", 0, &at, NULL) &&
           !xlagpu_rt_ptx_parameter(d, NULL, NULL, 9, "k", 0, &at, &size));
#undef SAYS
}
static void refused(xlagpu_device *device) {
    xlagpu_device_desc desc;
    xlagpu_device *none = NULL;
    memset(&desc, 0, sizeof desc);
    desc.platform = "a platform";
    EXPECT(xlagpu_rt_open(&desc, &none) != XLAGPU_OK && none);
    EXPECT(xlagpu_rt_error_status(none) != XLAGPU_OK && xlagpu_rt_error_status(NULL) == XLAGPU_ERROR_MEMORY);
    EXPECT(!*xlagpu_rt_note(NULL) && !*xlagpu_rt_name(NULL) && !*xlagpu_rt_target(NULL));
    refused_by(NULL);
    refused_by(none);
    xlagpu_rt_close(none);
    refused_parts(device);
}

#endif /* XLAGPU_TESTS_REFUSED_H */
