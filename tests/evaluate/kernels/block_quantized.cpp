#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/memory.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const char* const nbits = "com.microsoft::MatMulNBits";
const char* const gather = "com.microsoft::GatherBlockQuantized";

Tensor bytes(Dims dims, std::vector<std::uint8_t> values) { return Tensor::of(std::move(dims), values); }

/// [3, 3]
const Tensor identity = Tensor::of<float>({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});

}  // namespace

TEST_CASE("MatMulNBits reads codes from the lowest bits on, in blocks of which the last may be padded") {
  // N = 2 rows of K = 3 in blocks of 2: codes 1 2 | 3 x and 15 0 | 8 x
  const Tensor codes = bytes({2, 2, 1}, {0x21, 0xf3, 0x0f, 0xf8});
  const Tensor scales = floats({1, 10, 2, 0.5F});
  const auto weight = [&](std::vector<Tensor> inputs) {
    return run(1, nbits, std::move(inputs), {{"K", 3}, {"N", 2}, {"bits", 4}, {"block_size", 2}});
  };
  CHECK(same(weight({identity, codes, scales}), Tensor::of<float>({3, 2}, {-7, 14, -6, -16, -50, 0})));
  const Tensor zeros = bytes({2}, {0x31, 0x20});  // 1 3, 0 2
  CHECK(same(weight({identity, codes, scales, zeros}), Tensor::of<float>({3, 2}, {0, 30, 1, 0, 0, 3})));
  CHECK(same(weight({identity, codes, scales, zeros, Tensor(), floats({100, 200})}),
             Tensor::of<float>({3, 2}, {100, 230, 101, 200, 100, 203})));
}

TEST_CASE("MatMulNBits of 2, 3 and 8 bits") {
  const auto weight = [&](int bits, std::vector<std::uint8_t> codes) {
    const auto stride = static_cast<std::int64_t>(codes.size());
    return run(1, nbits, {identity, bytes({1, 1, stride}, std::move(codes)), floats({1})},
               {{"K", 3}, {"N", 1}, {"bits", bits}, {"block_size", 8}});
  };
  CHECK(same(weight(2, {0b00'11'01'00, 0}), Tensor::of<float>({3, 1}, {-2, -1, 1})));
  CHECK(same(weight(3, {0b01'111'000, 0b1, 0}), Tensor::of<float>({3, 1}, {-4, 3, 1})));
  CHECK(same(weight(8, {0, 255, 130, 0, 0, 0, 0, 0}), Tensor::of<float>({3, 1}, {-128, 127, 2})));
}

TEST_CASE("MatMulNBits at accuracy level 4 rounds what it multiplies, block by block, but not for 2 bits") {
  const Tensor x = Tensor::of<float>({1, 3}, {127, 0.4F, 0.4F});
  const auto product = [&](int bits, std::uint8_t code, int level) {
    const std::size_t size = static_cast<std::size_t>(bits) * 2 / 8 == 0 ? 1 : static_cast<std::size_t>(bits) * 2 / 8;
    return run(1, nbits,
               {x, bytes({1, 2, static_cast<std::int64_t>(size)}, std::vector<std::uint8_t>(2 * size, code)),
                floats({1, 1})},
               {{"K", 3}, {"N", 1}, {"bits", bits}, {"block_size", 2}, {"accuracy_level", level}});
  };
  CHECK(same(product(4, 0x99, 1), Tensor::of<float>({1, 1}, {127.8F}), 1e-4));
  CHECK(same(product(4, 0x99, 4), Tensor::of<float>({1, 1}, {127.4F}), 1e-4));  // 0.4 beside 127 is 0
  CHECK(same(product(2, 0xff, 4), Tensor::of<float>({1, 1}, {127.8F}), 1e-4));
}

TEST_CASE("MatMulNBits multiplies by the dequantized weight, bit for bit, whatever its extents and bits") {
  std::minstd_rand next(1);
  constexpr std::int64_t n = 101, k = 70, size = 16, blocks = 5;
  for (const std::int64_t bits : {2, 3, 4, 5, 8}) {
    for (const bool has_zeros : {false, true}) {
      std::vector<std::uint8_t> codes(n * blocks * size * static_cast<std::size_t>(bits) / 8), zeros;
      for (std::uint8_t& byte : codes) byte = static_cast<std::uint8_t>(next());
      const auto of_row = (blocks * bits + 7) / 8;
      for (std::int64_t i = 0; has_zeros && i < n * of_row; ++i) zeros.push_back(static_cast<std::uint8_t>(next()));
      std::vector<float> scales(n * blocks), weight;
      for (float& scale : scales) scale = static_cast<float>(next() % 1000) / 1000;
      const auto code = [&](const std::vector<std::uint8_t>& packed, std::int64_t bit) {
        int value = 0;
        for (std::int64_t i = bits; i-- > 0;)
          value = 2 * value + (packed[static_cast<std::size_t>((bit + i) / 8)] >> (bit + i) % 8 & 1);
        return static_cast<float>(value);
      };
      for (std::int64_t row = 0; row < n; ++row)
        for (std::int64_t i = 0; i < k; ++i) {
          const std::int64_t block = i / size;
          const auto middle = static_cast<float>(1 << (bits - 1));
          const float zero = has_zeros ? code(zeros, row * of_row * 8 + block * bits) : middle;
          weight.push_back((code(codes, (row * blocks * size + i) * bits) - zero) *
                           scales[static_cast<std::size_t>(row * blocks + block)]);
        }
      for (const std::int64_t m : {1, 5}) {
        const Tensor x = counting({m, k}, -30);
        std::vector<Tensor> inputs{x, bytes({n, blocks, size * bits / 8}, codes), floats(scales)};
        if (has_zeros) inputs.push_back(bytes({n * of_row}, zeros));
        const Tensor found = run(1, nbits, inputs, {{"K", k}, {"N", n}, {"bits", bits}, {"block_size", size}});
        const Tensor wanted = run(13, "Gemm", {x, Tensor::of<float>({n, k}, weight)}, {{"transB", 1}});
        CHECK(found.same_bytes(wanted));
      }
    }
  }
}

TEST_CASE("MatMulNBits does not hold its whole weight in floats") {
  const Tensor codes = bytes({512, 16, 8}, std::vector<std::uint8_t>(512 * 16 * 8, 0x9a));
  const Tensor x = Tensor::of<float>({1, 256}, std::vector<float>(256, 1));
  const AllocationLimit limit(512 * 256);  // a quarter of the floats
  const Tensor y = run(1, nbits, {x, codes, floats(std::vector<float>(512 * 16, 1))},
                       {{"K", 256}, {"N", 512}, {"bits", 4}, {"block_size", 16}});
  CHECK(y.to<float>() == std::vector<float>(512, 128 * (1 + 2)));
}

TEST_CASE("MatMulNBits refuses what does not fit") {
  const Attributes two{{"K", 2}, {"N", 1}, {"bits", 4}, {"block_size", 16}};
  const Tensor codes = bytes({1, 1, 8}, std::vector<std::uint8_t>(8));
  CHECK(failure_of(1, nbits, {identity, codes, floats({1})}, two) != "");
  const Attributes three{{"K", 3}, {"N", 1}, {"bits", 4}, {"block_size", 16}};
  CHECK(failure_of(1, nbits, {identity, bytes({1, 1, 7}, std::vector<std::uint8_t>(7)), floats({1})}, three) != "");
  CHECK(failure_of(1, nbits, {identity, codes, floats({1, 2})}, three) != "");
  CHECK(failure_of(1, nbits, {identity, codes, floats({1}), Tensor(), Tensor::of<std::int32_t>({3}, {0, 0, 0})},
                   three) != "");
  const auto huge = std::numeric_limits<std::int64_t>::max();
  for (const auto& [name, value] : {std::pair{"K", huge}, std::pair{"N", huge}, std::pair{"block_size", huge},
                                    std::pair{"block_size", huge / 2 + 1}}) {
    Attributes attributes{{name, value}};
    for (const auto& [other, small] : {std::pair{"K", 3}, std::pair{"N", 1}, std::pair{"block_size", 16}})
      if (std::string_view(other) != name) attributes.emplace_back(other, small);
    CHECK(failure_of(1, nbits, {identity, bytes({0}, {}), floats({1})}, attributes) != "");
  }
}

TEST_CASE("GatherBlockQuantized dequantizes the rows that it looks up") {
  const Tensor scales = Tensor::of<float>({2, 2}, {1, 10, 2, 0.5F});
  const Tensor ids = Tensor::of<std::int64_t>({1, 2}, {1, -2});
  const Attributes four{{"bits", 4}, {"block_size", 2}};
  // Rows 1 -2 | 3 and 7 -8 | 0
  const Tensor elements = Tensor::of<std::int32_t>(DType::i4, {2, 3}, {1, -2, 3, 7, -8, 0});
  CHECK(same(run(1, gather, {elements, ids, scales}, four), Tensor::of<float>({1, 2, 3}, {14, -16, 0, 1, -2, 30})));
  const Tensor zeros = Tensor::of<std::int32_t>(DType::i4, {2, 2}, {1, 1, 0, 2});
  CHECK(same(run(1, gather, {elements, ids, scales, zeros}, four),
             Tensor::of<float>({1, 2, 3}, {14, -16, -1, 0, -3, 20})));
  const Tensor packed = bytes({2, 2}, {0x21, 0x03, 0xf8, 0x08});  // 1 2 | 3 0 and 8 15 | 8 0, less 8
  CHECK(same(run(1, gather, {packed, ids, scales}, four),
             Tensor::of<float>({1, 2, 4}, {0, 14, 0, -4, -7, -6, -50, -80})));
  CHECK(same(run(1, gather, {bytes({2, 3}, {128, 0, 255, 129, 1, 2}), ids, scales}, {{"bits", 8}, {"block_size", 2}}),
             Tensor::of<float>({1, 2, 3}, {2, -254, -63, 0, -128, 1270})));
  const Tensor halves = Tensor::of<float>(DType::f16, {2, 2}, {1, 10, 2, 0.5F});
  CHECK(same(run(1, gather, {elements, ids, halves}, four), Tensor::of<float>({1, 2, 3}, {14, -16, 0, 1, -2, 30})));
  CHECK(run(1, gather, {bytes({2, 0}, {}), ids, Tensor(DType::f32, {2, 0})}, four).dims() == Dims{1, 2, 0});
  CHECK(failure_of(1, gather, {elements, Tensor::of<std::int64_t>({1}, {2}), scales}, four) != "");
  CHECK(failure_of(1, gather, {elements, ids, Tensor::of<float>({2, 1}, {1, 1})}, four) != "");
}
