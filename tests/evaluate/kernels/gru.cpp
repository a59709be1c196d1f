#include <algorithm>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"
#include "evaluate/two_directions.hpp"

using namespace graft;

namespace {

/// Of three steps, a batch of two, and two units in both directions.
std::vector<Tensor> inputs(std::int64_t gates, std::vector<std::int32_t> lengths) {
  const Tensor weights = scattered({2, 2 * gates, 2});
  return {scattered({3, 2, 2}),       weights, swapped(weights), scattered({2, 4 * gates}),
          Tensor::of({2}, lengths), scattered({2, 2, 2})};
}

std::vector<Tensor> one_way(std::vector<Tensor> inputs) {
  for (const std::size_t i : {1U, 2U, 3U, 5U}) inputs[i] = first_half(inputs[i]);
  return inputs;
}

const Attributes both{{"hidden_size", 2}, {"direction", "bidirectional"}};

Attributes both_and(std::initializer_list<Attribute> more) {
  Attributes attributes = both;
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}

}  // namespace

// The numbers of the next cases are what ONNX Runtime 1.24.4 computes.

TEST_CASE("GRU goes both ways over sequences of different lengths") {
  const auto y = run_op(14, "GRU", inputs(3, {3, 2}), both, 2);
  CHECK(same(y[0], Tensor::of<float>({3, 2, 2, 2}, {-0.31769526F, 0.24180593F,  -0.28520903F, 0.28924584F, 0.22638419F,
                                                    -0.40107822F, 0.18686579F,  -0.31151468F, -0.28464767F,
                                                    0.36622602F,  -0.26568866F, 0.40176859F,  0.17444156F,
                                                    -0.31039482F, 0.07231773F,  -0.11946042F, -0.26121038F,
                                                    0.45267874F,  0,            0,            0.04063673F,
                                                    -0.13775337F, 0,            0})));
  CHECK(same(y[1], Tensor::of<float>({2, 2, 2}, {-0.26121038F, 0.45267874F, -0.26568866F, 0.40176859F, 0.22638419F,
                                                 -0.40107822F, 0.18686579F, -0.31151468F})));
}

TEST_CASE("GRU may reset what it takes of the state behind the product") {
  const auto y = run_op(14, "GRU", inputs(3, {3, 2}), both_and({{"linear_before_reset", 1}}), 2);
  CHECK(same(y[1], Tensor::of<float>({2, 2, 2}, {-0.21456903F, 0.35250372F, -0.22689709F, 0.31867692F, 0.11079329F,
                                                 -0.36309367F, 0.09923476F, -0.27883297F})));
  auto without_bias = inputs(3, {3, 2}), zeros = without_bias;
  without_bias[3] = Tensor();
  zeros[3] = Tensor(DType::f32, {2, 12});
  CHECK(same(run_op(14, "GRU", without_bias, both_and({{"linear_before_reset", 1}}), 2)[1],
             run_op(14, "GRU", zeros, both_and({{"linear_before_reset", 1}}), 2)[1]));
}

TEST_CASE("GRU and RNN bound the inputs of given functions") {
  const auto gru = run_op(14, "GRU", inputs(3, {3, 2}),
                          both_and({{"clip", 0.2F},
                                    {"activations", {"HardSigmoid", "LeakyRelu", "Sigmoid", "Softsign"}},
                                    {"activation_alpha", Floats{0.3F, 0.2F}},
                                    {"activation_beta", Floats{0.4F}}}),
                          2);
  CHECK(same(gru[1], Tensor::of<float>({2, 2, 2}, {-0.05316684F, 0.1866163F, -0.071501F, 0.18413F, 0.10181437F,
                                                   -0.1343575F, 0.06288355F, -0.0822294F})));
  const auto rnn = run_op(14, "RNN", inputs(1, {3, 2}),
                          both_and({{"clip", 0.3F}, {"activations", {"Relu", "Sigmoid"}}}), 2);
  CHECK(same(rnn[1], Tensor::of<float>({2, 2, 2}, {0, 0.3F, 0, 0.3F, 0.42555746F, 0.57444251F, 0.42555746F,
                                                   0.57444251F})));
}

TEST_CASE("RNN goes both ways over sequences of different lengths") {
  const auto y = run_op(14, "RNN", inputs(1, {3, 2}), both, 2);
  CHECK(same(y[0], Tensor::of<float>({3, 2, 2, 2}, {-0.41157007F, 0.37861121F,  -0.430848F,   0.37189901F, -0.21237791F,
                                                    0.58059657F,  -0.20378834F, 0.58858383F,  -0.38689995F,
                                                    0.43080497F,  -0.40039515F, 0.42280483F,  -0.21215379F,
                                                    0.5890131F,   -0.25224835F, 0.55459976F,  -0.41661811F,
                                                    0.41849816F,  0,            0,            -0.23756087F,
                                                    0.56532502F,  0,            0})));
  CHECK(same(y[1], Tensor::of<float>({2, 2, 2}, {-0.41661811F, 0.41849816F, -0.40039515F, 0.42280483F, -0.21237791F,
                                                 0.58059657F, -0.20378834F, 0.58858383F})));
}

TEST_CASE("GRU and RNN leave nothing of a sequence without steps") {
  const Attributes reverse{{"hidden_size", 2}, {"direction", "reverse"}};
  CHECK(same(run_op(14, "GRU", one_way(inputs(3, {1, 0})), reverse, 2)[1],
             Tensor::of<float>({1, 2, 2}, {-0.31769526F, 0.24180593F, 0, 0})));
  CHECK(same(run_op(14, "RNN", one_way(inputs(1, {1, 0})), {{"hidden_size", 2}}, 2)[1],
             Tensor::of<float>({1, 2, 2}, {-0.41157007F, 0.37861121F, 0, 0})));
}

TEST_CASE("GRU and RNN name what does not fit") {
  CHECK(failure_of(14, "GRU", inputs(4, {3, 2}), both).find("[2,8,2]") != std::string::npos);
  CHECK(failure_of(14, "RNN", inputs(1, {3, 4}), both).find("a length of 4") != std::string::npos);
  const std::string failure = failure_of(14, "GRU", inputs(3, {3, 2}), both_and({{"activations", {"Tanh"}}}));
  CHECK(failure.find("1 functions for 2 directions") != std::string::npos);
}
