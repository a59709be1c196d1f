#include <graft/qonnx/layout/to_channels_last.hpp>

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/cleanup/cleanup.hpp>
#include <graft/qonnx/layout/absorb_transposes.hpp>
#include <graft/qonnx/layout/sink_transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing.hpp>
#include "qonnx/annotated.hpp"
#include "qonnx/as_qonnx.hpp"
#include "surgery/sound.hpp"

using namespace graft;

namespace {

Trial last(const std::string& text) { return given(text).pass(qonnx::insert_channels_last()); }

}  // namespace

TEST_CASE("a Conv gets Transposes around it, its weight another order", "[qonnx]") {
  const std::string head = "opset 13; opset qonnx.custom_op.channels_last 13; x: f32[1,2,4,5]; ";
  const Trial trial =
      last(head + "w = f32[2,2,1,1] {1, 2, 3, 4}; b = f32[2] {5, 6}; y = Conv(x, w, b) {pads=[0,1,0,1]}");
  CHECK(trial.becomes(head + "w = f32[2,1,1,2] {1, 2, 3, 4}; b = f32[2] {5, 6};"
                             "t = Transpose(x) {perm=[0,2,3,1]};"
                             "h = qonnx.custom_op.channels_last::Conv(t, w, b) "
                             "{pads=[0,1,0,1], kernel_shape=[1,1], strides=[1,1], dilations=[1,1], group=1};"
                             "y = Transpose(h) {perm=[0,3,1,2]}"));
  CHECK(last("opset 13; x: f32[1,4,6,5]; w = f32[6,2,3,2] random; b = f32[6] random;"
             "y = Conv(x, w, b) {group=2, strides=[2,1]}")
            .equivalent(as_qonnx()));
  CHECK(last("opset 13; x: f32[1,4,6]; w = f32[6,4,3] random; y = Conv(x, w)").equivalent(as_qonnx()));
}

TEST_CASE("pads are written for auto_pad", "[qonnx]") {
  const std::string head = "opset 13; x: f32[1,2,5,6]; w = f32[2,2,3,2] random; ";
  for (const std::string how : {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
    CAPTURE(how);
    const std::string conv = head + "y = Conv(x, w) {strides=[2,1], auto_pad=\"" + how + "\"}";
    CHECK(last(conv).equivalent(as_qonnx()));
    Model model = graph(conv);
    qonnx::insert_channels_last().run(model);
    for (const Node& node : model.graph().nodes()) {
      if (node.op_type() != "Conv") continue;
      CHECK(node.attribute("auto_pad") == nullptr);
      const Ints pads = how == "VALID" ? Ints{0, 0, 0, 0} : how == "SAME_UPPER" ? Ints{1, 0, 1, 1} : Ints{1, 1, 1, 0};
      CHECK(node.attr<Ints>("pads") == pads);
    }
  }
  CHECK(last("opset 13; x: f32[1,2,H,6]; y = MaxPool(x) {kernel_shape=[2,2], auto_pad=\"SAME_UPPER\"}")
            .refuses("extents"));
}

TEST_CASE("weights are transposed before they are quantized", "[qonnx]") {
  const Trial trial =
      last("opset 13; x: f32[1,2,4,5]; w = " + quant("f32[3,2,2,2] random", "f32[3,1,1,1] {0.5, 0.25, 0.125}") +
           "; y = Conv(x, w)");
  CHECK(trial.equivalent(as_qonnx()));
  Model model = graph("opset 13; x: f32[1,2,4,5]; w = " + quant("f32[3,2,2,2] random") + "; y = Conv(x, w)");
  qonnx::insert_channels_last().run(model);
  std::size_t transposes = 0;
  for (const Node& node : model.graph().nodes()) transposes += node.is("Transpose") ? 1 : 0;
  CHECK(transposes == 2);
  CHECK(model.opset(qonnx::channels_last_domain) == 13);
}

TEST_CASE("pools and normalizations follow, and neighbours need no Transposes between them", "[qonnx]") {
  const std::string text =
      "opset 13; x: f32[2,3,6,6]; s = f32[3] random; b = f32[3] random; m = f32[3] random;"
      "v = f32[3] {1, 2, 3}; h = MaxPool(x) {kernel_shape=[2,2]};"
      "y = BatchNormalization(h, s, b, m, v)";
  CHECK(last(text).equivalent(as_qonnx()));
  Model model = graph(text);
  qonnx::insert_channels_last().run(model);
  CHECK(model.graph().nodes().size() == 4);
  CHECK(last("opset 13; x: f32[2,3,6,6]; y = qonnx.custom_op.general::QuantAvgPool2d(x) "
             "{stride=2, kernel=2, ibits=4, obits=4, signed=0}")
            .equivalent(as_qonnx()));
}

TEST_CASE("indices, training and unknown ranks stay", "[qonnx]") {
  CHECK(last("opset 13; x: f32[1,2,4,4]; y, i = MaxPool(x) {kernel_shape=[2,2]}").refuses("second output"));
  CHECK(last("opset 13; x: f32; y = MaxPool(x) {kernel_shape=[2,2]}").refuses("rank"));
  CHECK(last("opset 13; x: f32[1,2,4,4,4]; w = f32[1,2,1,1,1] random; y = Conv(x, w)").refuses("rank"));
}

TEST_CASE("one parameter for each place is not known channels last", "[qonnx]") {
  CHECK(last("opset 7; x: f32[1,2,3,3]; p = f32[2,3,3] {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9};"
             "y = BatchNormalization(x, p, p, p, p) {spatial=0}")
            .refuses("one number a channel"));
}

TEST_CASE("no import is left of what was not kept", "[qonnx]") {
  Model model = graph("opset 13; x: f32[1,2,4,4]; y = Relu(x)");
  qonnx::insert_channels_last().run(model);
  CHECK(model.opset(qonnx::channels_last_domain) == 0);
}

namespace {

/// A quantized net with a residual block, a pool and a classifier.
const std::string net =
    "opset 13; x: f32[1,2,6,6]; q = " + quant("x") +
    "; w = " + quant("f32[4,2,3,3] random", "f32[4,1,1,1] {0.5, 0.25, 0.125, 0.5}") +
    "; a = Conv(q, w) {pads=[1,1,1,1]};" +
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
