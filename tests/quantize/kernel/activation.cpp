#include <graft/quantize/kernel/activation.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("activations are known by their operator", "[quantize]") {
  Net net;
  net.builder.import("com.microsoft", 1);
  CHECK(activation(*net.op("Relu", {net.x}, "relu").producer())->kind == ActivationClass::homogeneous);
  CHECK(activation(*net.op("Clip", {net.x}, "clip").producer())->kind == ActivationClass::clip);
  CHECK(activation(*net.op("Add", {net.x, net.x}, "add").producer()) == nullptr);
  CHECK(activation(*net.op("com.microsoft::Gelu", {net.x}, "gelu").producer()) == nullptr);
}

TEST_CASE("no activation is steeper than its entry says", "[quantize]") {
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto check = [](std::string_view op, const std::function<double(double)>& f) {
    const auto entry =
        std::find_if(known_activations.begin(), known_activations.end(), [&](const auto& a) { return a.op == op; });
    REQUIRE(entry != known_activations.end());
    double steepest = 0;
    for (double x = -20; x < 20; x += 1e-3) steepest = std::max(steepest, std::abs(f(x + 1e-3) - f(x)) / 1e-3);
    INFO(op << " " << steepest);
    CHECK(steepest <= entry->slope + 1e-6);
    CHECK(steepest >= entry->slope * 0.99);
  };
  check("Relu", [](double x) { return std::fmax(x, 0); });
  check("Abs", [](double x) { return std::abs(x); });
  check("LeakyRelu", [](double x) { return x < 0 ? 0.01 * x : x; });
  check("Clip", [](double x) { return std::fmin(std::fmax(x, -1), 6); });
  check("Sigmoid", sigmoid);
  check("HardSigmoid", [](double x) { return std::fmin(std::fmax(0.2 * x + 0.5, 0), 1); });
  check("Tanh", [](double x) { return std::tanh(x); });
  check("Elu", [](double x) { return x < 0 ? std::expm1(x) : x; });
  check("Selu", [](double x) { return 1.0507009873554804934 * (x < 0 ? 1.6732632423543772848 * std::expm1(x) : x); });
  check("Celu", [](double x) { return x < 0 ? std::expm1(x) : x; });
  check("Softplus", [](double x) { return std::log1p(std::exp(x)); });
  check("Softsign", [](double x) { return x / (1 + std::abs(x)); });
  check("HardSwish", [](double x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); });
  check("Mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
  check("Gelu", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2))); });
  check("Swish", [&](double x) { return x * sigmoid(x); });
}

TEST_CASE("the slope of a node is that of its own attributes", "[quantize]") {
  Net net(20);
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  int number = 0;
  const auto slope = [&](std::string_view op, const Attributes& attributes = {}, Value* more = nullptr) {
    const std::string name = "a" + std::to_string(number++);
    Value& value =
        more != nullptr ? net.op(op, {net.x, more}, name, attributes) : net.op(op, {net.x}, name, attributes);
    return steepest_slope(*value.producer());
  };
  const auto check = [&](std::string_view op, const Attributes& attributes, const std::function<double(double)>& f) {
    double steepest = 0;
    for (double x = -20; x < 20; x += 1e-3) steepest = std::max(steepest, std::abs(f(x + 1e-3) - f(x)) / 1e-3);
    const float claimed = slope(op, attributes);
    INFO(op << " " << steepest << " " << claimed);
    CHECK(steepest <= claimed + 1e-6);
    CHECK(steepest >= claimed * 0.99);
  };
  check("LeakyRelu", {{"alpha", -4.0f}}, [](double x) { return x < 0 ? -4 * x : x; });
  check("LeakyRelu", {}, [](double x) { return x < 0 ? 0.01 * x : x; });
  check("Elu", {{"alpha", 3.0f}}, [](double x) { return x < 0 ? 3 * std::expm1(x) : x; });
  check("Elu", {{"alpha", 0.5f}}, [](double x) { return x < 0 ? 0.5 * std::expm1(x) : x; });
  check("Selu", {{"alpha", 0.5f}, {"gamma", -2.0f}},
        [](double x) { return -2 * (x < 0 ? 0.5 * std::expm1(x) : x); });
  check("Selu", {}, [](double x) { return 1.0507 * (x < 0 ? 1.67326 * std::expm1(x) : x); });
  check("Celu", {{"alpha", 3.0f}}, [](double x) { return x < 0 ? 3 * std::expm1(x / 3) : x; });
  check("HardSigmoid", {{"alpha", 0.9f}}, [](double x) { return std::fmin(std::fmax(0.9 * x + 0.5, 0), 1); });
  check("HardSigmoid", {}, [](double x) { return std::fmin(std::fmax(0.2 * x + 0.5, 0), 1); });
  check("Gelu", {{"approximate", "tanh"}}, [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1)) * (x + 0.044715 * x * x * x)));
  });
  check("Sigmoid", {}, sigmoid);
  CHECK(slope("Add", {}, net.x) == 1);
  CHECK(slope("Mul", {}, net.x) == INFINITY);
  CHECK(slope("Celu", {{"alpha", -1.0f}}) == INFINITY);
  CHECK(slope("LeakyRelu", {{"alpha", NAN}}) == INFINITY);
  CHECK(slope("Exp") == INFINITY);
  CHECK(slope("PRelu", {}, &net.constant("slopes", {0.5f, -3}, {2, 1, 1})) == 3);
  CHECK(slope("PRelu", {}, &net.constant("flat", {0.5f}, {1})) == 1);
  CHECK(slope("PRelu", {}, net.x) == INFINITY);
}

TEST_CASE("nobody knows the slope of what a function's caller gives", "[quantize]") {
  Net net(20);
  Node& node = *net.op("LeakyRelu", {net.x}, "a").producer();
  CHECK(steepest_slope(node) == 1);
  onnx::AttributeProto& alpha = *node.graph().edit(node).add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_ref_attr_name("given");
  CHECK(std::isinf(steepest_slope(node)));
}

TEST_CASE("positively homogeneous activations have a slope above 0 and one below", "[quantize]") {
  Net net(20);
  const auto slopes = [&](Value& value) { return slopes_below_0(*value.producer()); };
  CHECK(slopes(net.op("Relu", {net.x}, "r")) == std::vector{0.0f});
  CHECK(slopes(net.op("Abs", {net.x}, "a")) == std::vector{-1.0f});
  CHECK(slopes(net.op("LeakyRelu", {net.x}, "l", {{"alpha", 0.3f}})) == std::vector{0.3f});
  CHECK(slopes(net.op("PRelu", {net.x, &net.constant("s", {0.5f, -3}, {2, 1, 1})}, "p")) == std::vector{0.5f, -3.0f});
  CHECK_FALSE(slopes(net.op("PRelu", {net.x, net.x}, "u")));
  CHECK_FALSE(slopes(net.op("Tanh", {net.x}, "t")));
}
