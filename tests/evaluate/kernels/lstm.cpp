#include <cmath>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

/// One unit that sees one number: weights of the gates input, output, forget, cell.
struct Unit {
  float w[4], r[4], b[4], peep[3];
  float h = 0, c = 0;

  float step(float x) {
    const auto gate = [&](int k) { return w[k] * x + r[k] * h + b[k]; };
    const float input = sigmoid(gate(0) + peep[0] * c);
    const float forget = sigmoid(gate(2) + peep[2] * c);
    c = forget * c + input * std::tanh(gate(3));
    const float output = sigmoid(gate(1) + peep[1] * c);
    return h = output * std::tanh(c);
  }
};

const Unit fresh{{0.5F, -1, 0.25F, 1}, {0.1F, 0.2F, -0.3F, 0.4F}, {0.01F, 0.02F, 0.03F, 0.04F}, {0.5F, -0.5F, 0.25F}};
const Tensor w = Tensor::of<float>({1, 4, 1}, {0.5F, -1, 0.25F, 1});
const Tensor r = Tensor::of<float>({1, 4, 1}, {0.1F, 0.2F, -0.3F, 0.4F});
const Tensor bias = Tensor::of<float>({1, 8}, {0.01F, 0.01F, 0.03F, 0, 0, 0.01F, 0, 0.04F});
const Tensor peepholes = Tensor::of<float>({1, 3}, {0.5F, -0.5F, 0.25F});
const Tensor x = Tensor::of<float>({3, 1, 1}, {1, -2, 3});

}  // namespace

TEST_CASE("LSTM follows its equations, forwards and in reverse") {
  Unit unit = fresh;
  std::vector<float> h;
  for (const float value : {1.0F, -2.0F, 3.0F}) h.push_back(unit.step(value));
  const auto y = run_op(14, "LSTM", {x, w, r, bias, Tensor(), Tensor(), Tensor(), peepholes}, {{"hidden_size", 1}}, 3);
  CHECK(same(y[0], Tensor::of<float>({3, 1, 1, 1}, h)));
  CHECK(same(y[1], Tensor::of<float>({1, 1, 1}, {unit.h})));
  CHECK(same(y[2], Tensor::of<float>({1, 1, 1}, {unit.c})));

  Unit back = fresh;
  std::vector<float> reversed(3);
  for (const std::size_t t : {2U, 1U, 0U}) reversed[t] = back.step(x.to<float>()[t]);
  const Attributes reverse{{"hidden_size", 1}, {"direction", "reverse"}};
  CHECK(same(run(14, "LSTM", {x, w, r, bias, Tensor(), Tensor(), Tensor(), peepholes}, reverse),
             Tensor::of<float>({3, 1, 1, 1}, reversed)));
}

TEST_CASE("LSTM starts from given states, and may have the batch first") {
  Unit unit = fresh;
  unit.peep[0] = unit.peep[1] = unit.peep[2] = 0;
  unit.h = 0.5F;
  unit.c = -1;
  const float h = unit.step(2);
  const Tensor state_h = Tensor::of<float>({1, 1, 1}, {0.5F}), state_c = Tensor::of<float>({1, 1, 1}, {-1});
  const Tensor one = Tensor::of<float>({1, 1, 1}, {2});
  CHECK(same(run(14, "LSTM", {one, w, r, bias, Tensor(), state_h, state_c}, {{"hidden_size", 1}}),
             Tensor::of<float>({1, 1, 1, 1}, {h})));
  const Tensor batch = Tensor::of<float>({2, 1, 1}, {2, 2});
  const Tensor y = run(14, "LSTM", {batch, w, r, bias}, {{"hidden_size", 1}, {"layout", 1}});
  CHECK(y.dims() == Dims{2, 1, 1, 1});
  CHECK(y.to<float>()[0] == y.to<float>()[1]);
}

TEST_CASE("LSTM says what it does not support") {
  CHECK(failure_of(14, "LSTM", {x, w, r}, {{"hidden_size", 1}, {"clip", 1.0}}).find("clip") != std::string::npos);
  CHECK(failure_of(14, "LSTM", {x, w, Tensor::of<float>({1, 4, 2}, std::vector<float>(8, 0))}, {{"hidden_size", 2}})
            .find("[1,8,1]") != std::string::npos);
}
