/* compile_only.c -- the compiler alone: HLO text from a file in, PTX out. It needs no GPU, no driver and no runtime
 * header.
 *     cc examples/compile_only.c -o compile_only -lm && ./compile_only examples/gelu.hlo sm_90a */
#define XLAGPU_IMPLEMENTATION
#include "../xlagpu.h"
#include <stdio.h>
#include <stdlib.h>

/* The whole file; malloc'ed. */
static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text = NULL, *more;
    size_t room = 0, n = 1;
    *size = 0;
    while (f && n) {
        if (*size == room) {
            room = room ? room * 2 : 65536;
            more = (char *)realloc(text, room);
            if (!more) break;
            text = more;
        }
        n = fread(text + *size, 1, room - *size, f);
        *size += n;
    }
    if (f) fclose(f);
    return text;
}

int main(int argc, char **argv) {
    size_t size;
    char *text = argc > 1 ? read_file(argv[1], &size) : NULL;
    xlagpu_context *context;
    xlagpu_module *module;
    xlagpu_compile_desc desc = {0};
    xlagpu_bytes exe = {0}, ptx;
    if (!text) {
        fprintf(stderr, "usage: compile_only FILE.hlo [sm_90a]\n");
        return 2;
    }
    context = xlagpu_create(NULL);
    module = xlagpu_parse(context, argv[1], text, size);
    if (argc > 2) desc.target.name = argv[2];
    if (module) exe = xlagpu_compile(module, &desc);
    ptx = xlagpu_executable_ptx(exe);
    if (!exe.data)
        fprintf(stderr, "%s\n", xlagpu_error(context));
    else if (ptx.data)
        fputs((const char *)ptx.data, stdout);
    else
        fprintf(stderr, "%s: there is nothing to compute, only copies: no kernel, no PTX\n", argv[1]);
    xlagpu_destroy(context);
    free(text);
    return exe.data ? 0 : 2;
}
