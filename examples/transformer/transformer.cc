// transformer.cc -- trains a small transformer on a text and lets it write one. Weights, Adam's moments and the cache
// of keys and values never leave the device: each is donated to the module that makes it new. model.py made them.
//     transformer [folder [text [steps [letters]]]]
#include "xlagpu.hpp"

#include "../files.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

static std::string whole_file(const std::string &path) {
    size_t size = 0;
    std::unique_ptr<char, void (*)(void *)> text(read_file(path.c_str(), &size), std::free);
    if (!text) throw std::runtime_error(path + ": cannot be read");
    return std::string(text.get(), size);
}

// Letters as numbers: those of the text in their order; at most as many as the model has.
struct alphabet {
    alphabet(const std::string &text, size_t most) : letters(text) {
        std::sort(letters.begin(), letters.end());
        letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
        if (letters.size() > most) throw std::runtime_error("the text has more different letters than the model");
    }
    int32_t number(char c) const { return int32_t(letters.find(c)); }
    std::string letters;
};

static int32_t draw(const std::vector<float> &logits, size_t known, std::mt19937 &random) {
    std::vector<double> weights;
    const float most = *std::max_element(logits.begin(), logits.begin() + std::ptrdiff_t(known));
    for (size_t k = 0; k < known; k++) weights.push_back(std::exp(2.0 * (logits[k] - most))); // 2: rather sure
    return std::discrete_distribution<int32_t>(weights.begin(), weights.end())(random);
}

int main(int argc, char **argv) try {
    const std::string folder = argc > 1 ? argv[1] : "examples/transformer";
    const std::string text = whole_file(argc > 2 ? argv[2] : folder + "/text.txt");
    const int steps = argc > 3 ? std::atoi(argv[3]) : 150, letters = argc > 4 ? std::atoi(argv[4]) : 200;
    xlagpu::device gpu;
    xlagpu::program train = gpu.compile(whole_file(folder + "/train.mlir"));
    xlagpu::program write = gpu.compile(whole_file(folder + "/write.mlir"));
    const std::vector<int64_t> batch = train.parameter(4).shape(), cache_shape = write.parameter(1).shape();
    const size_t length = size_t(cache_shape[1]), vocabulary = size_t(write.result(0).shape()[0]);
    const alphabet known(text, vocabulary);
    if (text.size() <= size_t(batch[1])) throw std::runtime_error("the text is too short");

    // Weights begin as small random numbers, moments and the count of steps as 0.
    std::mt19937 random(1);
    std::vector<float> start(size_t(train.parameter(0).shape()[0]));
    std::normal_distribution<float> normal(0, 0.08f);
    for (float &w : start) w = normal(random);
    xlagpu::buffer weights(gpu, start.size() * 4), m(gpu, start.size() * 4), v(gpu, start.size() * 4), count(gpu, 4);
    weights.upload(start);
    m.upload(std::vector<float>(start.size()));
    v.upload(std::vector<float>(start.size()));
    count.upload(std::vector<float>(1));

    xlagpu::buffer lines(gpu, train.parameter(4).bytes), loss(gpu, 4);
    xlagpu::execution learn(train);
    std::vector<int32_t> numbers(size_t(batch[0] * batch[1]));
    for (int step = 0; step < steps; step++) {
        for (size_t row = 0; row < size_t(batch[0]); row++) {
            const size_t from = random() % (text.size() - size_t(batch[1]));
            for (size_t k = 0; k < size_t(batch[1]); k++)
                numbers[row * size_t(batch[1]) + k] = known.number(text[from + k]);
        }
        lines.upload(numbers);
        learn({weights, m, v, count, lines}, {weights, m, v, count, loss});
        if (step % 20 && step + 1 != steps) continue;
        float value[1];
        learn.wait();
        loss.download(value);
        std::printf("step %3d: loss %.3f\n", step, double(value[0]));
    }

    // It writes with a cache of `length` letters, which begins again with the last letter when it is full.
    xlagpu::buffer cache(gpu, write.parameter(1).bytes), letter(gpu, 4), place(gpu, 4), logits(gpu, vocabulary * 4);
    xlagpu::execution say(write);
    std::vector<float> guess(vocabulary);
    cache.upload(std::vector<float>(write.parameter(1).bytes / 4));
    int32_t now[1] = {known.number(text[0])};
    std::printf("\n%c", text[0]);
    for (int k = 0; k < letters; k++) {
        const int32_t at[1] = {int32_t(size_t(k) % length)};
        letter.upload(now);
        place.upload(at);
        say({weights, cache, letter, place}, {logits, cache});
        say.wait();
        logits.download(guess);
        now[0] = draw(guess, known.letters.size(), random);
        std::putchar(known.letters[size_t(now[0])]);
    }
    std::putchar('\n');
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
