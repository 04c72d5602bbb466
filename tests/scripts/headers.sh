#!/bin/sh
# tests/scripts/headers.sh -- the two headers as users include them: either order, one unit or two, static copies,
# C++, after what other headers define. Each case is a few generated lines; most must also link and run. Ends with "N
# passed, N failed".
set -u
. tests/scripts/tally.sh
W=build/headers
rm -rf $W
mkdir -p $W
H="-I."
# What is tried here does not depend on the compiler, so the fastest will do, unless one was asked for.
[ "$CC" = cc ] && have clang && have clang++ && CC=clang && CXX=clang++

# file NAME LINES...
file() { name=$1; shift; printf '%s\n' "$@" > "$W/$name"; }
I='#define XLAGPU_IMPLEMENTATION'
C='#include "xlagpu.h"'
R='#include "xlagpu_runtime.h"'

# A use of both: compiles on the spot, opens the simulator, runs x + x. `use` is a function so that several units can
# carry it.
cat > $W/use.h <<'END'
#include <string.h>
static int use_both(void) {
    const char *text = "ENTRY main { x = f32[4] parameter(0)\n ROOT y = f32[4] add(x, x) }";
    float in[4] = {1, 2, 3, 4}, out[4] = {0, 0, 0, 0};
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(c, "use", text, strlen(text));
    xlagpu_bytes exe = xlagpu_compile(m, NULL);
    xlagpu_device_desc d;
    xlagpu_device *dev = NULL;
    xlagpu_program *p = NULL;
    xlagpu_rt_tensor i, o;
    int bad = 1;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    i.data = in; i.bytes = sizeof in;
    o.data = out; o.bytes = sizeof out;
    if (exe.data && xlagpu_rt_open(&d, &dev) == XLAGPU_OK) p = xlagpu_rt_load(dev, exe.data, exe.size);
    if (p && xlagpu_rt_run(p, &i, 1, &o, 1) == XLAGPU_OK) bad = !(out[0] == 2 && out[1] == 4 && out[2] == 6 && out[3] == 8);
    xlagpu_rt_close(dev);
    xlagpu_destroy(c);
    return bad;
}
END
cat > $W/use_compiler.h <<'END'
#include <string.h>
static int use_compiler(void) {
    const char *text = "ENTRY main { ROOT x = f32[4] parameter(0) }";
    xlagpu_context *c = xlagpu_create(NULL);
    int bad = xlagpu_parse(c, "use", text, strlen(text)) == NULL;
    xlagpu_destroy(c);
    return bad;
}
END
# What <windows.h>, X11 and old systems define as macros, written down so that it can be tried everywhere.
cat > $W/hostile.h <<'END'
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define small char
#define interface struct
#define IN
#define OUT
#define CONST const
#define VOID void
#define ERROR 0
#define DELETE 0x10000
#define OPAQUE 2
#define TRANSPARENT 1
#define None 0L
#define Bool int
#define True 1
#define False 0
#define Status int
#define Success 0
#define major(x) (x)
#define minor(x) (x)
#define unix 1
#define linux 1
#define check(x) (x)
#define S1 1
#define S2 2
#define BUFFER 3
#define TOKEN 4
#define TUPLE 5
#define INVALID 6
#define COPY 7
#define KERNEL 8
#define CONSTANT 9
#define ADD 10
#define AND 11
#define NOT 12
#define PRED 13
#define FLOAT float
#define COMPLEX 14
#define OTHER 15
#define DATA 16
#define LOG printf
#define N 100
#define I 0.0
#define E 2.7
#define PI 3.14
#define LERP(a, b, t) ((a) + (t) * ((b) - (a)))
#define swap(a, b) ((void)0)
#define clamp(x, a, b) min(max(x, a), b)
#define ASSERT(x) ((void)0)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TRUE 1
#define FALSE 0
#define BOOL int
#define DEBUG 1
#define INFO 2
#define WARN 3
END
MAIN='int main(void) { return use_both(); }'
MAINC='int main(void) { return use_compiler(); }'
U='#include "use.h"'
file one_cr.c "$I" "$C" "$R" "$U" "$MAIN"
file one_rc.c "$I" "$R" "$C" "$U" "$MAIN"
file one_apart.c "$C" "$R" "$I" "$C" "$R" "$U" "$MAIN"
file impl_c.c "$I" "$C"
file impl_r.c "$I" "$R"
file impl_both.c "$I" "$C" "$R"
file user_cr.c "$C" "$R" "$U" "$MAIN"
file user_rc.c "$R" "$C" "$U" "$MAIN"
file user.cc "$R" "$C" "$U" 'int main() { return use_both(); }'
# With C++'s library before it, which has templates and functions of many names.
file impl.cc '#include <algorithm>' '#include <string>' '#include <vector>' "$I" "$R" "$C"
file only_compiler.c "$C" '#include "use_compiler.h"' "$MAINC"
file static_a.c '#define XLAGPU_STATIC' "$I" "$C" "$R" "$U" 'int other(void);' 'int other(void) { return use_both(); }'
file static_b.c '#define XLAGPU_STATIC' "$I" "$R" "$C" "$U" 'int other(void);' \
    'int main(void) { return use_both() + other(); }'
file after_stdio.c '#include <stdio.h>' '#include <math.h>' '#include <stdlib.h>' "$I" "$C" "$R" '#include <stdio.h>'
file before_all.c "$I" "$C" "$R" '#include <stdio.h>' '#include <stdlib.h>' '#include <string.h>' '#include <math.h>' \
    '#include <pthread.h>' '#include <dlfcn.h>'
file hostile.c '#include <stdlib.h>' '#include <string.h>' '#include <math.h>' '#include <pthread.h>' \
    '#include <dlfcn.h>' '#include <unistd.h>' '#include "hostile.h"' "$I" "$C" "$R"
file after_complex.c '#include <complex.h>' '#include <tgmath.h>' "$I" "$C" "$R"
[ -f /usr/include/X11/Xlib.h ] &&
    file after_x11.c '#include <X11/Xlib.h>' '#include <X11/Xutil.h>' '#include <X11/Xatom.h>' "$I" "$C" "$R"
file hostile_user.c '#include "hostile.h"' "$C" "$R" "$U" "$MAIN"
file list_user.c '#define X 7' "$C" "$R" 'typedef char x_is_still_7[X == 7 ? 1 : -1];'
file twice.c "$C" "$R" "$C" "$R" "$I" "$C" "$R" "$C" "$R" "$U" "$MAIN"
file api.c "$C" "$R"

CCO="$CC -O0 $H -I$W"
# Where a program only has to run, or to compile, tcc does it; a slow compiler leaves out what these programs do not
# need.
FAST="$CCO -DXLAGPU_SMALL"
COMPILES="$CCO -fsyntax-only"
SYNTAX="$CC -fsyntax-only"
is_tcc "$CC" && SYNTAX="$CC -c -o $W/syntax.o"
have tcc && FAST="tcc -w $H -I$W" && COMPILES="$FAST -c"
# Objects first: the linking cases share them.
begin $W/objects
job "two units: xlagpu.h, XLAGPU_SMALL" "$CCO -DXLAGPU_SMALL -c $W/impl_c.c -o $W/impl_c.o"
job "two units: xlagpu_runtime.h" "$CCO -c $W/impl_r.c -o $W/impl_r.o"
job "one unit, compiler first: runs" "$FAST $W/one_cr.c -o $W/one_cr $LIBS && $W/one_cr"
job "one unit, runtime first: runs" "$FAST $W/one_rc.c -o $W/one_rc $LIBS && $W/one_rc"
job "XLAGPU_STATIC in two units: links and runs" "$FAST $W/static_a.c $W/static_b.c -o $W/static $LIBS && $W/static"
cxx_job "implementation as C++, its library first: compiles" "$CXX -O0 $H -c $W/impl.cc -o $W/impl_cc.o"
run_jobs
begin $W/rest
job "xlagpu.h alone links with -lm: runs" "$CCO $W/only_compiler.c $W/impl_c.o -o $W/only -lm && $W/only"
job "two units, user includes compiler first: runs" "$CCO $W/user_cr.c $W/impl_c.o $W/impl_r.o -o $W/two_cr $LIBS && \
    $W/two_cr"
job "two units in the other order, user includes runtime first: runs" \
    "$CCO $W/user_rc.c $W/impl_r.o $W/impl_c.o -o $W/two_rc $LIBS && $W/two_rc"
cxx_job "C++ user, C implementation: runs" \
    "$CXX -std=c++11 -Wall -Wextra -Wpedantic -Werror -O0 $H -I$W $W/user.cc $W/impl_c.o $W/impl_r.o -o $W/user_cc $LIBS && $W/user_cc"
cxx_job "C++ user, C++ implementation: runs" "$CXX -O0 $H -I$W $W/user.cc $W/impl_cc.o -o $W/all_cc $LIBS && $W/all_cc"
cxx_job "C user, C++ implementation: runs" "$CC -O0 $H -I$W -c $W/user_cr.c -o $W/user_cr.o && \
    $CXX $W/user_cr.o $W/impl_cc.o -o $W/mixed $LIBS && $W/mixed"
# One program is enough for a strict compiler; what other headers and macros do, any compiler sees.
for f in list_user after_complex hostile; do
    if [ $f = after_complex ] && is_tcc "$CC"; then absent "complex.h that tcc can read"
    else job "$f: compiles" "$SYNTAX $H -I$W $W/$f.c"; fi
done
for f in one_apart twice after_stdio before_all after_x11 hostile_user; do
    [ -f $W/$f.c ] && job "$f: compiles" "$COMPILES $W/$f.c -o $W/$f.o"; done
# check has strict ISO C, with every standard.
job "GNU C, as a plain cc does it, -Wall -Wextra: compiles" \
    "$SYNTAX -Wall -Wextra -Werror $H -I$W $W/impl_both.c"
job "XLAGPU_STATIC, implemented and nothing used: no warning" \
    "printf '%s\n' '#define XLAGPU_STATIC' '$I' '$C' '$R' 'int main(void) { return 0; }' > $W/s.c && \
    $SYNTAX -std=c99 -Wall -Wextra -Wpedantic -Werror $H $W/s.c"
if is_tcc "$CC"; then absent "a compiler that lists what is included (-H)"
else job "the API includes stdbool, stddef and stdint, nothing else" "$CC $H -H -fsyntax-only $W/api.c 2> $W/included || \
    exit 1; grep '^\.\. ' $W/included | grep -v xlagpu > $W/direct; grep -q 'stdint\.h' $W/direct && \
    ! grep -vE '/(stdbool|stddef|stdint)\.h' $W/direct"; fi
job "a big-endian processor is refused by name" \
    "if $SYNTAX -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ -w $H $W/api.c 2> $W/big.log; \
    then echo 'accepted'; exit 1; fi; grep -q 'error.*this processor is big-endian' $W/big.log"
job "two versions do not go together" \
    "sed 's/XLAGPU_VERSION_NUMBER [0-9][0-9]*/XLAGPU_VERSION_NUMBER 99/' xlagpu.h > $W/xlagpu_old.h; \
    printf '%s\n' '#include \"xlagpu_old.h\"' '$R' > $W/mix.c; if $SYNTAX $H -I$W $W/mix.c 2> $W/mix.log; \
    then echo 'accepted'; exit 1; fi; grep -q 'different versions' $W/mix.log"
run_jobs
finish
