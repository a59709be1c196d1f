#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"
#include "evaluate/two_directions.hpp"

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

namespace {

Tensor lengths(std::vector<std::int32_t> values) {
  return Tensor::of({static_cast<std::int64_t>(values.size())}, values);
}

const Tensor steps = scattered({3, 2, 2});
const Tensor weights = scattered({2, 8, 2}), recurrence = swapped(weights), biases = scattered({2, 16});
const Tensor first_h = scattered({2, 2, 2}), first_c = swapped(first_h), peeps = scattered({2, 6});

}  // namespace

// The numbers of the next cases are what ONNX Runtime 1.24.4 computes.

TEST_CASE("LSTM goes both ways over sequences of different lengths") {
  const Attributes both{{"hidden_size", 2}, {"direction", "bidirectional"}};
  const auto y = run_op(14, "LSTM", {steps, weights, recurrence, biases, lengths({3, 2}), first_h, first_c, peeps},
                        both, 3);
  CHECK(same(y[0], Tensor::of<float>({3, 2, 2, 2}, {-0.04924329F, 0.05879346F,  -0.04418691F, 0.07208661F, 0.04626202F,
                                                    0.07478189F,  0.01686011F,  0.07170478F,  -0.05404848F,
                                                    -0.01466633F, -0.05504038F, -0.01316609F, 0.009977844F,
                                                    0.06380612F,  -0.054171F,   0.06134088F,  -0.06455577F,
                                                    -0.06764223F, 0,            0,            -0.06589594F,
                                                    0.04660088F,  0,            0})));
  CHECK(same(y[1], Tensor::of<float>({2, 2, 2}, {-0.06455577F, -0.06764223F, -0.05504038F, -0.01316609F, 0.04626202F,
                                                 0.07478189F, 0.01686011F, 0.07170478F})));
  CHECK(same(y[2], Tensor::of<float>({2, 2, 2}, {-0.1485644F, -0.1062048F, -0.1272167F, -0.02056449F, 0.1087112F,
                                                 0.1658327F, 0.03876892F, 0.1567858F})));
}

TEST_CASE("LSTM bounds, couples gates, and takes functions of its own") {
  const Attributes own{
      {"hidden_size", 2}, {"direction", "bidirectional"}, {"clip", 0.2F}, {"input_forget", 1},
      {"activations", {"HardSigmoid", "LeakyRelu", "Affine", "Softplus", "Elu", "ScaledTanh"}},
      {"activation_alpha", Floats{0.3F, 0.2F, 0.9F, 0.8F, 1.5F}}, {"activation_beta", Floats{0.4F, 0.1F, 0.6F}}};
  const auto y = run_op(14, "LSTM", {steps, weights, recurrence, biases, lengths({3, 2}), first_h, first_c, peeps}, own,
                        3);
  CHECK(same(y[0], Tensor::of<float>({3, 2, 2, 2}, {-0.01697768F,  0.0879175F,   -0.005086713F, 0.1011461F,
                                                    0.07731508F,   0.1011598F,   0.06144287F,   0.09466352F,
                                                    -0.003370262F, 0.06421763F,  0.004041172F,  0.07074719F,
                                                    0.0577544F,    0.09140936F,  -0.008983861F, 0.07580441F,
                                                    0.005174028F,  0.04993063F,  0,             0,
                                                    -0.0108786F,   0.06534729F,  0,             0})));
  CHECK(same(y[2], Tensor::of<float>({2, 2, 2}, {-0.09420253F, 0.009494264F, -0.09790467F, 0.05977582F, 0.1439787F,
                                                 0.1853413F, 0.1143159F, 0.1707994F})));
}

TEST_CASE("LSTM leaves nothing of a sequence without steps") {
  for (const char* direction : {"forward", "reverse"}) {
    const auto y = run_op(14, "LSTM",
                          {steps, first_half(weights), first_half(recurrence), first_half(biases), lengths({1, 0}),
                           first_half(first_h), first_half(first_c), first_half(peeps)},
                          {{"hidden_size", 2}, {"direction", direction}}, 3);
    CHECK(same(y[1], Tensor::of<float>({1, 2, 2}, {-0.04924329F, 0.05879346F, 0, 0})));
    CHECK(same(y[2], Tensor::of<float>({1, 2, 2}, {-0.118569F, 0.09558082F, 0, 0})));
  }
}

TEST_CASE("each function of an LSTM, as that of the cell's input") {
  struct Case {
    const char* function;
    Floats alpha, beta;
    float h, c;
  };
  for (const Case& one : std::vector<Case>{{"Tanh", {}, {}, 0.020792445F, 0.72778219F},
                                           {"Relu", {0.7F}, {0.2F}, 0.012729438F, 2.81933403F},
                                           {"Affine", {0.7F}, {0.2F}, 0.019037738F, 1.75048828F},
                                           {"LeakyRelu", {0.7F}, {}, 0.015316951F, 2.25541782F},
                                           {"LeakyRelu", {}, {}, 0.012764134F, 2.81150222F},
                                           {"ThresholdedRelu", {0.7F}, {}, 0.012729438F, 2.81933403F},
                                           {"ThresholdedRelu", {}, {}, 0.012729438F, 2.81933403F},
                                           {"ScaledTanh", {0.7F}, {0.2F}, 0.011556617F, 0.28269461F},
                                           {"HardSigmoid", {0.7F}, {0.2F}, 0.023683960F, 1.00219345F},
                                           {"HardSigmoid", {}, {}, 0.023568101F, 0.98483527F},
                                           {"Elu", {0.7F}, {}, 0.013846693F, 2.57082915F},
                                           {"Elu", {}, {}, 0.014345317F, 2.46242476F},
                                           {"Softsign", {}, {}, 0.018529586F, 0.55924445F},
                                           {"Softplus", {}, {}, 0.011814706F, 3.01671386F}}) {
    INFO(one.function);
    const auto y = run_op(22, "LSTM", {x, w, r, bias, Tensor(), Tensor(), Tensor(), peepholes},
                          {{"hidden_size", 1},
                           {"activations", {"Sigmoid", one.function, "Tanh"}},
                           {"activation_alpha", one.alpha},
                           {"activation_beta", one.beta}},
                          3);
    CHECK(y[1].item<float>() == Approx(one.h).epsilon(1e-5));
    CHECK(y[2].item<float>() == Approx(one.c).epsilon(1e-5));
  }
}

TEST_CASE("the bound of an LSTM holds for what enters the last function too") {
  const auto y = run_op(7, "LSTM", {x, w, r, bias, Tensor(), Tensor(), Tensor(), peepholes},
                        {{"hidden_size", 1}, {"clip", 0.3F}}, 3);
  CHECK(same(y[0], Tensor::of<float>({3, 1, 1, 1}, {0.0705564097F, -0.0302774720F, 0.0579547025F})));
  CHECK(y[2].item<float>() == Approx(0.1370367855F));
  const auto coupled = run_op(7, "LSTM", {x, w, r, bias, Tensor(), Tensor(), Tensor(), peepholes},
                              {{"hidden_size", 1}, {"input_forget", 1}}, 3);
  CHECK(coupled[2].item<float>() == Approx(0.8203204870F));
}

// The runtime has neither layout 1 nor opset 1 nor doubles: these follow from the rest.

TEST_CASE("LSTM with the batch first is the same, turned") {
  const auto turned = [](const Tensor& t) {  // the first two axes, of [*, 2, 2]
    std::vector<float> values;
    for (std::int64_t j = 0; j < t.dims()[1]; ++j) {
      for (std::int64_t i = 0; i < t.dims()[0]; ++i) {
        const auto at = static_cast<std::size_t>(i * t.dims()[1] + j) * 2;
        values.insert(values.end(), {t.data<float>()[at], t.data<float>()[at + 1]});
      }
    }
    return Tensor::of({t.dims()[1], t.dims()[0], 2}, values);
  };
  const std::vector<Tensor> inputs{steps, weights, recurrence, biases, lengths({3, 2}), first_h, first_c, peeps};
  std::vector<Tensor> batch_first = inputs;
  for (const std::size_t i : {0U, 5U, 6U}) batch_first[i] = turned(inputs[i]);
  const auto wanted = run_op(14, "LSTM", inputs, {{"hidden_size", 2}, {"direction", "bidirectional"}}, 3);
  const auto y = run_op(14, "LSTM", batch_first,
                        {{"hidden_size", 2}, {"direction", "bidirectional"}, {"layout", 1}}, 3);
  CHECK(y[0].dims() == Dims{2, 3, 2, 2});
  CHECK(y[0].to<float>()[2 * 4 + 3] == wanted[0].to<float>()[2 * 8 + 2 * 2 + 1]);  // batch 0, step 2, backwards, unit 1
  CHECK(same(y[1], turned(wanted[1]), 0));
  CHECK(same(y[2], turned(wanted[2]), 0));
}

TEST_CASE("LSTM computes doubles, is the same in opset 1, and may lack outputs") {
  std::vector<Tensor> inputs{steps, weights, recurrence, biases, lengths({3, 2}), first_h, first_c, peeps};
  const Attributes both{{"hidden_size", 2}, {"direction", "bidirectional"}};
  const Tensor y = run_op(14, "LSTM", inputs, both, 3)[0];
  CHECK(same(run(1, "LSTM", inputs, both), y, 0));
  for (const std::size_t i : {0U, 1U, 2U, 3U, 5U, 6U, 7U})
    inputs[i] = Tensor::of(DType::f64, inputs[i].dims(), inputs[i].to<float>());
  CHECK(same(run(14, "LSTM", inputs, both), Tensor::of(DType::f64, y.dims(), y.to<float>()), 1e-6));
}

TEST_CASE("LSTM names what does not fit") {
  const auto refused = [](const Attributes& attributes, std::string_view word,
                          const std::vector<Tensor>& inputs = {x, w, r}) {
    const std::string failure = failure_of(14, "LSTM", inputs, attributes);
    INFO(failure);
    CHECK(failure.find(word) != std::string::npos);
  };
  refused({{"hidden_size", 2}}, "hidden_size");
  refused({{"hidden_size", 1}, {"clip", -1.0F}}, "clip");
  refused({{"hidden_size", 1}, {"direction", "sideways"}}, "direction");
  refused({{"hidden_size", 1}, {"activations", {"Sigmoid", "Tanh"}}}, "activations");
  refused({{"hidden_size", 1}, {"activations", {"Sigmoid", "Tanh", "Sine"}}}, "Sine");
  refused({{"hidden_size", 1}, {"activations", {"Sigmoid", "Tanh", "Affine"}}}, "activation_alpha");
  refused({{"hidden_size", 1}}, "a length of 4", {x, w, r, Tensor(), lengths({4})});
  refused({{"hidden_size", 1}}, "2 lengths", {x, w, r, Tensor(), lengths({1, 1})});
  refused({{"hidden_size", 2}}, "[1,8,1]", {x, w, Tensor::of<float>({1, 4, 2}, std::vector<float>(8, 0))});
}
