#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor cast_to(DType to, const Tensor& x, const Attributes& more = {}) {
  Attributes attributes{{"to", static_cast<std::int64_t>(to)}};
  attributes.insert(attributes.end(), more.begin(), more.end());
  return run(24, "Cast", {x}, attributes);
}

}  // namespace

TEST_CASE("Cast truncates floats and keeps the low bits of integers") {
  CHECK(same(cast_to(DType::i64, floats({-1.75F, 2.75F})), ints({-1, 2})));
  CHECK(same(cast_to(DType::i8, ints({200, -129, 5})), Tensor::of<std::int8_t>({3}, {-56, 127, 5})));
  CHECK(same(cast_to(DType::u8, Tensor::of<std::int16_t>({2}, {-1, 256})), Tensor::of<std::uint8_t>({2}, {255, 0})));
  CHECK(same(cast_to(DType::boolean, floats({0, -0.5F})), Tensor::of<bool>({2}, {false, true})));
  CHECK(same(cast_to(DType::f32, Tensor::of<bool>({2}, {true, false})), floats({1, 0})));
  CHECK(same(cast_to(DType::u64, ints({-1})), Tensor::of<std::uint64_t>({1}, {~std::uint64_t{0}})));
}

TEST_CASE("Cast rounds to the nearest half, to even") {
  CHECK(same(cast_to(DType::f16, floats({1, 2049, 1e9F})),
             Tensor::of<float>(DType::f16, {3}, {1, 2048, std::numeric_limits<float>::infinity()})));
  CHECK(same(cast_to(DType::bf16, floats({1.00390625F})), Tensor::of<float>(DType::bf16, {1}, {1})));
  CHECK(same(cast_to(DType::f32, Tensor::of<float>(DType::bf16, {1}, {1.5F})), floats({1.5F})));
}

TEST_CASE("Cast knows the types that C++ does not") {
  const Tensor four = Tensor::of<std::int64_t>(DType::i4, {3}, {-8, 7, 1});
  CHECK(same(cast_to(DType::f32, four), floats({-8, 7, 1})));
  CHECK(same(cast_to(DType::i4, ints({8, -9, 7})), Tensor::of<std::int64_t>(DType::i4, {3}, {-8, 7, 7})));
  const Tensor big = floats({1e6F});
  CHECK(same(cast_to(DType::f32, cast_to(DType::f8e4m3fn, big)), floats({448})));
  CHECK(std::isnan(cast_to(DType::f32, cast_to(DType::f8e4m3fn, big, {{"saturate", 0}})).item<float>()));
  CHECK(
      same(cast_to(DType::f8e8m0, floats({3}), {{"round_mode", "down"}}), Tensor::of<float>(DType::f8e8m0, {1}, {2})));
}

TEST_CASE("CastLike takes the type of its second input") {
  CHECK(same(run(15, "CastLike", {floats({1.5F}), ints({0})}), ints({1})));
}

TEST_CASE("BitCast keeps bytes and changes what they mean") {
  const auto as = [](DType to, const Tensor& x) {
    return run(26, "BitCast", {x}, {{"to", static_cast<std::int64_t>(to)}});
  };
  CHECK(same(as(DType::i32, floats({1, -2})), Tensor::of<std::int32_t>({2}, {0x3f800000, -0x40000000})));
  CHECK(same(as(DType::f32, Tensor::of<std::uint32_t>({1, 2}, {0x3f800000, 0})), Tensor::of<float>({1, 2}, {1, 0})));
  CHECK(same(as(DType::u8, Tensor::of<std::int8_t>({2}, {-1, 1})), Tensor::of<std::uint8_t>({2}, {255, 1})));
  CHECK(same(as(DType::boolean, Tensor::of<std::uint8_t>({2}, {0, 1})), Tensor::of<bool>({2}, {false, true})));
  CHECK(as(DType::u4, Tensor::of<std::int64_t>(DType::i4, {3}, {-1, 1, 7})).to<int>() == std::vector<int>{15, 1, 7});
  const auto refused = [](DType to, const Tensor& x) {
    return failure_of(26, "BitCast", {x}, {{"to", static_cast<std::int64_t>(to)}});
  };
  CHECK(refused(DType::f64, floats({1})).find("does not have the bits of f64") != std::string::npos);
  CHECK(refused(DType::boolean, Tensor::of<std::uint8_t>({1}, {2})).find("neither 0 nor 1") != std::string::npos);
}
