#include <graft/qdq/symmetric_int8.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/print.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

const Node& maker(const Model& model, std::string_view value) { return *model.graph().find(value)->producer(); }

std::vector<float> outputs(const Model& model, const std::vector<float>& x) {
  Evaluator evaluator(model.graph());
  const Feeds feeds{{"x", Tensor::of<float>({static_cast<std::int64_t>(x.size())}, x)}};
  return evaluator.run(feeds).at(0).to<float>();
}

const std::vector<float> samples{-9, -1, -0.26f, -0.1f, 0, 0.04f, 0.3f, 1, 2.5f, 30};

std::string pair(const std::string& scale, const std::string& zero) {
  return "opset 13; x: f32[10]; s = f32[] " + scale + "; z = " + zero +
         "; y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)";
}

}  // namespace

TEST_CASE("uint8 around 128 becomes int8 around 0, and values stay", "[qdq]") {
  const Model before = graph(pair("0.1", "u8[] 128"));
  Model model = graph(pair("0.1", "u8[] 128"));
  CHECK(symmetric_int8().run(model).changes == 1);
  INFO(to_string(model.graph()));
  CHECK(qparams_of(maker(model, "y")) == QParams{0.1f, 0, DType::i8});
  CHECK(maker(model, "y").input(0)->dtype() == DType::i8);
  CHECK(outputs(model, samples) == outputs(before, samples));
  CHECK(symmetric_int8().run(model).changes == 0);
}

TEST_CASE("other ranges fit into int8 around 0, with larger steps", "[qdq]") {
  for (const std::string zero : {"u8[] 100", "i8[] 5", "u8[] 0", "i8[] -128", "u8[] 200", "u8[] 255"}) {
    const Model before = graph(pair("0.1", zero));
    Model model = graph(pair("0.1", zero));
    symmetric_int8().run(model);
    INFO(zero << to_string(model.graph()));
    const QParams q = *qparams_of(maker(model, "y"));
    CHECK(q.dtype == DType::i8);
    CHECK(q.zero_point == 0);
    CHECK(q.scale <= 0.2008f);
    const std::vector<float> wanted = outputs(before, samples), found = outputs(model, samples);
    for (std::size_t i = 0; i < samples.size(); ++i) CHECK(found[i] == Approx(wanted[i]).margin(0.16));
  }
}

TEST_CASE("what a least value of 0 did for a Relu, a Relu does", "[qdq]") {
  const auto relus = [](const std::string& text) {
    Model model = graph(text);
    symmetric_int8().run(model);
    std::size_t count = 0;
    for (const Node& node : model.graph().nodes()) count += node.is("Relu");
    return count;
  };
  CHECK(relus(pair("0.1", "u8[] 0")) == 1);
  CHECK(relus(pair("0.1", "u8[] 3")) == 0);
  CHECK(relus("opset 13; x: f32[10]; s = f32[] 0.1; z = u8[] 0; "
              "y = DequantizeLinear(QuantizeLinear(Sigmoid(x), s, z), s, z)") == 0);
  CHECK(relus("opset 13; x: f32[1,1,2,5]; s = f32[] 0.1; z = u8[] 0; "
              "y = DequantizeLinear(QuantizeLinear(MaxPool(Relu(x)) {kernel_shape=[2,2]}, s, z), s, z)") == 1);
}

TEST_CASE("biases with the scales of products become float where a scale changes", "[qdq]") {
  const auto bias_of = [](const Pass& pass, const std::string& zero, const std::string& weight) {
    Model model = graph("opset 13; x: f32[1,2]; s = f32[] 0.1; z = " + zero + "; b = i32[2] {5, -7}; " +
                        "t = f32[2] 0.25; c = DequantizeLinear(b, t) {axis=0}; " + weight +
                        "; y = Gemm(Flatten(DequantizeLinear(QuantizeLinear(x, s, z), s, z)), w, c)");
    pass.run(model);
    INFO(to_string(model.graph()));
    const Value& bias = *maker(model, "y").input(2);
    if (bias.is_constant()) CHECK(bias.constant()->to<float>() == std::vector<float>{1.25f, -1.75f});
    return std::string(bias.is_constant() ? "float" : "int32");
  };
  const std::string symmetric = "w = DequantizeLinear(i8[2,2] 1, f32[] 0.1)";
  CHECK(bias_of(symmetric_int8(), "u8[] 100", symmetric) == "float");
  CHECK(bias_of(symmetric_int8(), "u8[] 128", symmetric) == "int32");
  CHECK(bias_of(symmetric_int8(), "i8[] 0", symmetric) == "int32");
  CHECK(bias_of(symmetric_int8(), "i8[] 0", "w = DequantizeLinear(u8[2,2] 1, f32[] 0.1, u8[] 7)") == "float");
  const std::string along_inputs = "w = DequantizeLinear(i8[2,2] {1, 2, 3, 4}, f32[2] 0.1) {axis=0}";
  CHECK(bias_of(quantize_along_outputs(), "i8[] 0", along_inputs) == "float");
  CHECK(bias_of(quantize_along_outputs(), "i8[] 0", symmetric) == "int32");
}

TEST_CASE("constants of uint8 are shifted, or rounded again", "[qdq]") {
  const auto floats = [](const Model& model) {
    return Evaluator(model.graph()).run(Feeds{}).at(0).to<float>();
  };
  const std::string around_128 =
      "opset 13; w = u8[2,2] {128, 130, 100, 255}; s = f32[2] {0.1, 0.2}; z = u8[2] {128, 128}; "
      "y = DequantizeLinear(w, s, z) {axis=1}";
  Model model = graph(around_128);
  symmetric_int8().run(model);
  INFO(to_string(model.graph()));
  CHECK(maker(model, "y").input(0)->dtype() == DType::i8);
  CHECK(maker(model, "y").input(2)->constant()->to<int>() == std::vector<int>{0, 0});
  CHECK(floats(model) == floats(graph(around_128)));
  Model other = graph("opset 13; w = u8[4] {0, 10, 20, 30}; s = f32[] 0.1; z = u8[] 10; y = DequantizeLinear(w, s, z)");
  symmetric_int8().run(other);
  CHECK(maker(other, "y").input(2)->constant()->item<std::int64_t>() == 0);
  const std::vector<float> values = floats(other);
  for (std::size_t i = 0; i < 4; ++i) CHECK(values[i] == Approx(static_cast<float>(i) - 1).margin(0.01));
}

TEST_CASE("integers that others read, inputs and outputs stay", "[qdq]") {
  for (const char* const text :
       {"x: f32[4]; s = f32[] 0.1; z = u8[] 128; q = QuantizeLinear(x, s, z); y = DequantizeLinear(q, s, z); "
        "return y, q",
        "x: f32[4]; s = f32[] 0.1; z = u8[] 128; q = QuantizeLinear(x, s, z); y = Cast(q) {to=f32}",
        "q: u8[4]; s = f32[] 0.1; z = u8[] 128; y = DequantizeLinear(q, s, z)",
        "x: f32[4]; s = f32[] 0.1; z: u8[]; y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)"}) {
    Model model = graph(std::string("opset 13; ") + text);
    CHECK(symmetric_int8().run(model).changes == 0);
  }
}

TEST_CASE("biases become float, and their values stay", "[qdq]") {
  Model model = graph("opset 13; x: f32[1,2,4,4]; w = f32[2,2,1,1] random; "
                      "y = Conv(x, w, DequantizeLinear(i32[2] {5, -7}, f32[2] {0.5, 0.25}) {axis=0})");
  CHECK(float_biases().run(model).changes == 1);
  INFO(to_string(model.graph()));
  REQUIRE(maker(model, "y").input(2)->is_constant());
  CHECK(maker(model, "y").input(2)->constant()->to<float>() == std::vector<float>{2.5f, -1.75f});
  CHECK(model.graph().nodes().size() == 1);
  Model eight = graph("opset 13; y = DequantizeLinear(i8[2] {5, -7}, f32[] 0.5)");
  CHECK(float_biases().run(eight).changes == 0);
}

TEST_CASE("axes and zero points are written where they are absent", "[qdq]") {
  Model model = graph("opset 13; w = i8[4,2] 1; s = f32[2] {0.1, 0.2}; y = DequantizeLinear(w, s)");
  CHECK(state_quantizers().run(model).changes == 1);
  const Node& node = maker(model, "y");
  REQUIRE(node.attribute("axis") != nullptr);
  CHECK(node.attribute("axis")->i() == 1);
  REQUIRE(node.input(2) != nullptr);
  CHECK(node.input(2)->dtype() == DType::i8);
  CHECK(node.input(2)->constant()->dims() == Dims{2});
  CHECK(state_quantizers().run(model).changes == 0);
  Model quantize = graph("opset 13; x: f32[4]; y = QuantizeLinear(x, f32[] 0.1)");
  state_quantizers().run(quantize);
  REQUIRE(maker(quantize, "y").input(2) != nullptr);
  CHECK(maker(quantize, "y").input(2)->dtype() == DType::u8);
}

TEST_CASE("weights get a scale for each output channel", "[qdq]") {
  const auto axis = [](const std::string& product) {
    Model model = graph("opset 13; x: f32[4,3]; m = i8[3,5] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; "
                        "s3 = f32[3] {0.1, 0.2, 0.3}; s5 = f32[5] 0.1; " + product);
    const bool changes = quantize_along_outputs().run(model).changes != 0;
    const Node& dequantize = *maker(model, "y").input(1)->producer();
    return std::to_string(dequantize.attr<std::int64_t>("axis").value_or(-9)) + (changes ? " again" : "");
  };
  CHECK(axis("y = MatMul(x, DequantizeLinear(m, s3) {axis=0})") == "1 again");
  CHECK(axis("y = MatMul(x, DequantizeLinear(m, s5) {axis=1})") == "1");
  CHECK(axis("t: f32[4,5]; y = Gemm(t, DequantizeLinear(m, s5) {axis=1}) {transB=1}") == "0 again");
  Model model = graph("opset 13; x: f32[1,2,4,4]; w = i8[3,2,1,1] {10, 20, 30, 40, 50, 60}; s = f32[2] {0.1, 0.2}; "
                      "y = Conv(x, DequantizeLinear(w, s) {axis=1})");
  quantize_along_outputs().run(model);
  const Node& dequantize = *maker(model, "y").input(1)->producer();
  CHECK(dequantize.attribute("axis")->i() == 0);
  const std::vector<float> scales = dequantize.input(1)->constant()->to<float>();
  REQUIRE(scales.size() == 3);
  CHECK(scales[2] == Approx(12.0 / 127));
}

TEST_CASE("pairs between a product and its activation go behind the activation", "[qdq]") {
  const std::string head =
      "opset 13; x: f32[1,2,1,5]; w = f32[2,2,1,1] {1, -2, 3, 0.5}; s = f32[] 0.1; z = i8[] 0; t = f32[] 0.2; "
      "c = Conv(x, w); d = DequantizeLinear(QuantizeLinear(c, s, z), s, z); ";
  const auto moved = [&](const std::string& rest) {
    Model model = graph(head + rest);
    CHECK(quantize_behind_activations().run(model).changes == 1);
    CHECK(quantize_behind_activations().run(model).changes == 0);
    std::string ops;
    for (const Node& node : model.graph().nodes()) ops += std::string(node.op_type()) + " ";
    return ops;
  };
  CHECK(moved("y = Relu(d)") == "Conv Relu QuantizeLinear DequantizeLinear ");
  CHECK(moved("a = Tanh(d); y = DequantizeLinear(QuantizeLinear(a, t, z), t, z)") ==
        "Conv Tanh QuantizeLinear DequantizeLinear ");
  const Feeds feeds{{"x", Tensor::of<float>({1, 2, 1, 5}, samples)}};
  Model model = graph(head + "y = Relu(d)");
  quantize_behind_activations().run(model);
  CHECK(Evaluator(model.graph()).run(feeds).at(0).to<float>() ==
        Evaluator(graph(head + "y = Relu(d)").graph()).run(feeds).at(0).to<float>());
  for (const char* const rest : {"y = Tanh(d)", "y = Relu(d); return y, d", "y = Neg(d)"}) {
    Model other = graph(head + rest);
    CHECK(quantize_behind_activations().run(other).changes == 0);
  }
}

TEST_CASE("a pair that clips stays in front of an activation", "[qdq]") {
  const auto moves = [](const std::string& pair, const std::string& activation, const std::string& behind) {
    Model model = graph("opset 21; x: f32[1,2,1,5]; w = f32[2,2,1,1] {1, -2, 3, 0.5}; s = f32[] 0.1; z = " + pair +
                        "; u = " + behind + "; d = DequantizeLinear(QuantizeLinear(Conv(x, w), s, z), s, z); " +
                        "y = DequantizeLinear(QuantizeLinear(" + activation + "(d), s, u), s, u)");
    return quantize_behind_activations().run(model).changes == 1;
  };
  CHECK(moves("u8[] 100", "Sigmoid", "u8[] 0"));
  CHECK_FALSE(moves("u8[] 0", "Sigmoid", "u8[] 0"));
  CHECK_FALSE(moves("i8[] -128", "Tanh", "i8[] 0"));
  CHECK_FALSE(moves("u8[] 255", "Sigmoid", "u8[] 0"));
  CHECK_FALSE(moves("u8[] 255", "Relu", "u8[] 0"));
  CHECK(moves("u8[] 0", "Relu", "u8[] 0"));
  CHECK_FALSE(moves("i8[] -128", "Relu", "u16[] 0"));
}
