// xlagpu.hpp -- the C API of xlagpu.h and xlagpu_runtime.h with owners: what is made is freed, what fails throws.
// C++11; spans where there are some (C++20). The implementation stays in one file of yours, see xlagpu.h.
//
//     xlagpu::device gpu;                               // the GPU, or the simulator where there is none
//     xlagpu::program f = gpu.compile(hlo_text);        // or gpu.load(bytes) of an executable
//     f({x, y}, {z});                                   // std::vector, std::array, std::span, T[n] ... of the host
//
// and every frame, on memory of the device and a stream of yours:
//
//     xlagpu::execution e(f);
//     xlagpu::buffer a(gpu, f.parameter(0).bytes), b(gpu, f.result(0).bytes);
//     e({a}, {b}, stream);                              // enqueues and returns
#ifndef XLAGPU_HPP
#define XLAGPU_HPP
#include "xlagpu.h"
#include "xlagpu_runtime.h"
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif
namespace xlagpu {
struct error : std::runtime_error {
    error(xlagpu_status status_, const std::string &what) : std::runtime_error(what), status(status_) {}
    xlagpu_status status;
};
// The element type of HLO that a type of C++ is; INVALID: any of its size (half floats have types of your own).
template <class T> struct type_of { static constexpr xlagpu_type value = XLAGPU_INVALID; };
#define XLAGPU_TYPE_OF(cpp, hlo) \
    template <> struct type_of<cpp> { static constexpr xlagpu_type value = XLAGPU_##hlo; };
XLAGPU_TYPE_OF(bool, PRED) XLAGPU_TYPE_OF(float, F32) XLAGPU_TYPE_OF(double, F64)
XLAGPU_TYPE_OF(int8_t, S8) XLAGPU_TYPE_OF(int16_t, S16) XLAGPU_TYPE_OF(int32_t, S32) XLAGPU_TYPE_OF(int64_t, S64)
XLAGPU_TYPE_OF(uint8_t, U8) XLAGPU_TYPE_OF(uint16_t, U16) XLAGPU_TYPE_OF(uint32_t, U32) XLAGPU_TYPE_OF(uint64_t, U64)
#undef XLAGPU_TYPE_OF

// Elements in host memory that stay the caller's: of a container with data() and size(), an array, or a pointer.
struct tensor : xlagpu_rt_tensor {
    template <class C, class T = typename std::remove_pointer<decltype(std::declval<C &>().data())>::type>
    tensor(C &&elements) : tensor(elements.data(), elements.size()) {}
    template <class T, size_t N> tensor(T (&elements)[N]) : tensor(&elements[0], N) {}
    template <class T> tensor(T *elements, size_t count) : type(type_of<typename std::remove_cv<T>::type>::value) {
        data = const_cast<typename std::remove_cv<T>::type *>(elements); // inputs are only read
        bytes = count * sizeof(T);
    }
    xlagpu_type type;
};
typedef std::initializer_list<tensor> tensors;
// A parameter or a result: what the C API says of it, and its sizes as a container.
struct value : xlagpu_rt_value {
    std::vector<int64_t> shape() const { return std::vector<int64_t>(dims, dims + rank); }
#ifdef __cpp_lib_span
    std::span<const int64_t> sizes() const { return {dims, rank}; }
#endif
};
typedef std::vector<unsigned char> executable;
// A module of HLO or StableHLO text (or bytecode), in a context of its own.
class module {
public:
    explicit module(const std::string &text, const std::string &name = "module")
        : context_(xlagpu_create(nullptr), xlagpu_destroy) {
        if (!context_) throw std::bad_alloc();
        module_ = xlagpu_parse(context_.get(), name.c_str(), text.data(), text.size());
        check(module_ != nullptr);
    }
    executable compile(const xlagpu_compile_desc *desc = nullptr) const {
        xlagpu_bytes b = xlagpu_compile(module_, desc);
        check(b.data != nullptr);
        return executable(b.data, b.data + b.size);
    }
    std::string text() const {
        xlagpu_bytes b = xlagpu_print(module_);
        check(b.data != nullptr);
        return std::string(reinterpret_cast<const char *>(b.data), b.size);
    }
    // By the reference evaluator, without kernels.
    void evaluate(tensors inputs, tensors outputs) const {
        std::vector<xlagpu_tensor> in, out;
        for (const tensor &t : inputs) in.push_back({t.data, t.bytes});
        for (const tensor &t : outputs) out.push_back({t.data, t.bytes});
        check(!xlagpu_evaluate(module_, in.data(), uint32_t(in.size()), out.data(), uint32_t(out.size()), false));
    }
    xlagpu_module *get() const { return module_; }
private:
    void check(bool ok) const {
        if (!ok) throw error(xlagpu_error_status(context_.get()), xlagpu_error(context_.get()));
    }
    std::unique_ptr<xlagpu_context, void (*)(xlagpu_context *)> context_;
    xlagpu_module *module_ = nullptr; // the context frees it
};

class program;
// A GPU or the simulator. Copies are the same device; it is closed when the last of them and of what it made is gone.
class device {
public:
    explicit device(const xlagpu_device_desc *desc = nullptr) { open(desc); }
    explicit device(const char *platform) {
        xlagpu_device_desc desc = xlagpu_device_desc();
        desc.platform = platform;
        open(&desc);
    }
    program load(const executable &bytes) const;
    program compile(const std::string &text) const; // for this very device
    void wait(void *stream = nullptr) const { check(xlagpu_rt_wait(get(), stream)); }
    const char *name() const { return xlagpu_rt_name(get()); }
    const char *target() const { return xlagpu_rt_target(get()); }
    xlagpu_device *get() const { return device_.get(); }
    void check(xlagpu_status s) const {
        if (s != XLAGPU_OK) throw error(s, device_ ? xlagpu_rt_error(get()) : xlagpu_status_text(s));
    }

private:
    void open(const xlagpu_device_desc *desc) {
        xlagpu_device *d = nullptr;
        xlagpu_status status = xlagpu_rt_open(desc, &d);
        device_.reset(d, xlagpu_rt_close);
        check(status);
    }
    std::shared_ptr<xlagpu_device> device_;
};

// An executable on a device.
class program {
public:
    program(const device &on, const void *bytes, size_t size)
        : device_(on), program_(xlagpu_rt_load(on.get(), bytes, size), xlagpu_rt_unload) {
        if (!program_) throw error(xlagpu_rt_error_status(on.get()), xlagpu_rt_error(on.get()));
    }
    // Host arrays in, host arrays out; blocks.
    void operator()(tensors inputs, tensors outputs) const {
        std::vector<xlagpu_rt_tensor> in(inputs.begin(), inputs.end()), out(outputs.begin(), outputs.end());
        for (uint32_t k = 0; k < in.size() && k < parameters(); k++) expect(parameter(k), inputs.begin()[k]);
        for (uint32_t k = 0; k < out.size() && k < results(); k++) expect(result(k), outputs.begin()[k]);
        device_.check(xlagpu_rt_run(get(), in.data(), uint32_t(in.size()), out.data(), uint32_t(out.size())));
    }
    uint32_t parameters() const { return xlagpu_rt_parameter_count(program_.get()); }
    uint32_t results() const { return xlagpu_rt_result_count(program_.get()); }
    value parameter(uint32_t index) const { return one(xlagpu_rt_parameter, index); }
    value result(uint32_t index) const { return one(xlagpu_rt_result, index); }
    const device &on() const { return device_; }
    xlagpu_program *get() const { return program_.get(); }
private:
    value one(bool (*info)(const xlagpu_program *, uint32_t, xlagpu_rt_value *), uint32_t index) const {
        value v = value();
        if (!info(program_.get(), index, &v)) throw error(XLAGPU_ERROR_USAGE, "no value " + std::to_string(index));
        return v;
    }
    static void expect(const value &v, const tensor &t) {
        if (t.type != XLAGPU_INVALID && t.type != v.type && xlagpu_type_bytes(t.type) != 1)
            throw error(XLAGPU_ERROR_USAGE, std::string("'") + v.name + "' is " + xlagpu_type_text(v.type) +
                    ", and the array given for it " + xlagpu_type_text(t.type));
    }
    device device_;
    std::unique_ptr<xlagpu_program, void (*)(xlagpu_program *)> program_;
};

inline program device::load(const executable &bytes) const { return program(*this, bytes.data(), bytes.size()); }
inline program device::compile(const std::string &text) const {
    xlagpu_compile_desc desc = xlagpu_compile_desc();
    check(xlagpu_rt_target_desc(get(), &desc.target));
    return load(module(text).compile(&desc));
}

// Memory of the device.
class buffer {
public:
    buffer(const device &on, size_t bytes) : device_(on) { on.check(xlagpu_rt_alloc(on.get(), bytes, &buffer_)); }
    buffer(buffer &&b) noexcept : device_(b.device_), buffer_(b.buffer_) { b.buffer_ = xlagpu_buffer(); }
    buffer &operator=(buffer b) noexcept { std::swap(device_, b.device_); std::swap(buffer_, b.buffer_); return *this; }
    ~buffer() { if (buffer_.bytes) xlagpu_rt_free(device_.get(), buffer_); }
    void upload(const tensor &t) { device_.check(xlagpu_rt_upload(device_.get(), buffer_, t.data, t.bytes)); }
    void download(const tensor &t) const { device_.check(xlagpu_rt_download(device_.get(), t.data, buffer_, t.bytes)); }
    operator xlagpu_buffer() const { return buffer_; }
private:
    device device_;
    xlagpu_buffer buffer_ = xlagpu_buffer();
};

// What one run of a program needs beside its arguments and results: made once, run every frame. The program stays.
class execution {
public:
    explicit execution(const program &p) : device_(p.on()), execution_(xlagpu_rt_prepare(p.get()), xlagpu_rt_finish) {
        if (!execution_) throw error(xlagpu_rt_error_status(device_.get()), xlagpu_rt_error(device_.get()));
    }
    typedef std::vector<xlagpu_buffer> buffers;
    void operator()(const buffers &in, const buffers &out, void *stream = nullptr) {
        xlagpu_status s = xlagpu_rt_execute(get(), in.data(), out.data(), stream);
        if (s != XLAGPU_OK) throw error(s, xlagpu_rt_execution_error(get()));
    }
    void wait() { device_.check(xlagpu_rt_execution_wait(get())); }
    xlagpu_execution *get() const { return execution_.get(); }
private:
    device device_;
    std::unique_ptr<xlagpu_execution, void (*)(xlagpu_execution *)> execution_;
};
} // namespace xlagpu
#endif // XLAGPU_HPP
