// fluid.cc -- a loop of frames as a game has it: the state stays on the device, every frame is enqueued on the caller's
// stream, and only the picture comes back. fluid.py made fluid.mlir.
//     fluid [fluid.mlir [frames [prefix]]]      writes prefix000.png, prefix010.png ...
#include "xlagpu.hpp"

#include "../files.h"
#include <cstring>
#include <string>

int main(int argc, char **argv) try {
    const std::string path = argc > 1 ? argv[1] : "examples/fluid/fluid.mlir", prefix = argc > 3 ? argv[3] : "fluid";
    const int frames = argc > 2 ? std::atoi(argv[2]) : 60, every = 10;
    size_t size = 0;
    std::unique_ptr<char, void (*)(void *)> text(read_file(path.c_str(), &size), std::free);
    if (!text) throw std::runtime_error(path + ": cannot be read");

    xlagpu::device gpu;
    xlagpu::program step = gpu.compile(std::string(text.get(), size));
    xlagpu::execution run(step);
    void *stream = nullptr; // a CUstream of the renderer; here the default one

    // Velocity and smoke are donated: the results take the memory of the parameters, and nothing is copied.
    xlagpu::buffer velocity(gpu, step.parameter(0).bytes), smoke(gpu, step.parameter(1).bytes);
    xlagpu::buffer time(gpu, sizeof(float)), picture(gpu, step.result(2).bytes);
    velocity.upload(std::vector<char>(step.parameter(0).bytes));
    smoke.upload(std::vector<char>(step.parameter(1).bytes));
    std::vector<unsigned char> pixels(step.result(2).bytes);
    const std::vector<int64_t> shape = step.result(2).shape();

    for (int frame = 0; frame < frames; frame++) {
        const float now[1] = {float(frame)};
        time.upload(now);
        run({velocity, smoke, time}, {velocity, smoke, picture}, stream); // enqueues and returns
        if (frame % every && frame + 1 != frames) continue;
        gpu.wait(stream);
        picture.download(pixels);
        char number[16];
        std::snprintf(number, sizeof number, "%03d.png", frame);
        if (write_png((prefix + number).c_str(), pixels.data(), int(shape[1]), int(shape[0])))
            throw std::runtime_error(prefix + number + ": cannot be written");
    }
    std::printf("%d frames on %s\n", frames, gpu.name());
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
