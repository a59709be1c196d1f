#include <cstdint>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const char* const qattention = "com.microsoft::QAttention";
const Tensor absent;
const Attributes one_head{{"num_heads", 1}};

// Less 10 and halved: 0, 1. Queries are 0, so that keys count alike; values are (4 - 4 x, 8 x).
const Tensor x = Tensor::of<std::uint8_t>({1, 2, 1}, {10, 12});
const Tensor ten = Tensor::scalar(std::uint8_t{10});
const Tensor step = Tensor::scalar(0.5F);
const Tensor weight = Tensor::of<std::int8_t>({1, 6}, {0, 0, 1, 1, -1, 2});
const Tensor bias = floats({0, 0, 0, 0, 4, 0});

}  // namespace

TEST_CASE("QAttention is Attention behind a product of integers") {
  const Tensor four = Tensor::scalar(4.0F);
  CHECK(same(run(1, qattention, {x, weight, bias, step, four, absent, ten}, one_head),
             Tensor::of<float>({1, 2, 2}, {2, 4, 2, 4})));
  CHECK(same(run(1, qattention, {x, weight, bias, step, four, Tensor::of<std::int32_t>({1, 2}, {0, 1}), ten}, one_head),
             Tensor::of<float>({1, 2, 2}, {0, 8, 0, 8})));
  CHECK(same(run(1, qattention, {x, weight, bias, step, four, absent, ten}, {{"num_heads", 1}, {"unidirectional", 1}}),
             Tensor::of<float>({1, 2, 2}, {4, 0, 2, 4})));
}

TEST_CASE("QAttention takes scales and zero points of columns") {
  const Tensor scales = floats({1, 1, 1, 1, 4, 2}), zeros = Tensor::of<std::int8_t>({6}, {0, 0, 0, 0, 0, -2});
  CHECK(same(run(1, qattention, {x, weight, bias, step, scales, absent, ten, zeros}, one_head),
             Tensor::of<float>({1, 2, 2}, {2, 4, 2, 4})));
}

TEST_CASE("QAttention goes on from a past") {
  const Tensor past = Tensor::of<float>({2, 1, 1, 1, 2}, {0, 0, 6, 6});
  const auto outputs = run_op(1, qattention, {Tensor::of<std::uint8_t>({1, 1, 1}, {12}), weight, bias, step,
                                      Tensor::scalar(4.0F), absent, ten, absent, past}, one_head, 2);
  CHECK(same(outputs[0], Tensor::of<float>({1, 1, 2}, {3, 7})));
  CHECK(same(outputs[1], Tensor::of<float>({2, 1, 1, 2, 2}, {0, 0, 4, 4, 6, 6, 0, 8})));
}
