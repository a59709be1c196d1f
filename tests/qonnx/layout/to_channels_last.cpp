#include <graft/qonnx/layout/to_channels_last.hpp>

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/cleanup/cleanup.hpp>
#include <graft/qonnx/layout/absorb_transposes.hpp>
#include <graft/qonnx/layout/insert_channels_last.hpp>
#include <graft/qonnx/layout/sink_transposes.hpp>
#include <graft/testing.hpp>

#include "qonnx/annotated.hpp"
#include "qonnx/as_qonnx.hpp"
#include "surgery/sound.hpp"

using namespace graft;

namespace {

/// A quantized net with a residual block, a pool and a classifier.
const std::string net =
    "opset 13; x: f32[1,2,6,6]; q = " + quant("x") + "; w = " +
    quant("f32[4,2,3,3] random", "f32[4,1,1,1] {0.5, 0.25, 0.125, 0.5}") + "; a = Conv(q, w) {pads=[1,1,1,1]};" +
    "s = f32[4] random; b = f32[4] random; m = f32[4] random; v = f32[4] {1, 2, 3, 4};" +
    "n = BatchNormalization(a, s, b, m, v); r = " + quant("Relu(n)", "f32[1,4,1,1] {0.5, 0.25, 0.125, 0.5}") +
    "; u = f32[4,4,1,1] random; c = Conv(r, u); d = Add(c, r); e = MaxPool(Pad(d, i64[8] {0, 0, 1, 1, 0, 0, 1, 1})) "
    "{kernel_shape=[2,2], strides=[2,2]}; f = Flatten(e); g = " +
    quant("f") + "; k = " + quant("f32[64,3] random") + "; y = MatMul(g, k)";

std::size_t transposes(const Model& model) {
  std::size_t count = 0;
  for (const Node& node : model.graph().nodes()) count += node.is("Transpose") ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("annotations of tensors that are turned go with them, or go", "[qonnx]") {
  Model model = annotated(graph(net));
  (qonnx::cleanup() | qonnx::to_channels_last()).run(model);
  CHECK(odd_annotation(model) == "");
  for (const Value* const constant : model.graph().initializers()) CHECK(constant->use_count() != 0);
}

TEST_CASE("each step keeps what the model computes", "[qonnx]") {
  Model model = graph(net);
  const Model before(model.proto());
  for (const Pass& step : {qonnx::insert_channels_last(), qonnx::sink_transposes(), qonnx::absorb_transposes()}) {
    INFO(step);
    CHECK(step.run(model).changes != 0);
    CHECK(equivalent(before.graph(), model.graph(), as_qonnx(1e-4)));
  }
}

TEST_CASE("a MaxPool whose indices nothing reads is moved", "[qonnx]") {
  const Trial trial = given("opset 13; x: f32[2,4,3,1]; y, i = MaxPool(x) {kernel_shape=[2,1]}; return y")
                          .pass(qonnx::to_channels_last());
  CHECK(trial.equivalent(as_qonnx()));
  CHECK(trial.idempotent());
}

TEST_CASE("one Transpose remains, at the input, and none if that changes, too", "[qonnx]") {
  Model model = graph(net);
  const Model before(model.proto());
  CHECK_THAT(to_string(qonnx::to_channels_last().run(model)), Catch::Contains("1 Transposes remain"));
  CHECK(transposes(model) == 1);
  CHECK(model.graph().inputs()[0]->shape().dims() == Dims{1, 2, 6, 6});
  CHECK(equivalent(before.graph(), model.graph(), as_qonnx(1e-4)));
  CHECK(unsound(model) == "");
  for (const Node& node : model.graph().nodes()) {  // as others take shapes from what is declared
    const auto& declared = model.proto().graph().value_info();
    const Value& output = *node.output(0);
    CHECK((output.is_graph_output() ||
           std::ranges::any_of(declared, [&](const auto& info) { return info.name() == output.name(); })));
  }
  CHECK(given(model).pass(qonnx::to_channels_last()).idempotent());

  Model last(before.proto());
  qonnx::to_channels_last({.inputs = true, .outputs = false}).run(last);
  CHECK(transposes(last) == 0);
  CHECK(last.graph().inputs()[0]->shape().dims() == Dims{1, 6, 6, 2});
  CHECK(unsound(last) == "");
}
