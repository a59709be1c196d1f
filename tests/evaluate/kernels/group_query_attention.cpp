#include <cmath>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Scores of a query 1 and two keys are 0 and log(3): the weights are 1/4 and 3/4.
const float l = std::log(3.0F);

Tensor i32(Dims dims, std::vector<std::int32_t> values) { return Tensor::of<std::int32_t>(std::move(dims), values); }

}  // namespace

TEST_CASE("GroupQueryAttention shares keys, and sees none behind a query") {
  const Tensor queries = Tensor::of<float>({1, 2, 2}, {1, 1, 1, 1});  // two heads
  const Tensor keys = Tensor::of<float>({1, 2, 1}, {0, l}), values = Tensor::of<float>({1, 2, 1}, {0, 8});
  const Tensor empty(DType::f32, {1, 1, 0, 1});
  const Attributes heads{{"num_heads", 2}, {"kv_num_heads", 1}};
  const auto outputs = run_op(1, "com.microsoft::GroupQueryAttention",
                              {queries, keys, values, empty, empty, i32({1}, {1}), i32({}, {2})}, heads, 3);
  CHECK(same(outputs[0], Tensor::of<float>({1, 2, 2}, {0, 0, 6, 6})));
  CHECK(same(outputs[1], keys.reshaped({1, 1, 2, 1})));
  CHECK(same(outputs[2], values.reshaped({1, 1, 2, 1})));
}

TEST_CASE("GroupQueryAttention puts new steps behind those of each batch") {
  const Tensor step = Tensor::of<float>({2, 1, 1}, {1, 1});
  const Tensor past = Tensor::of<float>({2, 1, 2, 1}, {0, 0, 5, 0});
  const Attributes heads{{"num_heads", 1}, {"kv_num_heads", 1}};
  const auto outputs = run_op(1, "com.microsoft::GroupQueryAttention",
                              {step, Tensor::of<float>({2, 1, 1}, {l, 0}), Tensor::of<float>({2, 1, 1}, {9, 7}), past,
                               past, i32({2}, {2, 0}), i32({}, {3})},
                              heads, 3);
  CHECK(same(outputs[1], Tensor::of<float>({2, 1, 3, 1}, {0, 0, l, 0, 0, 0})));
  CHECK(same(outputs[2], Tensor::of<float>({2, 1, 3, 1}, {0, 0, 9, 7, 0, 0})));
  CHECK(same(outputs[0], Tensor::of<float>({2, 1, 1}, {9 * 0.6F, 7}), 1e-5));
  CHECK(failure_of(1, "com.microsoft::GroupQueryAttention",
                   {step, step, step, past, past, i32({2}, {5, 5}), i32({}, {3})}, heads) != "");
}

TEST_CASE("GroupQueryAttention refuses operands that do not fit") {
  const Tensor step = Tensor::of<float>({1, 1, 2}, {1, 1}), past = Tensor::of<float>({1, 1, 1, 2}, {1, 1});
  const auto refuses = [&](const Tensor& key, const Tensor& value, const Tensor& before, std::int32_t last) {
    return failure_of(1, "com.microsoft::GroupQueryAttention",
                      {step, key, value, before, past, i32({1}, {last}), i32({}, {last == 1 ? 2 : 1})},
                      {{"num_heads", 1}, {"kv_num_heads", 1}}) != "";
  };
  CHECK_FALSE(refuses(step, step, past, 1));
  CHECK(refuses(step, step, past, -2));
  CHECK(refuses(step, step, past, -100000));
  CHECK(refuses(Tensor::of<float>({1, 1, 1}, {1}), step, past, 1));
  CHECK(refuses(step, Tensor::of<float>({1, 1, 1}, {1}), past, 1));
  CHECK(refuses(step, step, Tensor::of<float>({1, 1, 1, 1}, {1}), 1));
  CHECK(refuses(step, step, floats({1}), 1));
}
