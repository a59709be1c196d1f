#include <graft/qonnx/layout/to_4d.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"
#include "surgery/sound.hpp"

using namespace graft;

namespace {

/// The same numbers come out of the model with a fourth axis.
void check_same(const std::string& text) {
  INFO(text);
  Model before = graph(text), after = graph(text);
  CHECK(qonnx::to_4d().run(after).changes != 0);
  CHECK(unsound(after) == "");
  CHECK(qonnx::to_4d().run(after).changes == 0);
  Random random(1);
  Feeds feeds, wide;
  for (std::size_t i = 0; i < before.graph().inputs().size(); ++i) {
    const Value& input = *before.graph().inputs()[i];
    const Tensor x = random_tensor(DType::f32, *input.shape().dims(), random);
    feeds.emplace_back(input.name(), x);
    wide.emplace_back(input.name(), x.reshaped(*after.graph().inputs()[i]->shape().dims()));
  }
  const std::vector<Tensor> expected = Evaluator(before.graph(), qonnx::kernels()).run(feeds);
  const std::vector<Tensor> got = Evaluator(after.graph(), qonnx::kernels()).run(wide);
  REQUIRE(expected.size() == got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::vector<float> numbers = got[i].to<float>(), wanted = expected[i].to<float>();
    REQUIRE(numbers.size() == wanted.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) CHECK(numbers[k] == Approx(wanted[k]).margin(1e-5));
    const Dims dims = got[i].dims();
    CHECK((expected[i].rank() != 3 || (dims.size() == 4 && dims.back() == 1)));
  }
}

}  // namespace

TEST_CASE("a net over sequences becomes one over images of width 1", "[qonnx]") {
  check_same("opset 13; x: f32[2,3,8]; w = " + quant("f32[4,3,3] random", "f32[4,1,1] {0.5, 0.25, 0.125, 1}") +
             "; h = Conv(x, w, f32[4] random) {pads=[1,2], strides=[2], dilations=[1]};"
             "a = Add(" + quant("Relu(h)", "f32[4,1] {0.5, 0.25, 0.125, 1}") + ", f32[1] {0.25});"
             "p = MaxPool(a) {kernel_shape=[2], strides=[2]}; y = Flatten(p)");
}

TEST_CASE("axes, orders, pads and targets follow", "[qonnx]") {
  for (const std::string body :
       {"y = Transpose(x) {perm=[0,2,1]}", "y = Transpose(x)", "y = Softmax(x) {axis=-2}", "y = LogSoftmax(x)",
        "y = Concat(x, Relu(x)) {axis=-1}", "y = Pad(x, i64[6] {0, 1, 2, 0, 0, 3})",
        "y = Reshape(x, i64[3] {0, 4, -1})", "y = Reshape(x, i64[2] {0, -1})", "y = ReduceMean(x) {axes=[-1]}",
        "y = Unsqueeze(Reshape(x, i64[2] {2, 24}), i64[1] {1})", "y = Squeeze(ReduceMean(x) {axes=[2]}, i64[1] {-1})",
        "y = GlobalAveragePool(x)", "y = AveragePool(x) {kernel_shape=[2], pads=[1,0]}",
        "y = ConvTranspose(x, f32[3,2,3] random) {strides=[2], output_padding=[1]}",
        "y = Resize(x, _, f32[3] {1, 1, 2}) {mode=\"nearest\"}", "y = Add(x, f32[3,1] random)",
        "y = qonnx.custom_op.general::MultiThreshold(x, f32[1,2] {0, 0.5})"})
    check_same("opset 13; x: f32[2,3,8]; " + body);
}

TEST_CASE("a node that is not known with four axes leaves the graph as it is", "[qonnx]") {
  const std::string head = "opset 13; x: f32[2,3,8]; h = Relu(x); ";
  for (const std::string body : {"y = MatMul(h, f32[8,2] random)", "y = ReduceMean(h) {axes=[1], keepdims=0}",
                                 "z: f32[8]; y = Add(h, z)", "y = Unsqueeze(h, i64[1] {0})"}) {
    INFO(body);
    CHECK(given(head + body).pass(qonnx::to_4d()).refuses());
  }
}

TEST_CASE("what a body reads leaves the graph as it is", "[qonnx]") {
  const std::string text = "opset 13; c: bool[]; x: f32[2,3,8]; h = Relu(x);"
                           "z = If(c) {then_branch={ t = ReduceSum(h) {keepdims=0} }, else_branch={ u = f32[] 1 ;"
                           " v = Neg(u) }}; y = Neg(h); return y, z";
  CHECK(given(text).pass(qonnx::to_4d()).refuses());
}

TEST_CASE("the default of an input gets the axis, too", "[qonnx]") {
  Model model = graph("opset 13; x: f32[2,3,8]; b: f32[1,3,8] = random; y = Add(x, b)");
  CHECK(qonnx::to_4d().run(model).changes == 3);
  CHECK(unsound(model) == "");
  CHECK(model.graph().find("b")->initializer()->dims_size() == 4);
}
