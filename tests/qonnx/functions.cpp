// Functions are looked into, or left as they are.
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/qonnx/cleanup/arithmetic.hpp>
#include <graft/qonnx/cleanup/prune_channels.hpp>
#include <graft/qonnx/cleanup/quantize_graph.hpp>
#include <graft/qonnx/layout/sink_transposes.hpp>
#include <graft/qonnx/layout/to_4d.hpp>
#include <graft/qonnx/layout/to_channels_last.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"
#include "qonnx/in_function.hpp"
#include "surgery/sound.hpp"

using namespace graft;

namespace {

const std::string net =
    "opset 13; x: f32[1,2,4,4]; w = f32[3,2,2,2] random; b = f32[3] {1, 2, 3};"
    "h = Conv(x, w, b); y = Relu(Transpose(h) {perm=[0,2,3,1]})";

/// The model after the pass: sound, and computing the same.
Model after(const Pass& pass) {
  Model before = in_function(net), model = in_function(net);
  pass.run(model);
  CHECK(unsound(model) == "");
  Model inlined(model.proto());
  inline_functions().run(before);
  inline_functions().run(inlined);
  CHECK(equivalent(before.graph(), inlined.graph(), as_qonnx()));
  return model;
}

}  // namespace

TEST_CASE("passes that look into functions leave them sound", "[qonnx]") {
  after(qonnx::extract_bias());
  after(qonnx::sink_transposes());
  const Model last = after(qonnx::insert_channels_last());
  bool is_used = false;
  for (const onnx::FunctionProto& function : last.proto().functions())
    for (const onnx::NodeProto& node : function.node()) is_used |= node.domain() == qonnx::channels_last_domain;
  CHECK((last.opset(qonnx::channels_last_domain) != 0) == is_used);
}

TEST_CASE("passes over the main graph leave functions as they are", "[qonnx]") {
  CHECK(after(qonnx::to_4d()).serialize() == in_function(net).serialize());
  Model model = in_function(net);
  CHECK_THROWS_WITH(qonnx::prune_channels({{"w", {0}}}).run(model), Catch::Contains("is not the weight of"));
}

TEST_CASE("Quants in a function have Constants as parameters", "[qonnx]") {
  const qonnx::QuantPlace place{
      qonnx::QuantPlace::Side::input,
      0,
      {.scale = Tensor::scalar(0.125F), .zero_point = Tensor::scalar(0.0F), .bits = Tensor::scalar(4.0F)}};
  const Pass pass = qonnx::quantize_graph({.by_op = {{"Conv", {place}}}});
  Model model = in_function("opset qonnx.custom_op.general 1; " + net);
  CHECK(pass.run(model).changes == 1);
  CHECK(unsound(model) == "");
  CHECK_THAT(refusal(in_function(net), pass), Catch::Contains("does not import"));
}
