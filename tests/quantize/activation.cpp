#include <graft/quantize/activation.hpp>

#include <cmath>
#include <functional>

#include <catch2/catch.hpp>

#include "nets.hpp"

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
