#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Scores of one query and two keys are 0 and log(3): the weights are 1/4 and 3/4.
const Tensor q = Tensor::of<float>({1, 1, 1, 1}, {1});
const Tensor k = Tensor::of<float>({1, 1, 2, 1}, {0, std::log(3.0F)});
const Tensor v = Tensor::of<float>({1, 1, 2, 2}, {0, 4, 8, 0});

Tensor row(std::initializer_list<float> values) { return Tensor::of<float>({1, 1, 1, 2}, values); }

}  // namespace

TEST_CASE("Attention weighs values by the softmax of the scores") {
  CHECK(same(run(23, "Attention", {q, k, v}), row({6, 1})));
  CHECK(same(run(23, "Attention", {q, k, v}, {{"scale", 2.0F}}), row({7.2F, 0.4F}), 1e-5));
  CHECK(failure_of(23, "Attention", {q, k, Tensor::of<float>({1, 1, 1, 1}, {1})}) != "");
}

TEST_CASE("Attention with masks") {
  CHECK(same(run(23, "Attention", {q, k, v, Tensor::of<float>({1, 2}, {std::log(3.0F), 0})}), row({4, 2})));
  const Tensor first = Tensor::of<bool>({1, 2}, std::vector<bool>{true, false});
  CHECK(same(run(23, "Attention", {q, k, v, first}), row({0, 4})));
  const Tensor nothing = Tensor::of<bool>({1, 2}, std::vector<bool>{false, false});
  CHECK(same(run(23, "Attention", {q, k, v, nothing}), row({0, 0})));
  const float low = std::numeric_limits<float>::lowest(), inf = std::numeric_limits<float>::infinity();
  CHECK(same(run(23, "Attention", {q, k, v, Tensor::of<float>({1, 2}, {low, low})}), row({4, 2})));
  CHECK(same(run(23, "Attention", {q, k, v, Tensor::of<float>({1, 2}, {-inf, -inf})}), row({0, 0})));
  const Tensor shorter = Tensor::of<bool>({1, 1}, std::vector<bool>{true});
  CHECK(same(run(24, "Attention", {q, k, v, shorter}), row({0, 4})));
  CHECK(same(run(23, "Attention", {q, k, v, shorter}), row({6, 1})));  // it broadcasts
  const Tensor three = Tensor::of<float>({1, 1, 3, 1}, {0, 0, 0}), two = Tensor::of<float>({1, 2}, {0, 0});
  CHECK(same(run(24, "Attention", {q, three, three, two}), Tensor::of<float>({1, 1, 1, 1}, {0})));
  CHECK(failure_of(23, "Attention", {q, three, three, two}) != "");
  CHECK(same(run(23, "Attention", {q, k, v}, {{"is_causal", 1}}), row({0, 4})));
  const Tensor none;
  CHECK(same(run(24, "Attention", {q, k, v, none, none, none, ints({1})}), row({0, 4})));
  CHECK(same(run(24, "Attention", {q, k, v, none, none, none, ints({0})}), row({0, 0})));
  CHECK(failure_of(24, "Attention", {q, k, v, none, none, none, ints({1, 1})}) != "");
  CHECK(failure_of(23, "Attention", {q, k, v, Tensor::of<float>({2, 1, 2}, {0, 0, 0, 0})}) != "");
}

TEST_CASE("a causal Attention with lengths of keys has its last query at the last of them") {
  const Tensor queries = Tensor::of<float>({1, 1, 2, 1}, {1, 1}), none;
  const auto with = [&](std::int64_t count) {
    return run(24, "Attention", {queries, k, v, none, none, none, ints({count})}, {{"is_causal", 1}});
  };
  CHECK(same(with(2), Tensor::of<float>({1, 1, 2, 2}, {0, 4, 6, 1})));
  CHECK(same(with(1), Tensor::of<float>({1, 1, 2, 2}, {0, 0, 0, 4})));  // the first query sees no key
}

TEST_CASE("the windows of an Attention are around the query") {
  const Tensor three = Tensor::of<float>({1, 1, 3, 1}, {0, 0, 0});
  const Tensor values = Tensor::of<float>({1, 1, 3, 1}, {6, 12, 24}), none;
  const auto windowed = [&](const Attributes& attributes) {
    return run(25, "Attention", {three, three, values}, attributes).to<float>();
  };
  CHECK(windowed({}) == std::vector<float>{14, 14, 14});
  CHECK(windowed({{"left_window_size", 0}}) == std::vector<float>{14, 18, 24});
  CHECK(windowed({{"right_window_size", 1}}) == std::vector<float>{9, 14, 14});
  CHECK(windowed({{"left_window_size", 1}, {"right_window_size", 0}}) == std::vector<float>{6, 9, 18});
  CHECK(windowed({{"left_window_size", 1}, {"is_causal", 1}}) == std::vector<float>{6, 9, 18});
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(windowed({{"left_window_size", most}, {"right_window_size", most}}) == std::vector<float>{14, 14, 14});
  const Tensor one = Tensor::of<float>({1, 1, 1, 1}, {0});
  CHECK(run(25, "Attention", {one, three, values, none, one, one}, {{"left_window_size", 0}, {"right_window_size", 0}})
            .to<float>() == std::vector<float>{6});  // the first behind the past
  CHECK(run(25, "Attention", {one, three, values, none, none, none, ints({2})}, {{"left_window_size", 0}})
            .to<float>() == std::vector<float>{12});  // the last that counts
}

TEST_CASE("Attention goes on from a past, which the causal mask lets all see") {
  const Tensor past_k = Tensor::of<float>({1, 1, 1, 1}, {0});
  const Tensor past_v = Tensor::of<float>({1, 1, 1, 2}, {0, 4});
  const Tensor new_k = Tensor::of<float>({1, 1, 1, 1}, {std::log(3.0F)});
  const Tensor new_v = Tensor::of<float>({1, 1, 1, 2}, {8, 0});
  const auto outputs = run_op(23, "Attention", {q, new_k, new_v, Tensor(), past_k, past_v}, {{"is_causal", 1}}, 4);
  CHECK(same(outputs[0], row({6, 1})));
  CHECK(same(outputs[1], k));
  CHECK(same(outputs[2], v));
}

TEST_CASE("Attention shows its scores at any stage") {
  const Tensor mask = Tensor::of<float>({1, 2}, {1, 0});
  const auto stage = [&](int mode) {
    return run_op(23, "Attention", {q, k, v, mask}, {{"qk_matmul_output_mode", mode}, {"softcap", 2.0F}}, 4)[3];
  };
  const float l = std::log(3.0F);
  CHECK(same(stage(0), row({0, l})));
  const float a = 1, b = 2 * std::tanh(l / 2);
  CHECK(same(stage(1), row({0, b})));
  CHECK(same(stage(2), row({a, b})));
  CHECK(same(stage(3), row({1 / (1 + std::exp(b - a)), 1 / (1 + std::exp(a - b))})));
}

TEST_CASE("Attention shows no weights of a query that sees no key") {
  const Tensor nothing = Tensor::of<bool>({1, 2}, std::vector<bool>{false, false});
  CHECK(same(run_op(23, "Attention", {q, k, v, nothing}, {{"qk_matmul_output_mode", 3}}, 4)[3], row({0, 0})));
}

TEST_CASE("Attention of flat inputs, whose keys serve several heads") {
  const Tensor flat_q = Tensor::of<float>({1, 1, 2}, {1, 0});
  const Tensor flat_k = Tensor::of<float>({1, 2, 1}, {0, std::log(3.0F)});
  const Tensor flat_v = Tensor::of<float>({1, 2, 1}, {0, 8});
  CHECK(same(run(23, "Attention", {flat_q, flat_k, flat_v}, {{"q_num_heads", 2}, {"kv_num_heads", 1}}),
             Tensor::of<float>({1, 1, 2}, {6, 4})));
  CHECK(failure_of(23, "Attention", {flat_q, flat_k, flat_v}) != "");
}

TEST_CASE("Attention names no stage beyond its four") {
  CHECK(failure_of(23, "Attention", {q, k, v}, {{"qk_matmul_output_mode", 4}}) != "");
}
