#include <cstdint>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor a = Tensor::of<std::uint8_t>({2, 2}, {11, 12, 10, 8});  // less 10: 1 2, 0 -2
const Tensor b = Tensor::of<std::int8_t>({2, 2}, {1, -2, 3, 4});
const Tensor ten = Tensor::scalar(std::uint8_t{10});

}  // namespace

TEST_CASE("MatMulIntegerToFloat scales products of integers, and adds a bias") {
  // (a - 10) b = 7 6, -6 -8
  const char* const op = "com.microsoft::MatMulIntegerToFloat";
  CHECK(same(run(1, op, {a, b, Tensor::scalar(0.5F), Tensor::scalar(2.0F), ten}),
             Tensor::of<float>({2, 2}, {7, 6, -6, -8})));
  CHECK(same(run(1, op, {a, b, Tensor::scalar(0.5F), floats({2, 4}), ten, Tensor(), floats({100, 200})}),
             Tensor::of<float>({2, 2}, {107, 212, 94, 184})));
  const Tensor zeros = Tensor::of<std::int8_t>({2}, {1, 0});  // b: 0 -2, 2 4; products: 4 6, -4 -8
  CHECK(same(run(1, op, {a, b, Tensor::scalar(1.0F), Tensor::scalar(1.0F), ten, zeros}),
             Tensor::of<float>({2, 2}, {4, 6, -4, -8})));
}

TEST_CASE("DynamicQuantizeMatMul quantizes what it multiplies") {
  // The range is [-51, 204]: the scale is 1, the zero point 51.
  const Tensor x = Tensor::of<float>({1, 2}, {204, -51.4F});
  const Tensor far = Tensor::of<float>({1, 2}, {204, -51});
  const char* const op = "com.microsoft::DynamicQuantizeMatMul";
  CHECK(same(run(1, op, {far, b, Tensor::scalar(0.5F)}), Tensor::of<float>({1, 2}, {25.5F, -306})));
  CHECK(same(run(1, op, {far, b, floats({0.5F, 1}), Tensor(), floats({1, 2})}),
             Tensor::of<float>({1, 2}, {26.5F, -610})));
  CHECK_FALSE(same(run(1, op, {x, b, Tensor::scalar(0.5F)}), Tensor::of<float>({1, 2}, {24.9F, -306.8F}), 1e-3));
}
