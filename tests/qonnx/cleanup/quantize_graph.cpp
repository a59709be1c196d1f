#include <graft/qonnx/cleanup/quantize_graph.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"
#include "surgery/sound.hpp"

using namespace graft;
using qonnx::QuantPlace;

namespace {

QuantPlace place(QuantPlace::Side side, std::size_t index, float bits = 4) {
  return {side, index,
          {.scale = Tensor::scalar(0.125F), .zero_point = Tensor::scalar(0.0F), .bits = Tensor::scalar(bits)}};
}
constexpr auto in = QuantPlace::Side::input;
constexpr auto out = QuantPlace::Side::output;

}  // namespace

TEST_CASE("Quant goes to the places of nodes, by operator", "[qonnx]") {
  CHECK(given("x: f32[1,2]; w = f32[2,2] random; h = MatMul(x, w); y = Relu(h); z = Neg(x)")
            .pass(qonnx::quantize_graph({.by_op = {{"MatMul", {place(in, 0), place(in, 1), place(out, 0)}}}}))
            .becomes("x: f32[1,2]; w = f32[2,2] random; h = " +
                     quant("MatMul(" + quant("x") + ", " + quant("w") + ")") + "; y = Relu(h); z = Neg(x)"));
}

TEST_CASE("an output of the graph keeps its name", "[qonnx]") {
  Model model = graph("x: f32[1,2]; w = f32[2,2] random; y = MatMul(x, w); z = Neg(y); return y, z");
  qonnx::quantize_graph({.by_op = {{"MatMul", {place(out, 0)}}}}).run(model);
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(model.graph().output(0)->producer()->op_type() == "Quant");
  CHECK(model.graph().output(1)->producer()->input(0) == model.graph().output(0));
  CHECK(model.opset("qonnx.custom_op.general") == 1);
  CHECK(unsound(model) == "");
}

TEST_CASE("a name goes before an operator, and what is quantized already stays", "[qonnx]") {
  Model model = graph("x: f32[1,2]; a = Neg(x); b = Neg(a); y = Neg(" + quant("b") + ")");
  const Report report =
      qonnx::quantize_graph({.by_name = {{"a", {place(in, 0, 2)}}}, .by_op = {{"Neg", {place(in, 0, 6)}}}}).run(model);
  CHECK(report.changes == 2);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Catch::Contains("quantized already"));
  const Node& first = *model.graph().inputs()[0]->users().begin();
  CHECK(first.input(3)->constant()->item<float>() == 2);
}

TEST_CASE("names and places that do not exist are errors", "[qonnx]") {
  const auto told = [](qonnx::QuantMap map) {
    return refusal(graph("x: f32[1,2]; w = f32[2,2] random; y = MatMul(x, w)"), qonnx::quantize_graph(std::move(map)));
  };
  CHECK_THAT(told({.by_name = {{"nobody", {place(in, 0)}}}}), Catch::Contains("no node"));
  CHECK_THAT(told({.by_name = {{"y", {place(in, 0), place(in, 2)}}}}), Catch::Contains("no such place"));
  QuantPlace wide = place(in, 0);
  wide.quantizer.scale = Tensor::of<float>({3, 1, 1}, {1, 2, 3});
  CHECK_THAT(told({.by_op = {{"MatMul", {wide}}}}), Catch::Contains("broadcasts"));
}

TEST_CASE("a body and a default of an input are quantized where they are read", "[qonnx]") {
  Model model = graph("c: bool[]; x: f32[1,2]; w: f32[2,2] = random;"
                      "y = If(c) {then_branch={ t = MatMul(x, w) }, else_branch={ u = Neg(x) }}");
  const Report report = qonnx::quantize_graph({.by_op = {{"MatMul", {place(in, 0), place(in, 1)}}}}).run(model);
  CHECK(report.changes == 2);
  CHECK(unsound(model) == "");
  CHECK(model.graph().find("w")->initializer() != nullptr);
}
