// Signatures, bodies, functions and operators that real models bring, through the whole pipeline.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "quantize/whole_pipeline.hpp"

using namespace graft;

namespace {

Whole checked(Model model, Placement placement) {
  Whole whole = quantize_whole(std::move(model), placement);
  INFO(whole.notes() << whole.findings());
  CHECK(whole.error < 0.03);
  CHECK(verify(whole.model).empty());
  CHECK_FALSE(whole.audit.has_errors());
  return whole;
}
Whole checked(const std::string& text, Placement placement) { return checked(graph(text), placement); }

std::vector<std::string> outputs(const Whole& whole) {
  std::vector<std::string> names;
  for (const Value* const output : whole.model.graph().outputs()) names.emplace_back(output->name());
  return names;
}

bool notes(const Whole& whole, const std::string& text) { return whole.notes().find(text) != std::string::npos; }

/// Of the first Conv's weight.
std::vector<int> codes(const Whole& whole) {
  return quantized_constant(*first(whole.model.graph(), "Conv").input(1)->producer())->data.to<int>();
}

const std::string head = "x: f32[1,2,4,4]; w = f32[2,2,1,1] random(0.2, 1); ";

}  // namespace

TEST_CASE("inner values that are outputs, inputs that are outputs, several of both", "[quantize]") {
  for (const Placement placement : both_placements) {
    const Whole inner = checked(head + "y = Conv(x, w); r = Relu(y); z = Conv(r, w); s = Add(r, z); return r, z, y, s",
                                placement);
    CHECK(outputs(inner) == std::vector<std::string>{"r", "z", "y", "s"});
    CHECK(inner.audit.of("Conv").fused() == 2);
    const Whole direct = checked("u: f32[1,2,4,4]; " + head + "y = Conv(x, w); z = Conv(u, w); return y, x, u, z, y",
                                 placement);
    CHECK(outputs(direct) == std::vector<std::string>{"y", "x", "u", "z", "y"});
    CHECK(direct.model.graph().output(1)->is_graph_input());
    CHECK(direct.audit.of("Conv").fused() == 2);
    const Whole split = checked("x: f32[1,4,4,4]; w = f32[4,4,1,1] random; a, b = Split(Conv(x, w)) {axis=1}; "
                                "z = Concat(Conv(a, f32[2,2,1,1] random), b) {axis=1}; return z, a", placement);
    CHECK(outputs(split) == std::vector<std::string>{"z", "a"});
    CHECK(split.audit.of("Conv").fused() == 2);
  }
}

TEST_CASE("a graph without a node, and one whose input is its output", "[quantize]") {
  for (const Placement placement : both_placements) {
    const Whole whole = checked("x: f32[1,2]; return x", placement);
    CHECK(ops(whole.model.graph()).empty());
    CHECK(whole.audit.findings.empty());
  }
}

TEST_CASE("integer inputs and optional inputs that are absent", "[quantize]") {
  const Whole ids = checked("ids: i64[2,3]; t = f32[3,4] random; e = Gather(t, ids); "
                            "y = MatMul(e, f32[4,4] random); z = Gather(y, ids) {axis=1}; return z",
                            Placement::all_supported);
  CHECK(ids.audit.of("MatMul").fused() == 1);
  CHECK(ids.model.graph().inputs()[0]->dtype() == DType::i64);
  for (const Placement placement : both_placements) {
    const Whole absent = checked(head + "y = Clip(Conv(x, w, _), _, f32[] 6); z = Clip(Conv(y, w), f32[] 0, _); "
                                        "r = Resize(z, _, f32[4] {1, 1, 2, 2}) {mode=\"nearest\"}; return r",
                                 placement);
    CHECK(absent.audit.of("Conv").fused() == 2);
  }
}

TEST_CASE("pairs that a model brings are kept with their scales, none is doubled", "[quantize]") {
  for (const Placement placement : both_placements) {
    const Whole whole = checked(
        head + "d = DequantizeLinear(QuantizeLinear(x, f32[] 0.02, u8[] 100), f32[] 0.02, u8[] 100); "
               "k = DequantizeLinear(i8[2,2,1,1] {1, 90, -40, 100}, f32[] 0.01, i8[] 0); "
               "y = Relu(Conv(d, k, f32[2] {0.5, -0.5})); z = Conv(y, w); return z",
        placement);
    CHECK(whole.audit.of("Conv").fused() == 2);
    CHECK(count(whole.model.graph(), "QuantizeLinear") == 3);
    CHECK(qparams_of(first(whole.model.graph(), "QuantizeLinear")) == QParams{0.02f, 100, DType::u8});
    const Node& conv = first(whole.model.graph(), "Conv");
    CHECK(quantized_constant(*conv.input(1)->producer())->scale.item<float>() == 0.01f);
    CHECK(quantized_constant(*conv.input(2)->producer())->scale.to<float>()[0] == 0.02f * 0.01f);

    Model again(whole.model.proto());
    strip_qdq().run(again);
    CHECK(ops(again.graph()) == "Conv Relu Conv");
    CHECK(checked(std::move(again), placement).audit.of("Conv").fused() == 2);
  }
}

TEST_CASE("what another tool has put on integers is left alone, and told", "[quantize]") {
  for (const Placement placement : both_placements) {
    const Whole linear = checked(
        head + "q = QuantizeLinear(x, f32[] 0.02, u8[] 100); "
               "k = i8[2,2,1,1] random; "
               "c = QLinearConv(q, f32[] 0.02, u8[] 100, k, f32[] 0.01, i8[] 0, f32[] 0.05, u8[] 128); "
               "d = DequantizeLinear(c, f32[] 0.05, u8[] 128); y = Relu(Conv(d, w)); return y", placement);
    CHECK(notes(linear, "1 QLinearConv on integers already, left as it is"));
    CHECK(linear.audit.of("Conv").fused() == 1);
    CHECK(count(linear.model.graph(), "QuantizeLinear") == 2);

    const Whole dynamic = checked(
        head + "q, s, n = DynamicQuantizeLinear(x); c = ConvInteger(q, i8[2,2,1,1] random, n); "
               "d = Mul(Cast(c) {to=f32}, Mul(s, f32[] 0.01)); y = Relu(Conv(d, w)); return y", placement);
    CHECK(notes(dynamic, "1 ConvInteger on integers already, left as it is"));
    CHECK(notes(dynamic, "1 DynamicQuantizeLinear on integers already, left as it is"));
    CHECK(dynamic.audit.of("Conv").fused() == 1);
    CHECK(dynamic.audit.of("Mul").fused() == 0);
    CHECK(count(dynamic.model.graph(), "QuantizeLinear") == 2);
  }
}

TEST_CASE("bodies stay in float, read what is quantized outside, and are reported", "[quantize]") {
  for (const Placement placement : both_placements) {
    const Whole chosen = checked(head + "c: bool[]; y = Relu(Conv(x, w)); "
                                        "z = If(c) {then_branch={ t = Conv(y, w) }, else_branch={ return y }}; "
                                        "q = Conv(z, w); return q", placement);
    CHECK(notes(chosen, "1 operators in bodies and functions stay in float"));
    CHECK(chosen.audit.of("Conv").fused() == 2);
    const Whole looped = checked(head + "y = Relu(Conv(x, w)); "
                                        "z = Loop(i64[] 3, _, y) {body={ i: i64[]; more: bool[]; s: f32[1,2,4,4]; "
                                        "u = Add(Conv(s, w), y); on = Identity(more); return on, u }}; return z",
                                 placement);
    const char* const products_and_sums = placement == Placement::all_supported ? "2" : "1";
    CHECK(notes(looped, products_and_sums + std::string(" operators in bodies and functions stay in float")));
    CHECK(looped.audit.of("Conv").fused() == 1);
  }
}

TEST_CASE("functions of the model stay in float, and are reported", "[quantize]") {
  onnx::ModelProto proto =
      graph("opset mine 1; " + head + "y = Conv(x, w); z = mine::Twice(y); q = Conv(z, w); return q").commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("mine");
  function.set_name("Twice");
  function.add_input("a");
  function.add_output("b");
  onnx::OperatorSetIdProto& opset = *function.add_opset_import();
  opset.set_version(17);
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type("Conv");
  node.add_input("a");
  node.add_input("k");
  node.add_output("b");
  onnx::NodeProto& constant = *function.add_node();
  constant.set_op_type("Constant");
  constant.add_output("k");
  *constant.add_attribute() = Attribute("value", Tensor::of<float>({2, 2, 1, 1}, {2, 0, 0, 2})).proto();
  function.mutable_node()->SwapElements(0, 1);
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"z", {-4, 4}}, {"q", {-8, 8}}};
  for (const Placement placement : both_placements) {  // the embedded executor does not run functions
    Model model(proto);
    const Report report = (inject_qdq(ranges, targets::ort_cpu_x64, placement) |
                           quantize_weights(Granularity::per_channel, targets::ort_cpu_x64))
                              .run(model);
    CHECK(report.steps[0].notes == std::vector<std::string>{"1 operators in bodies and functions stay in float"});
    CHECK(audit(model.graph(), targets::ort_cpu_x64).of("Conv").fused() == 2);
    CHECK(verify(model).empty());
    CHECK(model.commit().functions(0).SerializeAsString() == function.SerializeAsString());
  }
}

TEST_CASE("16 bit floats end as their float32 twin does", "[quantize]") {
  const auto text = [](const std::string& dtype) {
    return "x: " + dtype + "[1,2,4,4]; w = " + dtype + "[2,2,1,1] {1, -0.5, 0.25, 0.75}; b = " + dtype +
           "[2] {0.5, -0.25}; y = Relu(Conv(x, w, b)); return y";
  };
  for (const Placement placement : both_placements) {
    const Whole wide = checked(text("f32"), placement);
    for (const std::string dtype : {"f16", "bf16"}) {
      const Whole half = checked(text(dtype), placement);
      CHECK(ops(half.model.graph()) == "Cast " + ops(wide.model.graph()) + " Cast");
      CHECK(half.audit.of("Conv").fused() == 1);
      CHECK(codes(half) == codes(wide));
      CHECK(half.model.graph().output(0)->dtype() == half.model.graph().inputs()[0]->dtype());
      CHECK(half.model.graph().output(0)->dtype() != DType::f32);
    }
  }
}

TEST_CASE("nodes without names, or with one name, are quantized under names of their own", "[quantize]") {
  for (const std::string name : {"", "same"}) {
    Model model = graph(head + "y = Relu(Conv(Relu(Conv(x, w)), w)); return y");
    for (Node& node : model.graph().nodes()) model.graph().rename(node, name);
    CHECK(checked(Model(model.commit()), Placement::all_supported).audit.of("Conv").fused() == 2);
  }
}
