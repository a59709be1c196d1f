#include <graft/vocabulary/weighted.hpp>

#include <optional>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/pattern.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using namespace graft::vocabulary;

namespace {

struct Products {
  Model model = graph(
      "x: f32[1,2,3,3]; k = f32[2,1,1,1] {3, 5}; y = Conv(x, k) {group=2}; p = Conv(x, k) {group=2,"
      "pads=[0,1,0,0]}; v = Conv(x, k) {group=2, auto_pad=\"VALID\"}; a: f32[1,2];"
      "m = f32[2,3] {1, 2, 3, 4, 5, 6}; g = Gemm(a, m) {alpha=2.0}; t = Gemm(a, m, f32[3] 1) {beta=0.5};"
      "s: f32[2,1]; u = Gemm(s, m) {transA=1}");
  Node& operator[](const char* name) { return *model.graph().find(name)->producer(); }
};

const Tensor kernel = Tensor::of<float>({2, 1, 1, 1}, {3, 5});
const Tensor matrix = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});

}  // namespace

TEST_CASE("weights scale and biases shift by the channels that a product reads") {
  Products nodes;
  CHECK(input_scaled(nodes["y"], kernel, {2, 10}) == std::vector<double>{6, 50});
  CHECK(input_scaled(nodes["g"], matrix, {2, 10}) == std::vector<double>{2, 4, 6, 40, 50, 60});
  CHECK(input_shifted(nodes["y"], kernel, std::nullopt, {2, 10}) == std::vector<double>{6, 50});
  // alpha * (shifts * matrix) + bias
  CHECK(input_shifted(nodes["g"], matrix, Tensor::of<float>({3}, {1, 0, 0}), {1, 10}) ==
        std::vector<double>{83, 104, 126});
}

TEST_CASE("a product that has no channels says why") {
  Products nodes;
  CHECK(reads_channels(nodes["y"], kernel, std::nullopt));
  CHECK(reads_channels(nodes["g"], matrix, Tensor::of<float>({3}, {1, 0, 0})));
  CHECK(has_channels(nodes["u"], matrix, std::nullopt));
  CHECK(reads_channels(nodes["u"], matrix, std::nullopt).reason().text == "it transposes its input");
  CHECK(has_channels(nodes["t"], matrix, std::nullopt).reason().text == "its beta is not 1");
  CHECK(has_channels(nodes["g"], matrix, Tensor::scalar(1.0f)).reason().text ==
        "its bias is not one value for each output channel");
  CHECK(has_channels(nodes["y"], Tensor::of<float>({3, 1, 1}, {1, 2, 3}), std::nullopt).reason().text ==
        "its groups have different sizes");
}

TEST_CASE("a constant along the channels that a product reads does not broadcast its input") {
  Products nodes;
  const Value& x = *nodes["y"].input(0);
  CHECK(is_along_inputs(x, nodes["y"], kernel, Tensor::of<float>({2, 1, 1}, {1, 2})));
  CHECK(is_along_inputs(x, nodes["y"], kernel, Tensor::scalar(1.0f)));
  CHECK_FALSE(is_along_inputs(x, nodes["y"], kernel, Tensor::of<float>({3, 1, 1}, {1, 2, 3})));
}

TEST_CASE("padding is read unless pads are 0 or auto_pad is VALID") {
  Products nodes;
  CHECK(pads_nothing(nodes["y"]));
  CHECK(pads_nothing(nodes["v"]));
  CHECK(pads_nothing(nodes["g"]));
  CHECK_FALSE(pads_nothing(nodes["p"]));
}
