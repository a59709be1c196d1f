#include <cmath>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const char* const lstm = "com.microsoft::DynamicQuantizeLSTM";
const Tensor none;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// One unit that sees one number, by weights of the gates input, output, forget, cell.
struct Unit {
  std::vector<float> w, r;
  float h = 0, c = 0;

  float step(float x, float factor) {
    const auto gate = [&](std::size_t k) { return w[k] * x + r[k] * factor; };
    c = sigmoid(gate(2)) * c + sigmoid(gate(0)) * std::tanh(gate(3));
    return h = sigmoid(gate(1)) * std::tanh(c);
  }
};

/// [directions, in, 4 hidden]
const Tensor w = Tensor::of<std::int8_t>({1, 1, 4}, {50, -100, 25, 100});
const Tensor r = Tensor::of<std::uint8_t>({1, 1, 4}, {138, 148, 98, 168});
const Tensor hundredth = floats({0.01F}), shifted = Tensor::of<std::uint8_t>({1}, {128});
const std::vector<float> w_values{0.5F, -1, 0.25F, 1}, r_values{0.1F, 0.2F, -0.3F, 0.4F};

}  // namespace

TEST_CASE("DynamicQuantizeLSTM quantizes the input and each state") {
  // The range is [-0.51, 2.04]: the step is 0.01, and 0.333 becomes 0.33. A state that stands alone is a bound of its
  // range, and is kept.
  const Tensor x = Tensor::of<float>({3, 1, 1}, {2.04F, -0.51F, 0.333F});
  Unit unit{w_values, r_values};
  std::vector<float> h;
  for (const float value : {2.04F, -0.51F, 0.33F}) h.push_back(unit.step(value, unit.h));
  const auto y = run_op(1, lstm, {x, w, r, none, none, none, none, none, hundredth, none, hundredth, shifted},
                        {{"hidden_size", 1}}, 3);
  CHECK(same(y[0], Tensor::of<float>({3, 1, 1, 1}, h), 1e-5));
  CHECK(same(y[1], Tensor::of<float>({1, 1, 1}, {unit.h}), 1e-5));
  CHECK(same(y[2], Tensor::of<float>({1, 1, 1}, {unit.c}), 1e-5));
}

TEST_CASE("DynamicQuantizeLSTM quantizes the states of a batch together") {
  // Of -0.51, 2.04 and 0.333.
  const Tensor states = Tensor::of<float>({1, 3, 1}, {-0.51F, 2.04F, 0.333F});
  std::vector<float> h;
  for (const float state : {-0.51F, 2.04F, 0.33F}) h.push_back(Unit{w_values, r_values}.step(0, state));
  const Tensor x = Tensor::of<float>({1, 3, 1}, {0, 0, 0});
  CHECK(same(run(1, lstm, {x, w, r, none, none, states, none, none, hundredth, none, hundredth, shifted},
                 {{"hidden_size", 1}}),
             Tensor::of<float>({1, 1, 3, 1}, h), 1e-5));
}

TEST_CASE("DynamicQuantizeLSTM takes scales and zero points of columns") {
  const Tensor scales = Tensor::of<float>({1, 4}, {0.01F, 0.02F, 0.01F, 0.01F});
  const Tensor halved = Tensor::of<std::int8_t>({1, 1, 4}, {50, -50, 20, 100});
  const Tensor zeros = Tensor::of<std::int8_t>({1, 4}, {0, 0, -5, 0});
  const Tensor x = Tensor::of<float>({1, 1, 1}, {2});
  Unit unit{w_values, r_values};
  CHECK(same(run(1, lstm, {x, halved, r, none, none, none, none, none, scales, zeros, hundredth, shifted},
                 {{"hidden_size", 1}}),
             Tensor::of<float>({1, 1, 1, 1}, {unit.step(2, 0)}), 1e-5));
}

TEST_CASE("DynamicQuantizeLSTM refuses what does not fit") {
  const Tensor x = Tensor::of<float>({1, 1, 1}, {2});
  const auto refuses = [&](const Tensor& weight, const Tensor& scale) {
    return failure_of(1, lstm, {x, weight, r, none, none, none, none, none, scale, none, hundredth, shifted},
                      {{"hidden_size", 1}}) != "";
  };
  CHECK_FALSE(refuses(w, hundredth));
  CHECK(refuses(w, floats({1, 2})));
  CHECK(refuses(w.reshaped({1, 4}), hundredth));
  CHECK(refuses(Tensor::of<float>({1, 1, 4}, {1, 2, 3, 4}), hundredth));
}
