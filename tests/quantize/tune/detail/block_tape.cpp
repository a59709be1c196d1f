#include <graft/quantize/tune/detail/block_tape.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// The tape of a whole graph with some of its initializers as parameters.
struct Tape {
  Tape(const std::string& text, const std::vector<std::string_view>& names)
      : model(graph(text)), nodes(nodes_of(model.graph())), tape(nodes, *model.graph().outputs()[0], values(names)) {
    for (const std::string_view name : names) point.parameters.push_back(*model.graph().find(name)->constant());
    for (const detail::BlockTape::Quantizer& quantizer : tape.quantizers()) point.scales.push_back(quantizer.scale);
  }

  static std::vector<Node*> nodes_of(Graph& graph) {
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes()) nodes.push_back(&node);
    return nodes;
  }
  std::vector<const Value*> values(const std::vector<std::string_view>& names) const {
    std::vector<const Value*> values;
    for (const std::string_view name : names) values.push_back(model.graph().find(name));
    return values;
  }

  detail::BlockGradients gradients(const Tensor& x, const Tensor& wanted, double drop = 0) const {
    detail::BlockGradients result{std::vector<std::vector<float>>(point.parameters.size()),
                                  std::vector<double>(point.scales.size())};
    std::mt19937 random(1);
    tape.add_gradients({x}, wanted, point, drop, random, result);
    return result;
  }
  double error(const Tensor& x, const Tensor& wanted, const detail::BlockPoint& at) const {
    const std::vector<float> got = tape.output({x}, at).to<float>(), should = wanted.to<float>();
    double sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) sum += std::pow(double{got[i]} - should[i], 2);
    return sum;
  }

  Model model;
  std::vector<Node*> nodes;
  detail::BlockTape tape;
  detail::BlockPoint point;
};

Tensor random_tensor(const Dims& dims, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(Tensor(DType::f32, dims).size()));
  for (float& value : values) value = normal(random);
  return Tensor::of<float>(dims, values);
}

const std::string pair = "y = DequantizeLinear(QuantizeLinear(a, f32[] 0.5, i8[] 0), f32[] 0.5, i8[] 0)";

}  // namespace

TEST_CASE("gradients of weights and biases are those of finite differences", "[quantize]") {
  Tape net("x: f32[1,3,5,5]; w = f32[4,3,3,3] random; b = f32[4] random; v = f32[2,4,1,1] random; "
           "a = Sigmoid(Conv(x, w, b)); r = Conv(a, v); n = Neg(x); y = Mul(r, r); return y",
           {"w", "b", "v"});
  REQUIRE(net.tape.verdict());
  REQUIRE(net.tape.inputs().size() == 1);
  const Tensor x = random_tensor({1, 3, 5, 5}, 1), wanted = random_tensor({1, 2, 3, 3}, 2);
  const detail::BlockGradients found = net.gradients(x, wanted);
  for (std::size_t p = 0; p < net.point.parameters.size(); ++p) {
    const std::vector<float> values = net.point.parameters[p].to<float>();
    REQUIRE(found.parameters[p].size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      constexpr float step = 1e-2F;
      double errors[2];
      for (const int side : {0, 1}) {
        std::vector<float> moved = values;
        moved[i] += side == 0 ? -step : step;
        detail::BlockPoint at = net.point;
        at.parameters[p] = Tensor::of<float>(net.point.parameters[p].dims(), moved);
        errors[side] = net.error(x, wanted, at);
      }
      const double expected = (errors[1] - errors[0]) / (2 * double{step});
      CHECK(found.parameters[p][i] == Approx(expected).epsilon(0.02).margin(0.02));
    }
  }
}

TEST_CASE("a pair rounds, and passes gradients where it does not saturate", "[quantize]") {
  const Tape net("x: f32[3]; b = f32[3] {0, 0, 0}; a = Add(x, b); " + pair, {"b"});
  REQUIRE(net.tape.verdict());
  const Tensor x = Tensor::list(std::vector<float>{0.6F, -0.2F, 100}), zeros = Tensor::list(std::vector<float>(3));
  CHECK(net.tape.output({x}, net.point).to<float>() == std::vector<float>{0.5F, 0, 63.5F});
  const detail::BlockGradients found = net.gradients(x, zeros);
  CHECK(found.parameters[0] == std::vector<float>{1, 0, 0});
  // Esser et al.: 1 - 1.2 within the range, the highest integer above it.
  CHECK(found.scales[0] == Approx(1 * (1 - 1.2) + 127 * 127));
  const detail::BlockGradients dropped = net.gradients(x, zeros, 1);
  CHECK(dropped.parameters[0][2] == 200);
  CHECK(dropped.scales[0] == 0);
}

TEST_CASE("a Clip of the integers between a pair bounds them", "[quantize]") {
  const Tape net("x: f32[2]; b = f32[2] {0, 0}; a = Add(x, b); q = QuantizeLinear(a, f32[] 0.5, i8[] 0); "
                 "c = Clip(q, i8[] -8, i8[] 7); y = DequantizeLinear(c, f32[] 0.5, i8[] 0)",
                 {"b"});
  REQUIRE(net.tape.quantizers().size() == 1);
  CHECK(net.tape.output({Tensor::list(std::vector<float>{-9, 9})}, net.point).to<float>() ==
        std::vector<float>{-4, 3.5F});
}

TEST_CASE("a MatMulNBits is a MatMul by its float weight", "[quantize]") {
  // Two bits: 0b11'10'01'00 are the codes 0 to 3, whose middle is 2; K is 4.
  const std::string text = "x: f32[2,4]; v = u8[1,1,4] {228, 0, 0, 0}; s = f32[1] {0.5}; b = f32[4] {0, 0, 0, 0}; "
                           "c = f32[1] {0}; y = Add(com.microsoft::MatMulNBits(Add(x, b), v, s) "
                           "{K=4, N=1, bits=2, block_size=16}, c)";
  const Tensor x = Tensor::of<float>({2, 4}, {1, 2, 3, 4, 0, 0, 0, 1});
  const Tensor zeros(DType::f32, {2, 1});
  Tape fixed(text, {"b", "c"});
  REQUIRE(fixed.tape.verdict());
  // The weight is -1, -0.5, 0, 0.5.
  CHECK(fixed.tape.output({x}, fixed.point).to<float>() == std::vector<float>{0, 0.5F});
  CHECK(fixed.gradients(x, zeros).parameters[0] == std::vector<float>{-1, -0.5F, 0, 0.5F});
  Tape learned(text, {"v", "c"});
  REQUIRE(learned.tape.verdict());
  REQUIRE(learned.tape.inputs().size() == 1);
  learned.point.parameters[0] = Tensor::of<float>({4, 1}, {1, 0, 0, 1});
  const Tensor sum = Tensor::of<float>({2, 4}, {1, 2, 3, 4, 0, 0, 0, 1});
  CHECK(learned.tape.output({sum}, learned.point).to<float>() == std::vector<float>{5, 1});
  CHECK(learned.gradients(sum, zeros).parameters[0] == std::vector<float>{10, 20, 30, 42});
}

TEST_CASE("operators on integers need no gradient", "[quantize]") {
  const Tape net("x: f32[2]; b = f32[2] {1, 2}; a = Add(x, b); s = Shape(a); y = Reshape(a, s)", {"b"});
  REQUIRE(net.tape.verdict());
  const Tensor x = Tensor::list(std::vector<float>{3, 4}), zeros = Tensor::list(std::vector<float>(2));
  CHECK(net.gradients(x, zeros).parameters[0] == std::vector<float>{8, 12});
}

TEST_CASE("operators on booleans, and those that read a shape alone, need no gradient", "[quantize]") {
  const Tape net("x: f32[2]; b = f32[2] {1, 2}; a = Add(x, b); n = IsNaN(a); k = Where(n, f32[] 0, a); "
                 "z = ConstantOfShape(Shape(a)); y = Add(k, z)",
                 {"b"});
  REQUIRE(net.tape.verdict());
  const Tensor x = Tensor::list(std::vector<float>{3, 4}), zeros = Tensor::list(std::vector<float>(2));
  CHECK(net.gradients(x, zeros).parameters[0] == std::vector<float>{8, 12});
}

TEST_CASE("the working size is that of all tensors", "[quantize]") {
  const Tape net("x: f32[10]; b = f32[10] random; a = Add(x, b); y = Neg(a)", {"b"});
  CHECK(net.tape.working_bytes({Tensor(DType::f32, {10})}, net.point) == 4 * 40);
}

TEST_CASE("other ranks read the gradients that one has sent", "[quantize]") {
  const detail::BlockGradients sent{{{1, 2.5F}, {}, {3}}, {0.1, 1e300}};
  detail::BlockGradients read{{{7}}, {7}};
  from_bytes(to_bytes(sent), read);
  CHECK(read.parameters == sent.parameters);
  CHECK(read.scales == sent.scales);
  std::string cut = to_bytes(sent);
  cut.pop_back();
  CHECK_THROWS_AS(from_bytes(cut, read), Error);
}

TEST_CASE("a tape says why it has no gradients", "[quantize]") {
  const auto why_not = [](const std::string& text) {
    return to_string(Tape("x: f32[4]; b = f32[4] random; " + text, {"b"}).tape.verdict().reason());
  };
  CHECK(why_not("a = Add(x, b); y = CumSum(a, i64[] 0)") == "no gradient of CumSum");
  CHECK(why_not("a = Add(x, b); y = Neg(x); return y, a") == "its output does not depend on its weights");
  // A gradient goes through the scale that a dynamic quantizer computes.
  CHECK(why_not("a = Add(x, b); q, s, z = DynamicQuantizeLinear(a); c = Cast(q) {to=1}; y = Mul(c, s); return y") ==
        "no gradient of DynamicQuantizeLinear");
  const std::string quantized = "q = QuantizeLinear(Add(x, b), f32[] 0.5, i8[] 0); ";
  CHECK(why_not(quantized + "y = DequantizeLinear(q, f32[] 0.25, i8[] 0)") ==
        "a DequantizeLinear has no QuantizeLinear with the same scale");
  CHECK(why_not(quantized + "y = DequantizeLinear(q, f32[4] {1, 2, 3, 4}, i8[4] {0, 0, 0, 0}) {axis=0}") ==
        "a DequantizeLinear has several scales, or computed ones");
  CHECK(why_not(quantized + "y = Cast(q) {to=1}") == "an operator reads the integers of a quantizer");
  CHECK(why_not("c: bool[]; a = Add(x, b); i = If(c) {then_branch={ t = Neg(a) }, else_branch={ u = Abs(a) }}; "
                "y = Mul(a, i)") == "a body reads a tensor of it");
}
