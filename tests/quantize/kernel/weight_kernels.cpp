#include <graft/quantize/kernel/weight_kernels.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

using namespace graft;

TEST_CASE("kernels of blocks take some bits, and sizes between two", "[quantize]") {
  static constexpr int bits[] = {4, 8};
  constexpr BlockKernel kernel{.op = "MatMulNBits", .bits = bits, .min_block = 32, .max_block = 128};
  CHECK(kernel.takes(4, 32));
  CHECK(kernel.takes(8, 128));
  CHECK_FALSE(kernel.takes(2, 32));
  CHECK_FALSE(kernel.takes(4, 16));
  CHECK_FALSE(kernel.takes(4, 256));
}

TEST_CASE("ONNX Runtime has kernels of dynamic quantization, on every machine", "[quantize]") {
  for (const Target* const target : targets::all) {
    if (target->name.starts_with("ort-cpu")) {
      CHECK_FALSE(target->dynamic_kernels.empty());
      CHECK_FALSE(target->block_kernels.empty());
    }
    for (const DynamicKernel& kernel : target->dynamic_kernels) {
      CHECK(kernel.takes(DType::i8));
      CHECK_FALSE(kernel.takes(DType::i4));
    }
  }
}
