#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Scores of one query and two keys are 0 and log(3): the weights are 1/4 and 3/4.
const float l = std::log(3.0F);
const Tensor q = Tensor::of<float>({1, 1, 1}, {1});
const Tensor k = Tensor::of<float>({1, 2, 1}, {0, l});
const Tensor v = Tensor::of<float>({1, 2, 2}, {0, 4, 8, 0});
const Tensor absent;
const Attribute one_head{"num_heads", 1};

Tensor i32(Dims dims, std::vector<std::int32_t> values) { return Tensor::of<std::int32_t>(std::move(dims), values); }
Tensor row(std::initializer_list<float> values) { return Tensor::of<float>({1, 1, 2}, values); }

Tensor multi_head(const std::vector<Tensor>& inputs, Attributes attributes = {}) {
  attributes.push_back(one_head);
  return run(1, "com.microsoft::MultiHeadAttention", inputs, attributes);
}

}  // namespace

TEST_CASE("MultiHeadAttention weighs values by the softmax of the scores") {
  CHECK(same(multi_head({q, k, v}), row({6, 1})));
  CHECK(same(multi_head({q, k, v}, {{"scale", 2.0F}}), row({7.2F, 0.4F}), 1e-5));
  const Tensor by_heads = k.reshaped({1, 1, 2, 1}), values = v.reshaped({1, 1, 2, 2});
  CHECK(same(multi_head({q, by_heads, values}), row({6, 1})));
  // Bias of q, k and v.
  CHECK(same(multi_head({q, k, v, floats({1, 5, 1, -1})}), row({8.2F, -0.6F}), 1e-5));
}

TEST_CASE("MultiHeadAttention with masks") {
  const Tensor added = Tensor::of<float>({1, 1, 1, 2}, {l, 0});
  CHECK(same(multi_head({q, k, v, absent, absent, added}), row({4, 2})));
  CHECK(same(multi_head({q, k, v, absent, i32({1, 2}, {1, 0})}), row({0, 4})));
  CHECK(same(multi_head({q, k, v, absent, i32({1}, {1})}), row({0, 4})));
  CHECK(same(multi_head({q, k, v, absent, i32({1, 1, 2}, {0, 1})}), row({8, 0})));
  // All keys are hidden alike: scores go on to count.
  CHECK(same(multi_head({q, k, v, absent, i32({1, 2}, {0, 0})}), row({6, 1}), 1e-3));
  CHECK(same(multi_head({q, k, v}, {{"unidirectional", 1}}), row({0, 4})));
  CHECK(failure_of(1, "com.microsoft::MultiHeadAttention", {q, k, v, absent, i32({1, 3}, {1, 1, 1})}, {one_head}) !=
        "");
}

TEST_CASE("MultiHeadAttention goes on from a past") {
  const Tensor past_k = Tensor::of<float>({1, 1, 1, 1}, {0}), past_v = Tensor::of<float>({1, 1, 1, 2}, {0, 4});
  const Tensor new_k = Tensor::of<float>({1, 1, 1}, {l}), new_v = Tensor::of<float>({1, 1, 2}, {8, 0});
  const auto outputs =
      run_op(1, "com.microsoft::MultiHeadAttention", {q, new_k, new_v, absent, absent, absent, past_k, past_v},
             {one_head, {"unidirectional", 1}}, 3);
  CHECK(same(outputs[0], row({6, 1})));
  CHECK(same(outputs[1], k.reshaped({1, 1, 2, 1})));
  CHECK(same(outputs[2], v.reshaped({1, 1, 2, 2})));
}

TEST_CASE("com.microsoft's Attention projects one input") {
  // q = x, k = l * x, v = (4 - 4 x, 8 x) where x is 0, 1.
  const Tensor x = Tensor::of<float>({1, 2, 1}, {0, 1});
  const Tensor weight = Tensor::of<float>({1, 4}, {1, l, 8, -4}), bias = floats({0, 0, 0, 4});
  const Attributes sizes{one_head, {"qkv_hidden_sizes", {1, 1, 2}}};
  const Tensor y = run(1, "com.microsoft::Attention", {x, weight, bias}, sizes);
  CHECK(same(y, Tensor::of<float>({1, 2, 2}, {4, 2, 6, 1})));
  const Tensor masked = run(1, "com.microsoft::Attention", {x, weight, bias, i32({1, 2}, {1, 0})}, sizes);
  CHECK(same(masked, Tensor::of<float>({1, 2, 2}, {0, 4, 0, 4})));
  const Tensor ends = run(1, "com.microsoft::Attention", {x, weight, bias, i32({2}, {2, 1})}, sizes);
  CHECK(same(ends, Tensor::of<float>({1, 2, 2}, {8, 0, 8, 0})));
  CHECK(failure_of(1, "com.microsoft::Attention", {x, weight, bias}, {one_head, {"do_rotary", 1}}) != "");
}

TEST_CASE("attention of com.microsoft refuses operands that do not fit") {
  const auto refuses = [](const char* op, const std::vector<Tensor>& inputs, Attributes attributes = {}) {
    attributes.push_back(one_head);
    return failure_of(1, op, inputs, attributes) != "";
  };
  constexpr const char *multi = "com.microsoft::MultiHeadAttention", *merged = "com.microsoft::Attention";
  CHECK(refuses(multi, {q, k, v, floats({1})}));
  CHECK(refuses(multi, {q, k, v, Tensor::of<float>({}, {1})}));
  CHECK(refuses(multi, {q, Tensor::of<float>({}, {1}), v}));
  CHECK(refuses(merged, {floats({1, 2, 3}), floats({1, 2, 3})}));
  CHECK(refuses(merged, {q, Tensor::of<float>({1, 3}, {1, 2, 3})}, {{"qkv_hidden_sizes", {-400000, 1, 400002}}}));
}
