/* tests/programs/weights.c -- packages/c/xlagpu_weights.h: files of weights, whole and damaged, and whose parameters
 * they are.
 *
 * Law: a file is refused with a message that says why, or its arrays lie inside it; a parameter gets the one array that
 * its name means, or the message names both. Best under -fsanitize=address,undefined. Ends with "N passed, N failed".
 */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#define XLAGPU_WEIGHTS_IMPLEMENTATION
#include "../../packages/c/xlagpu_weights.h"
#include "expect.h"

enum {
    FILE_ROOM = 1 << 16
};
static unsigned char file[FILE_ROOM];
static char message[1024];

/* A safetensors file: this header, then so many bytes 0, 1, 2 ... */
static size_t tensors(const char *header, size_t data) {
    size_t n = strlen(header), k;
    for (k = 0; k < 8; k++) file[k] = (unsigned char)((uint64_t)n >> (8 * k));
    memcpy(file + 8, header, n);
    for (k = 0; k < data; k++) file[8 + n + k] = (unsigned char)k;
    return 8 + n + data;
}
static xlagpu_weights *open_tensors(const char *header, size_t data) {
    return xlagpu_weights_read("w", file, tensors(header, data), message, sizeof message);
}
static const char one[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}";

/* ---- what is read ---- */

static void good(void) {
    static const char header[] = " {\"__metadata__\":{\"format\":\"pt\",\"a\\\\\":\"\\u00e9\"} , "
                                 "\"b.\\u00e9\\ud83d\\ude00\" : {\"shape\":[ ],\"data_offsets\":[8, 9],\"dtype\":"
                                 "\"F8_E4M3\"},\"a\":{\"dtype\":\"BF16\",\"shape\":[2,1,2],\"data_offsets\":[0,8]},"
                                 "\"none\":{\"dtype\":\"I64\",\"shape\":[0,5],\"data_offsets\":[9,9]}}  \n";
    xlagpu_weights *w = open_tensors(header + 1, 9);
    const xlagpu_weights_array *a;
    EXPECT_TEXT(message, "");
    EXPECT(w && xlagpu_weights_count(w) == 3 && !xlagpu_weights_at(w, 3));
    a = w ? xlagpu_weights_find(w, "a") : NULL;
    EXPECT(a && a->rank == 3 && a->dims[2] == 2 && a->bytes == 8 && a->item == 2 && strcmp(a->type, "bf16") == 0 &&
           a->data == file + 8 + strlen(header + 1));
    a = w ? xlagpu_weights_find(w, "b.\xC3\xA9\xF0\x9F\x98\x80") : NULL;
    EXPECT(a && a->rank == 0 && a->bytes == 1 && *a->data == 8 && strcmp(a->type, "f8e4m3fn") == 0);
    a = w ? xlagpu_weights_find(w, "none") : NULL;
    EXPECT(a && a->bytes == 0 && a->dims[1] == 5);
    EXPECT(w && !xlagpu_weights_find(w, "A"));
    xlagpu_weights_close(w);
    w = open_tensors("{}", 0);
    EXPECT(w && xlagpu_weights_count(w) == 0);
    xlagpu_weights_close(w);
    xlagpu_weights_close(NULL);
}

/* ---- what is refused ---- */

#define ARRAY(type, shape, offsets) "{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]}"
static void bad(void) {
    static const struct {
        const char *header;
        size_t data;
        const char *message;
    } rows[] = {
        {"{\"a\":" ARRAY("F32", "2,3", "0,24") "}", 23, "'a': its data lie beyond the end of the file"},
        {"{\"a\":" ARRAY("F32", "2,3", "0,24") "}", 25, "behind its last array lie data of no array"},
        {"{\"a\":" ARRAY("F32", "2,3", "0,20") "}", 20, "'a': its data have another size than its shape and type"},
        {"{\"a\":" ARRAY("F32", "2,3", "24,0") "}", 24, "'a': its data lie beyond the end of the file"},
        {"{\"a\":" ARRAY("F32", "6", "0,24") ",\"b\":" ARRAY("F32", "6", "0,24") "}", 24,
            "its data lie on another array's"},
        {"{\"a\":" ARRAY("F32", "6", "0,24") ",\"b\":" ARRAY("F32", "6", "20,44") "}", 44,
            "'b': its data lie on another array's"},
        {"{\"a\":" ARRAY("U8", "2", "0,2") ",\"b\":" ARRAY("U8", "2", "3,5") "}", 5,
            "'b': in front of it lie data of no array"},
        {"{\"a\":" ARRAY("U8", "1", "0,1") ",\"a\":" ARRAY("U8", "1", "1,2") "}", 2, "'a': two arrays have this name"},
        {"{\"a\":" ARRAY("F31", "1", "0,4") "}", 4, "'a': its type is not known"},
        {"{\"a\":" ARRAY("F4", "2", "0,1") "}", 1, "'a': its elements are parts of bytes, which are not read"},
        {"{\"a\":" ARRAY("F32", "4611686018427387905,4", "0,16") "}", 16, "'a': its size overflows"},
        {"{\"a\":" ARRAY("F32", "99999999999999999999", "0,4") "}", 4, "a number is too large"},
        {"{\"a\":" ARRAY("F32", "-1", "0,4") "}", 4, "a whole number is missing"},
        {"{\"a\":" ARRAY("F32", "1.5", "0,4") "}", 4, "']' is missing"},
        {"{\"a\":" ARRAY("F32", "1", "0,4,8") "}", 4, "a list is too long"},
        {"{\"a\":" ARRAY("F32", "1", "0") "}", 4, "dtype, shape or data_offsets is missing"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "dtype, shape or data_offsets is missing"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 4, "an array says it twice"},
        {"{\"a\":{\"strides\":[1]}}", 4, "an array has dtype, shape and data_offsets"},
        {"{\"a\":{}}", 0, "its header is damaged at byte 14: '\"' is missing"},
        {"{\"a\" 1}", 0, "':' is missing"},
        {"{\"a", 0, "a string does not end"},
        {"{\"\\u0000\":1}", 0, "a name with a zero in it"},
        {"{\"\\ud800x\":1}", 0, "half a character"},
        {"{\"\\udc00\":1}", 0, "half a character"},
        {"{\"\\uq000\":1}", 0, "an escape is not hexadecimal"},
        {"{\"\\x\":1}", 0, "an escape is not known"},
        {"{\"\n\":1}", 0, "a control character in a string"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "'\"' is missing"},
        {"{} {}", 0, "something stands behind it"},
        {"{\"a\":" ARRAY("U8", "1", "0,1") "", 1, "'}' is missing"},
    };
    size_t k, n;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        xlagpu_weights *w = open_tensors(rows[k].header, rows[k].data);
        EXPECT(!w);
        EXPECT_TEXT(message, rows[k].message);
        xlagpu_weights_close(w);
    }
    n = tensors(one, 24);
    file[1] = 1; /* a header of 256 bytes more */
    EXPECT(!xlagpu_weights_read("w", file, n, message, sizeof message));
    EXPECT_TEXT(message, "w: error: it is truncated: its header does not end");
    file[4] = 1;
    EXPECT(!xlagpu_weights_read("w", file, n, message, sizeof message));
    EXPECT_TEXT(message, "its header claims more than 100 MB");
    EXPECT(!xlagpu_weights_read("i", "{\"weight_map\":{}}", 17, message, sizeof message));
    EXPECT_TEXT(message, "give each safetensors file, not their index");
    EXPECT(!xlagpu_weights_open("build/no/such/file", message, sizeof message));
    EXPECT_TEXT(message, "there is no such file");
    EXPECT(!xlagpu_weights_open("build/no/such/file", NULL, 0));
}
/* Every cut, and every byte with each of its bits flipped. */
static bool inside(const xlagpu_weights *w, const unsigned char *p, size_t n) {
    size_t k;
    for (k = 0; k < xlagpu_weights_count(w); k++) {
        const xlagpu_weights_array *a = xlagpu_weights_at(w, k);
        if (a->data < p || a->data > p + n || a->bytes > (size_t)(p + n - a->data)) return false;
    }
    return true;
}
static void damaged(void) {
    size_t n = tensors("{\"__metadata__\":{\"f\":\"\\u0041\"},\"a.b\":" ARRAY("F32", "2,3", "0,24") ",\"c\":" ARRAY(
                           "BOOL", "", "24,25") "}",
               25),
           k, ok = 0, all = 0;
    int bit;
    for (k = 0; k <= 8 * n; k++) {
        size_t size = k % 8 ? n : k / 8;
        unsigned char *p = (unsigned char *)malloc(size + !size); /* so that ASan sees its end */
        xlagpu_weights *w;
        memcpy(p, file, size);
        w = xlagpu_weights_read("w", p, size, message, sizeof message);
        ok += w ? inside(w, p, size) : *message != 0;
        all++;
        xlagpu_weights_close(w);
        for (bit = 0; bit < 8 && !(k % 8) && k / 8 < n; bit++, all++) {
            file[k / 8] ^= (unsigned char)(1 << bit);
            w = xlagpu_weights_read("w", file, n, message, sizeof message);
            ok += w ? inside(w, file, n) : *message != 0;
            xlagpu_weights_close(w);
            file[k / 8] ^= (unsigned char)(1 << bit);
        }
        free(p);
    }
    EXPECT(ok == all);
}

/* ---- names ---- */

static void names(void) {
    static const struct {
        const char *arrays, *parameter, *want; /* "": none; "?": several */
    } rows[] = {
        {"Dense_0.kernel Dense_0.bias", "params__Dense_0____kernel__", "Dense_0.kernel"},
        {"params/Dense_0/kernel Dense_0", "params__Dense_0____kernel__", "params/Dense_0/kernel"},
        {"model.params.Dense_0.kernel", "params__Dense_0____kernel__", "model.params.Dense_0.kernel"},
        {"params.Dense_0.kernel", "w__Dense_0____kernel__", "params.Dense_0.kernel"},
        {"params.params.Dense_0.kernel", "w__Dense_0____kernel__", ""},
        {"model.layers.0.w model.layers.1.w", "layers_1__w", "model.layers.1.w"},
        {"a.w b.w", "w", "?"},
        {"a.w b.w", "b__w", "b.w"},
        {"a.w w", "w", "w"},
        {"w w.1", "w.1", "w.1"},
        {"w v", "w.1", "w"},
        {"w v", "w.1x", ""},
        {"Arg_0", "Arg_0.17", "Arg_0"},
        {"kernel", "params__Dense_0____kernel__", ""}, /* three words in front */
        {"Dense0.kernel", "Dense_0__kernel", ""},
        {"x_y x.y", "x_y", "x_y"},
        {"x_y x.y", "x__y", "?"},
        {"w", "", ""},
        {"w", "...", ""},
    };
    size_t k;
    for (k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char header[1024] = "{", copy[256], *name;
        const xlagpu_weights_array *a, *other = NULL;
        xlagpu_weights *w;
        snprintf(copy, sizeof copy, "%s", rows[k].arrays);
        for (name = strtok(copy, " "); name; name = strtok(NULL, " "))
            snprintf(header + strlen(header), sizeof header - strlen(header), "%s\"%s\":" ARRAY("U8", "0", "0,0"),
                header[1] ? "," : "", name);
        strcat(header, "}");
        w = open_tensors(header, 0);
        EXPECT(w != NULL);
        if (!w) continue;
        a = xlagpu_weights_match(w, rows[k].parameter, &other);
        EXPECT_TEXT(a ? a->name : other ? "?" : "", rows[k].want);
        EXPECT(strcmp(a ? a->name : other ? "?" : "", rows[k].want) == 0);
        xlagpu_weights_close(w);
    }
}
/* Names of no words, and names of the same words, are no slower than others. */
static void many_names(void) {
    enum {
        MANY = 20000
    };
    size_t room = MANY * 100, n = 8, k;
    unsigned char *p = (unsigned char *)malloc(room);
    char name[16];
    xlagpu_weights *w;
    int bit;
    n += (size_t)sprintf((char *)p + n, "{");
    for (k = 0; k < MANY; k++) {
        for (bit = 0; bit < 15; bit++) name[bit] = k >> bit & 1 ? '.' : '/';
        name[15] = 0;
        n += (size_t)sprintf((char *)p + n, "%s\"%s\":" ARRAY("U8", "0", "0,0"), k ? "," : "", name);
    }
    p[n++] = '}';
    for (k = 0; k < 8; k++) p[k] = (unsigned char)((uint64_t)(n - 8) >> (8 * k));
    w = xlagpu_weights_read("many", p, n, message, sizeof message);
    EXPECT(w && xlagpu_weights_count(w) == MANY && xlagpu_weights_find(w, name));
    xlagpu_weights_close(w);
    free(p);
}

/* ---- the parameters of a program ---- */

static const char module[] = "HloModule m\nENTRY e {\n  b = f32[3]{0} parameter(0)\n  params__w__ = f32[2,3]{1,0} "
                             "parameter(1)\n  x.1 = f32[2,3]{1,0} parameter(2)\n  y = f32[2,3]{1,0} multiply(x.1, "
                             "params__w__)\n  c = f32[2,3]{1,0} broadcast(b), dimensions={1}\n  ROOT r = f32[2,3]{1,0} "
                             "add(y, c)\n}\n";
static xlagpu_device *device;
static xlagpu_program *load(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(c, "m.hlo", module, strlen(module));
    xlagpu_compile_desc desc;
    xlagpu_device_desc host;
    xlagpu_program *p = NULL;
    xlagpu_bytes exe;
    memset(&desc, 0, sizeof desc);
    memset(&host, 0, sizeof host);
    host.platform = "host";
    exe = xlagpu_compile(m, &desc);
    if (exe.data && xlagpu_rt_open(&host, &device) == XLAGPU_OK) p = xlagpu_rt_load(device, exe.data, exe.size);
    xlagpu_destroy(c);
    return p;
}
#define WEIGHTS(b_type, b_shape, b_end, w_name, data_end, more) \
    "{\"params.b\":" ARRAY(b_type, b_shape, "0," b_end) ",\"" w_name "\":" ARRAY("F32", "2,3", b_end "," data_end) \
        more "}"
static void bound(const char *header, size_t data, bool want, const char *says, xlagpu_program *p) {
    float x[6] = {1, 2, 3, 4, 5, 6};
    xlagpu_rt_tensor in[3];
    xlagpu_weights *w = open_tensors(header, data);
    EXPECT_TEXT(message, "");
    if (!w) return;
    memset(in, 0, sizeof in);
    in[2].data = x;
    in[2].bytes = sizeof x;
    EXPECT(xlagpu_weights_bind(w, p, in, 3, message, sizeof message) == want);
    EXPECT_TEXT(message, says);
    if (want) EXPECT(in[0].data == file + 8 + strlen(header) && in[1].bytes == 24 && in[2].data == x);
    xlagpu_weights_close(w);
}
static void binding(void) {
    xlagpu_program *p = load();
    EXPECT(p != NULL);
    if (!p) return;
    bound(WEIGHTS("F32", "3", "12", "w", "36", ""), 36, true, "", p);
    bound(
        WEIGHTS("F32", "3", "12", "w", "36", ",\"z\":" ARRAY("U8", "1", "36,37")), 37, true, "no parameter takes z", p);
    bound(WEIGHTS("F32", "3", "12", "v", "36", ""), 36, false, "w: error: params__w__ f32[2,3] is missing", p);
    bound(WEIGHTS("F16", "6", "12", "w", "36", ""), 36, false, "b f32[3] is params.b f16[6] in the file", p);
    bound(WEIGHTS("I32", "3", "12", "w", "36", ""), 36, false, "b f32[3] is params.b s32[3] in the file", p);
    bound("{}", 0, false, "b f32[3] is missing; params__w__ f32[2,3] is missing", p);
    bound("{\"a.b\":" ARRAY("F32", "3", "0,12") ",\"c.b\":" ARRAY("F32", "3", "12,24") "}", 24, false,
        "b f32[3] is one of several arrays, such as 'c.b'; params__w__ f32[2,3] is missing", p);
    xlagpu_rt_close(device);
}

int main(void) {
    good();
    bad();
    damaged();
    names();
    many_names();
    binding();
    return finish();
}
