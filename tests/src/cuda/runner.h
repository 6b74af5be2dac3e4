// Runs the kernels of a unit on the launches of a data file and compares their memory.
//
// The same text is compiled by nvcc and, after host.h, by any C++ compiler for the CPU.
// A unit defines `entries` and `data_path`, and includes this first.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifdef SAMEBITS_HOST
#include "host.h"
#else
#define ENTRY(kernel) (void*)kernel

#define CUDA(call)                                                                       \
    do {                                                                                 \
        cudaError_t error = call;                                                        \
        if (error != cudaSuccess) {                                                      \
            std::printf("%s failed: %s\n", #call, cudaGetErrorString(error));            \
            std::exit(2);                                                                \
        }                                                                                \
    } while (0)

struct Device {
    static void* allocate(const std::vector<unsigned char>& bytes) {
        void* pointer = nullptr;
        CUDA(cudaMalloc(&pointer, bytes.size() + 8));
        CUDA(cudaMemcpy(pointer, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        return pointer;
    }
    static void read(std::vector<unsigned char>& bytes, void* pointer) {
        CUDA(cudaMemcpy(bytes.data(), pointer, bytes.size(), cudaMemcpyDeviceToHost));
        CUDA(cudaFree(pointer));
    }
    static void launch(void* entry, const unsigned grid[3], const unsigned block[3], bool, void** arguments) {
        dim3 g(grid[0], grid[1], grid[2]), b(block[0], block[1], block[2]);
        CUDA(cudaLaunchKernel(entry, g, b, arguments, 0, nullptr));
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
    }
};
#endif

struct Data {
    std::FILE* file;
    unsigned long long number(size_t bytes) {
        unsigned long long value = 0;
        if (std::fread(&value, 1, bytes, file) != bytes) {
            std::printf("the data file is too short\n");
            std::exit(2);
        }
        return value;
    }
    unsigned word() { return (unsigned)number(4); }
    std::vector<unsigned char> bytes() {
        std::vector<unsigned char> all(word());
        if (std::fread(all.data(), 1, all.size(), file) != all.size()) {
            std::printf("the data file is too short\n");
            std::exit(2);
        }
        return all;
    }
};

static void show(const char* what, const unsigned char* bytes, size_t count) {
    std::printf(" %s", what);
    for (size_t i = 0; i < count; i++) std::printf("%s%02x", i ? "." : " ", bytes[i]);
}

static int run_all(const char* path, void* const* entries) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) {
        std::printf("cannot open %s\n", path);
        return 2;
    }
    Data data{file};
    unsigned long long compared = 0, wrong = 0;
    unsigned launches = data.word();
    for (unsigned i = 0; i < launches; i++) {
        std::vector<unsigned char> name = data.bytes();
        std::string title(name.begin(), name.end());
        void* entry = entries[data.word()];
        unsigned grid[3], block[3];
        for (unsigned& n : grid) n = data.word();
        for (unsigned& n : block) n = data.word();
        bool barriers = data.word() != 0;
        std::vector<std::vector<unsigned char>> buffers(data.word());
        std::vector<void*> pointers;
        for (auto& buffer : buffers) {
            buffer = data.bytes();
            pointers.push_back(Device::allocate(buffer));
        }
        // Everything is 8 bytes here; a parameter of 4 takes the low ones.
        std::vector<unsigned long long> values(data.word());
        std::vector<void*> arguments;
        for (auto& value : values) {
            bool pointer = data.word() != 0;
            value = data.number(8);
            if (pointer) value = (unsigned long long)pointers[value];
            arguments.push_back(&value);
        }
        Device::launch(entry, grid, block, barriers, arguments.data());
        for (size_t b = 0; b < buffers.size(); b++) Device::read(buffers[b], pointers[b]);
        unsigned checks = data.word();
        for (unsigned c = 0; c < checks; c++) {
            std::vector<unsigned char>& found = buffers[data.word()];
            unsigned width = data.word();
            std::vector<unsigned char> wanted = data.bytes();
            unsigned shown = 0;
            for (size_t at = 0; at + width <= wanted.size(); at += width) {
                compared++;
                if (std::memcmp(&found[at], &wanted[at], width) == 0) continue;
                wrong++;
                if (shown++ >= 3) continue;
                std::printf("%s: result %zu:", title.c_str(), at / width);
                show("gave", &found[at], width);
                show("not", &wanted[at], width);
                std::printf("\n");
            }
        }
    }
    std::printf("%u launches, %llu comparisons, %llu mismatches\n", launches, compared, wrong);
    return wrong == 0 && compared > 0 ? 0 : 1;
}
