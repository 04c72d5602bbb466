// owners.cc -- packages/cpp/xlagpu.hpp in use: results, refusals by exception, owners that move.
#include "xlagpu.hpp"
#include <array>
#include <cstdio>
#include <string>

static int failed;
static void holds(bool ok, const char *what) {
    if (!ok) std::printf("FAIL %s\n", what), failed++;
}
template <class F> static void throws(xlagpu_status status, const char *words, F call) {
    try {
        call();
        holds(false, words);
    } catch (const xlagpu::error &e) {
        holds(e.status == status && std::string(e.what()).find(words) != std::string::npos, e.what());
    }
}

static const char text[] = "ENTRY e { a = f32[4] parameter(0) b = f32[4] parameter(1) ROOT c = f32[4] add(a, b) }";

static void on_host_arrays(const xlagpu::device &gpu) {
    xlagpu::program f = gpu.compile(text);
    std::vector<float> x{1, 2, 3, 4}, y(4);
    const std::array<float, 4> one{{1, 1, 1, 1}};
    float z[4] = {0, 0, 0, 0};
    f({x, one}, {y});
    holds(y == std::vector<float>{2, 3, 4, 5}, "a run");
    xlagpu::module(text).evaluate({x, one}, {z});
    holds(z[0] == 2 && z[3] == 5, "the evaluator");
    holds(f.parameters() == 2 && f.parameter(1).shape() == std::vector<int64_t>{4}, "what a program takes");
#ifdef __cpp_lib_span
    f({std::span<const float>(x), one}, {std::span<float>(z)});
    holds(f.result(0).sizes().size() == 1 && z[1] == 3, "spans");
#endif
    throws(XLAGPU_ERROR_USAGE, "1 input given", [&] { f({x}, {y}); });
    throws(XLAGPU_ERROR_USAGE, "'a' is f32, and the array given for it s32", [&] {
        std::vector<int> w(4);
        f({w, x}, {y});
    });
    throws(XLAGPU_ERROR_SYNTAX, "did you mean 'add'?", [&] { gpu.compile("ENTRY e { ROOT a = f32[4] ad(b) }"); });
    throws(XLAGPU_ERROR_CORRUPT, "executable", [&] { gpu.load({1, 2, 3}); });
    throws(XLAGPU_ERROR_USAGE, "no value 7", [&] { f.result(7); });
}

static void on_device_memory(const xlagpu::device &gpu) {
    xlagpu::program f = gpu.load(xlagpu::module(text).compile());
    xlagpu::buffer a(gpu, 16), b(gpu, 16), c(gpu, 16);
    xlagpu::execution run(f);
    std::vector<float> x{1, 2, 3, 4}, y(4);
    a.upload(x);
    b.upload(x);
    run({a, b}, {c});
    run.wait();
    xlagpu::buffer moved(std::move(c)), other(gpu, 32);
    moved.download(y);
    holds(y == std::vector<float>{2, 4, 6, 8}, "an execution");
    other = std::move(moved);
    other.download(y);
    holds(y[3] == 8 && xlagpu_buffer(moved).bytes == 0, "a buffer that moved twice");
}

int main() {
    xlagpu::device gpu("host");
    try {
        on_host_arrays(gpu);
        on_device_memory(gpu);
    } catch (const xlagpu::error &e) {
        holds(false, e.what());
    }
    throws(XLAGPU_ERROR_USAGE, "no_such", [] { xlagpu::device none("no_such"); });
    std::printf("%s\n", failed ? "failed" : "all held");
    return failed != 0;
}
