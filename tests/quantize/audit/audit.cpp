#include <graft/quantize/audit/audit.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/place/bias.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Ranges ranges{{"x", {-1, 1}}, {"y", {-3, 5}}, {"a", {0, 5}}, {"b", {-2, 2}}, {"z", {-2, 2}}};

/// x -> Conv y -> whatever `behind` makes of it -> quantized, by default for ONNX Runtime on x86-64.
Model quantized(const std::function<Value&(Net&, Value&)>& behind = [](Net&, Value& y) -> Value& { return y; },
                const Target& target = targets::ort_cpu_x64) {
  Net net(14);
  Model model = net.build({&behind(net, net.conv(*net.x))});
  (inject_qdq(ranges, target) | quantize_weights(Granularity::per_channel, target)).run(model);
  return model;
}

OperatorOutcome only(const Model& model, const Target& target = targets::ort_cpu_x64) {
  const Audit found = audit(model.graph(), target).of("Conv");
  REQUIRE(found.findings.size() == 1);
  CHECK(found.fused() == found.findings[0].fused());
  CHECK(found.has_errors() == (found.findings[0].severity == Severity::error));
  return found.findings[0];
}

Node& conv_of(const Model& model) { return first(model.graph(), "Conv"); }
Value& relu(Net& net, Value& y) { return net.op("Relu", {&y}, "a"); }

void set_scalar(Model& model, Node& quantizer, std::size_t input, Tensor tensor) {
  REQUIRE(model.graph().set_input(quantizer, input, &model.graph().add_initializer(std::move(tensor), "changed")));
}
/// Both quantizers of the pair that a value goes through.
void set_pair(Model& model, Node& quantize, std::size_t input, const Tensor& tensor) {
  set_scalar(model, *quantize.output(0)->uses().front().user(), input, tensor);
  set_scalar(model, quantize, input, tensor);
}
Node& output_quantizer(const Model& model) { return *model.graph().last_node()->input(0)->producer(); }

}  // namespace

TEST_CASE("a Conv between pairs fuses", "[quantize]") {
  const OperatorOutcome finding = only(quantized());
  CHECK(finding.fused());
  CHECK(finding.severity == Severity::none);
  CHECK(finding.code.empty());
  CHECK(finding.node == "y_node");
  CHECK(finding.op == "Conv");
  CHECK(only(quantized(relu)).fused());
  for (const Target* const target : targets::all) CHECK(only(quantized(relu, *target), *target).fused());
}

TEST_CASE("a model in float fuses nothing", "[quantize]") {
  Net net;
  const Model model = net.build({&net.conv(*net.x)});
  CHECK(only(model).code == "no_dq_input");
  CHECK(audit(model.graph(), targets::onednn).fused() == 0);
}

TEST_CASE("what does not pay alone is not advised to be quantized", "[quantize]") {
  Net net;
  const Model model = net.build({&net.conv(*net.x)});
  CHECK(only(model).remedy ==
        "leave it in float unless its neighbours are quantized: alone, conversions would take more than its integer "
        "kernel gains");
  const Model large = graph("x: f32[1,64,56,56]; w = f32[64,64,3,3] random; y = Conv(x, w)");
  CHECK(only(large).remedy == "put a pair of quantizers behind the input");
}

TEST_CASE("a weight that callers may override is reported as the reason, not what follows from it", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  onnx::ModelProto proto = model.commit();
  onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
  input.set_name(proto.graph().node(0).input(1));
  input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  const Model overridable(std::move(proto));
  CHECK(only(overridable).code == "overridable_weight");
}

TEST_CASE("a tensor with another user, or none that quantizes it, keeps the Conv in float", "[quantize]") {
  Model two = quantized();
  Value& y = *conv_of(two).output(0);
  two.graph().add_output(*two.graph().insert("Neg", {&y}, 1).output(0));
  CHECK(only(two).code == "several_users");

  Model output = quantized();
  output.graph().add_output(*conv_of(output).output(0));
  CHECK(only(output).code == "graph_output");

  Net net;
  Model open = net.build({&net.op("Neg", {&net.conv(*net.x)}, "z")});
  insert_qdq(*net.x, {0.1f, 128, DType::u8}, false);
  quantize_weights(Granularity::per_channel, targets::ort_cpu_x64).run(open);
  CHECK(only(open).code == "output_not_quantized");
  CHECK(only(open, targets::onednn).fused());
}

TEST_CASE("equal QuantizeLinear of one tensor count as one", "[quantize]") {
  Model model = quantized();
  Node& q = output_quantizer(model);
  Node& again = model.graph().insert("QuantizeLinear", {q.input(0), q.input(1), q.input(2)}, 1);
  model.graph().add_output(
      *model.graph().insert("DequantizeLinear", {again.output(0), q.input(1), q.input(2)}, 1).output(0));
  CHECK(only(model).fused());
  set_scalar(model, again, 1, Tensor::scalar(0.5f));
  CHECK(only(model).code == "several_users");
}

TEST_CASE("an activation that the runtime does not fuse, or not with these q-params, is in the way", "[quantize]") {
  Model sigmoid = quantized(relu);
  sigmoid.graph().set_op(first(sigmoid.graph(), "Relu"), "Sigmoid");
  CHECK(only(sigmoid).code == "activation_unsupported");
  CHECK(only(sigmoid, targets::onednn).fused());

  Model shifted = quantized(relu);
  set_pair(shifted, output_quantizer(shifted), 2, Tensor::scalar(std::uint8_t{1}));
  const OperatorOutcome finding = only(shifted);
  CHECK(finding.code == "activation_not_redundant");
  CHECK(finding.text == "what Q can represent reaches 0.019607844 beyond the bounds of Relu");
  CHECK(only(shifted, targets::paper).fused());
}

TEST_CASE("a scale that reaches beyond a Clip by less than half a step makes the runtime refuse the model",
          "[quantize]") {
  const auto with_scale = [](float scale) {
    Model model = quantized([](Net& net, Value& y) -> Value& { return net.clip(y, 0, 5, "a"); });
    set_pair(model, output_quantizer(model), 1, Tensor::scalar(scale));
    return only(model);
  };
  CHECK(with_scale(5.0f / 255).fused());
  CHECK(with_scale(4.9f / 255).fused());
  CHECK(with_scale(5.005f / 255).code == "near_redundant");
  CHECK(with_scale(5.005f / 255).severity == Severity::error);
  CHECK(with_scale(5.1f / 255).code == "activation_not_redundant");
}

TEST_CASE("later releases compute such a Clip in integers", "[quantize]") {
  const auto with_scale = [](float scale) {
    Model model = quantized([](Net& net, Value& y) -> Value& { return net.clip(y, 0, 5, "a"); });
    set_pair(model, output_quantizer(model), 1, Tensor::scalar(scale));
    return only(model, targets::named("ort-cpu-x64@1.31"));
  };
  CHECK(with_scale(5.005f / 255).fused());
  CHECK(with_scale(5.1f / 255).code == "activation_not_redundant");
}

TEST_CASE("of two activations the runtime removes one, but Relu merges into the Clip behind it", "[quantize]") {
  const auto with_two = [](std::string_view one, std::string_view two) {
    Model model = quantized([](Net& net, Value& y) -> Value& { return net.clip(y, 0, 5, "a"); });
    Node& clip = first(model.graph(), "Clip");
    Node& before = model.graph().insert(one, {clip.input(0)}, 1, {}, &clip);
    REQUIRE(model.graph().set_input(clip, 0, before.output(0)));
    if (two == "Relu") {
      model.graph().resize_inputs(clip, 1);
      model.graph().set_op(clip, "Relu");
    }
    return only(model);
  };
  CHECK(with_two("Relu", "Clip").fused());
  CHECK(with_two("Relu", "Relu").code == "near_redundant");
  CHECK(with_two("LeakyRelu", "Relu").code == "activation_unsupported");
}

TEST_CASE("a row that is longer than what oneDNN fuses leaves the kernel in float", "[quantize]") {
  for (const int length : {3, 4}) {
    Net net;
    Model model = net.build({&relu(net, net.conv(*net.x))});
    (inject_qdq(ranges, targets::onednn) | quantize_weights(Granularity::per_channel, targets::onednn)).run(model);
    for (int i = 1; i < length; ++i) {
      Node& behind = first(model.graph(), "Relu");
      Node& more = model.graph().insert("Relu", {behind.input(0)}, 1, {}, &behind);
      REQUIRE(model.graph().set_input(behind, 0, more.output(0)));
    }
    const OperatorOutcome finding = only(model, targets::onednn);
    CHECK(finding.fused());
    CHECK(finding.code == (length == 3 ? "" : "activations_in_a_row"));
    CHECK(finding.severity == (length == 3 ? Severity::none : Severity::info));
  }
}

namespace {

/// "Relu in y_node, ...": what vanishes into the kernels of others.
std::string within(const Model& model, const Target& target) {
  std::string text;
  const Audit found = audit(model.graph(), target);
  for (const OperatorOutcome& one : found.within) {
    CHECK(one.form == OperatorForm::within);
    CHECK(one.severity == Severity::none);
    for (const OperatorOutcome& finding : found.findings) CHECK(finding.node != one.node);
    text += (text.empty() ? "" : ", ") + one.op + " in " + one.within;
  }
  return text;
}

}  // namespace

TEST_CASE("what vanishes into a kernel is named, with the kernel", "[quantize]") {
  CHECK(within(quantized(), targets::ort_cpu_x64).empty());
  for (const Target* const target : targets::all)
    if (target->zero_points == ZeroPoints::free) CHECK(within(quantized(relu), *target) == "Relu in y_node");
  Model in_float = quantized(relu);
  REQUIRE(in_float.graph().set_input(conv_of(in_float), 0, &in_float.graph().add_input("f", tensor_type(DType::f32))));
  CHECK(within(in_float, targets::ort_cpu_x64).empty());
  Model shifted = quantized(relu);
  set_pair(shifted, output_quantizer(shifted), 2, Tensor::scalar(std::uint8_t{1}));
  CHECK(within(shifted, targets::ort_cpu_x64).empty());
  CHECK(within(shifted, targets::onednn) == "Relu in y_node");

  const std::string head = "opset 13; x: f32[4,4]; s = f32[] 0.1; z = u8[] 128; d = DequantizeLinear(QuantizeLinear(x, "
                           "s, z), s, z); w = DequantizeLinear(i8[4,4] 1, s, i8[] 0); ";
  const std::string pair = "; y = DequantizeLinear(QuantizeLinear(r, s, z), s, z)";
  const auto of = [&](const std::string& text, const Target& target) { return within(graph(head + text), target); };
  CHECK(of("p = MatMul(d, w); r = Add(p, f32[4] random)" + pair, targets::ort_cpu_x64) == "Add in p");
  CHECK(of("p = MatMul(d, w); a: f32[4]; r = Add(p, a)" + pair, targets::ort_cpu_x64).empty());
  CHECK(of("p = MatMul(d, w); r = Identity(p)" + pair, targets::ort_cpu_x64) == "Identity in p");
  CHECK(of("p = MatMul(d, w); r = Transpose(p)" + pair, targets::ort_cpu_x64).empty());  // it moves integers
  // Of a float result.
  CHECK(of("p = MatMul(d, w); r = Tanh(Tanh(Tanh(Tanh(p))))", targets::onednn) == "Tanh in p, Tanh in p, Tanh in p");
  CHECK(of("p = MatMul(d, w); l: f32[]; r = Clip(p, l)", targets::onednn).empty());
  CHECK(of("p = MatMul(d, w); r = Tanh(p)", targets::ort_cpu_x64).empty());
  // What is moved before it is quantized.
  const Model pool = graph("opset 13; x: f32[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; d = DequantizeLinear("
                           "QuantizeLinear(x, s, z), s, z); p = GlobalAveragePool(d); r = Flatten(p)" + pair);
  CHECK(within(pool, targets::onednn) == "Flatten in p");
}

TEST_CASE("what does not pay beside a quantized input is not advised to be quantized", "[quantize]") {
  const auto remedy = [](const std::string& extents) {
    const Model model = graph("opset 13; x: f32[" + extents + "]; s = f32[] 0.1; z = u8[] 128; w = f32[" +
                              extents.substr(extents.find(',') + 1) +
                              ",64] random; d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); y = MatMul(d, w)");
    const OperatorOutcome found = audit(model.graph(), targets::ort_cpu_x64).of("MatMul").findings.at(0);
    CHECK(found.code == "weight_not_quantized");
    return std::string(found.remedy);
  };
  CHECK(remedy("256,256") == "quantize the weights");
  CHECK(remedy("1,4").find("leave it in float unless its neighbours are quantized") == 0);
}

TEST_CASE("a bias at another scale than the kernel takes it for is an error", "[quantize]") {
  Model model = quantized();
  set_scalar(model, *conv_of(model).input(2)->producer(), 1, Tensor::of<float>({2}, {1e-4f, 1e-4f}));
  const OperatorOutcome finding = only(model);
  CHECK(finding.fused());
  CHECK(finding.severity == Severity::error);
  CHECK(finding.code == "bias_scale_mismatch");
}

TEST_CASE("a release that checks the scale of a bias leaves one that is off in float", "[quantize]") {
  const Target& checking = targets::named("ort-cpu-x64@1.27");
  Model model = quantized();
  CHECK(only(model, checking).code.empty());
  Node& bias = *conv_of(model).input(2)->producer();
  const std::vector<float> right = bias.input(1)->constant()->to<float>();
  const auto off_by = [&](float factor) {
    set_scalar(model, bias, 1, Tensor::of<float>({2}, {right[0], right[1] * factor}));
    const OperatorOutcome finding = only(model, checking);
    CHECK(finding.code == "bias_scale_mismatch");
    return finding;
  };
  CHECK(off_by(1.001f).fused());  // the check is a rough one
  CHECK(off_by(1.001f).severity == Severity::error);
  CHECK_FALSE(off_by(1.5f).fused());
  CHECK(off_by(1.5f).severity == Severity::warning);
  REQUIRE(model.graph().set_input(bias, 1, &model.graph().add_input("given", tensor_type(DType::f32))));
  CHECK_FALSE(only(model, checking).fused());
  CHECK(only(model).fused());
}

TEST_CASE("what the runtime quantizes by itself is reported", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  inject_qdq(ranges, targets::ort_cpu_x64).run(model);
  CHECK(only(model).code == "weight_float_runtime_quant");
  CHECK(only(model).fused());
  CHECK(only(model, targets::onednn).code == "weight_not_quantized");
  quantize_weights(Granularity::per_channel, targets::onednn).run(model);
  CHECK(only(model).code == "bias_float_runtime_quant");
  CHECK(only(model).severity == Severity::info);
  CHECK(only(model, targets::onednn).severity == Severity::none);
}

TEST_CASE("weights that are not constant, or dequantized along another axis, are reported", "[quantize]") {
  Model model = quantized();
  Node& weight = *conv_of(model).input(1)->producer();
  model.graph().set_attribute(weight, {"axis", 1});
  CHECK(only(model).code == "axis");
  CHECK(only(model).severity == Severity::error);

  Model dynamic = quantized();
  Value& given = dynamic.graph().add_input("given", tensor_type(DType::f32));
  REQUIRE(dynamic.graph().set_input(conv_of(dynamic), 1, &given));
  CHECK(only(dynamic).code == "weight_not_quantized");
}

TEST_CASE("zero points that differ between channels are an error", "[quantize]") {
  Model model = quantized();
  Node& weight = *conv_of(model).input(1)->producer();
  set_scalar(model, weight, 2, Tensor::of<std::int8_t>({2}, {0, 1}));
  CHECK(only(model).code == "zero_points_differ");
  CHECK(only(model, targets::named("ort-cpu-x64@1.27")).code.empty());
}

TEST_CASE("dtypes that no kernel takes are reported", "[quantize]") {
  Model sixteen = quantized();
  set_pair(sixteen, *sixteen.graph().first_node(), 2, Tensor::scalar(std::uint16_t{0}));
  CHECK(only(sixteen).code == "dtypes");
}

TEST_CASE("pairs of int8 become uint8 on x86-64, unless someone else reads a part of them", "[quantize]") {
  const auto model_with = [](bool shared) {
    Model model = quantized();
    Node& q = output_quantizer(model);
    set_pair(model, q, 2, Tensor::scalar(std::int8_t{0}));
    if (shared) model.graph().add_output(*q.output(0));
    return model;
  };
  CHECK(only(model_with(false)).fused());
  CHECK(only(model_with(true)).code == "dtype_mismatch");
  CHECK(only(model_with(false), targets::ort_cpu_arm64).code == "dtype_mismatch");
}

TEST_CASE("quantizers of activations with several scales are an error", "[quantize]") {
  Model input = quantized();
  set_pair(input, *input.graph().first_node(), 1, Tensor::of<float>({2}, {0.1f, 0.2f}));
  CHECK(only(input).code == "per_axis_input");
  CHECK(only(input).severity == Severity::error);
}

TEST_CASE("quantizers are seen across what they pass", "[quantize]") {
  Net net;
  Value& t = net.op("Transpose", {net.x}, "t", {{"perm", Ints{0, 1, 3, 2}}});
  Model model = net.build({&net.conv(t)});
  insert_qdq(*net.x, {0.1f, 128, DType::u8}, false);
  insert_qdq(*conv_of(model).output(0), {0.1f, 128, DType::u8}, true);
  quantize_weights(Granularity::per_channel, targets::ort_cpu_x64).run(model);
  CHECK(only(model).fused());
  CHECK(only(model, targets::onednn).code == "no_dq_input");
}

namespace {

/// Every value of the graph, except for constants, with a pair behind it.
OperatorOutcome of_quantized(Net& net, Value& y, const char* op, const QParams& before, const QParams& behind) {
  Model model = net.build({&y});
  insert_qdq(*net.x, before, false);
  insert_qdq(y, behind, true);
  const Audit found = audit(model.graph(), targets::ort_cpu_x64).of(op);
  REQUIRE(found.findings.size() == 1);
  return found.findings[0];
}

constexpr QParams fine{0.01f, 128, DType::u8}, coarse{0.1f, 128, DType::u8}, wide{0.1f, 32768, DType::u16};

}  // namespace

TEST_CASE("operators of one dtype fuse whatever the scales", "[quantize]") {
  const auto sigmoid = [](const QParams& before, const QParams& behind) {
    Net net;
    return of_quantized(net, net.op("Sigmoid", {net.x}, "y"), "Sigmoid", before, behind);
  };
  CHECK(sigmoid(fine, coarse).fused());
  CHECK(sigmoid(fine, wide).code == "dtype_mismatch");
  CHECK(sigmoid(wide, wide).code == "dtypes");
}

TEST_CASE("operators that move values fuse between equal q-params", "[quantize]") {
  const auto resize = [](const QParams& before, const QParams& behind) {
    Net net;
    Value& scales = net.constant("scales", {1, 1, 2, 2}, {4});
    return of_quantized(net, net.op("Resize", {net.x, nullptr, &scales}, "y"), "Resize", before, behind);
  };
  CHECK(resize(fine, fine).fused());
  CHECK(resize(fine, coarse).code == "qparams_differ");
  CHECK(resize(wide, wide).code == "dtypes");
}

TEST_CASE("operators that move values in float are not told of", "[quantize]") {
  Net net;
  Value& y = net.op("Flatten", {net.x}, "y");
  const Model model = net.build({&net.op("Sigmoid", {&y}, "z")});
  const Audit found = audit(model.graph(), targets::ort_cpu_x64);
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].op == "Sigmoid");
  CHECK(found.findings[0].code == "no_dq_input");
}

TEST_CASE("what the integer form of an operator lacks is an error", "[quantize]") {
  const auto average = [](int opset, const Attributes& attributes) {
    Net net(opset);
    return of_quantized(net, net.op("AveragePool", {net.x}, "y", attributes), "AveragePool", fine, coarse);
  };
  CHECK(average(19, {{"kernel_shape", Ints{2, 2}}}).fused());
  const OperatorOutcome dilated = average(19, {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{1, 1}}});
  CHECK(dilated.code == "attribute");
  CHECK(dilated.severity == Severity::error);
  const Attributes counted{{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}},
                           {"count_include_pad", std::int64_t{1}}, {"ceil_mode", std::int64_t{1}}};
  CHECK(average(13, counted).severity == Severity::none);
  CHECK(average(19, counted).code == "attribute_ignored");
  CHECK(average(19, counted).severity == Severity::error);
}

TEST_CASE("a Resize whose attributes the kernel of integers has not is an error", "[quantize]") {
  const auto resize = [](const Attributes& attributes, std::string_view target = "ort-cpu-x64", bool few = false) {
    Net net(18);
    Value& scales = few ? net.constant("scales", {2, 2}, {2}) : net.constant("scales", {1, 1, 2, 2}, {4});
    Value& y = net.op("Resize", {net.x, nullptr, &scales}, "y", attributes);
    const Model model = net.build({&y});
    insert_qdq(*net.x, fine, false);
    insert_qdq(y, fine, true);
    return audit(model.graph(), targets::named(target)).of("Resize").findings.at(0);
  };
  CHECK(resize({}).severity == Severity::none);
  CHECK(resize({{"mode", "linear"}, {"axes", Ints{2, 3}}}, "ort-cpu-x64", true).code == "attribute_ignored");
  CHECK(resize({{"mode", "cubic"}}).code == "attribute_ignored");
  CHECK(resize({{"coordinate_transformation_mode", "tf_crop_and_resize"}}).code == "attribute_ignored");
  CHECK(resize({{"mode", "linear"}, {"antialias", std::int64_t{1}}}).severity == Severity::none);
  CHECK(resize({{"mode", "linear"}, {"antialias", std::int64_t{1}}}, "ort-cpu-arm64").code == "attribute_ignored");
}

TEST_CASE("a linear Resize in integers rounds down", "[quantize]") {
  for (const std::string_view target : {"ort-cpu-x64", "ort-cpu-avx2", "ort-cpu-arm64"}) {
    Net net;
    Value& scales = net.constant("scales", {1, 1, 2, 2}, {4});
    Value& y = net.op("Resize", {net.x, nullptr, &scales}, "y", {{"mode", "linear"}});
    const Model model = net.build({&y});
    insert_qdq(*net.x, fine, false);
    insert_qdq(y, fine, true);
    const OperatorOutcome found = audit(model.graph(), targets::named(target)).of("Resize").findings.at(0);
    CHECK(found.fused());
    CHECK(found.severity == Severity::warning);
    CHECK(found.code == "rounds_down");
    const Target& later = targets::named(std::string(target) + "@1.27");
    CHECK_FALSE(audit(model.graph(), later).of("Resize").findings.at(0).fused());
  }
}

TEST_CASE("what the runtime removes, such as an Add of 0, keeps nothing from fusing", "[quantize]") {
  const auto product = [](const std::string& before, const std::string& behind) {
    const std::string params = ", f32[] 0.1, u8[] 128)";
    const Model model = graph("x: f32[1,2,4,4]; q = QuantizeLinear(x" + params + "; d = DequantizeLinear(q" + params +
                              "; b = " + before + "; m = Mul(b, d); a = " + behind + "; r = QuantizeLinear(a" + params +
                              "; y = DequantizeLinear(r" + params);
    for (const OperatorOutcome& finding : audit(model.graph(), targets::ort_cpu_x64).of("Mul").findings)
      if (finding.node.find("m") == 0) return finding;
    return OperatorOutcome();
  };
  for (const char* const behind : {"Add(m, f32[1] 0)", "Add(f32[] 0, m)", "Sub(m, f32[1] 0)", "Mul(f32[1,1] 1, m)",
                                   "Div(m, f32[] 1)", "Add(Div(m, f32[] 1), Constant() {value=f32[1] 0})"}) {
    INFO(behind);
    CHECK(product("Identity(d)", behind).fused());
  }
  for (const char* const before : {"Add(d, f32[1] 0)", "Add(f32[1] 0, d)"})
    CHECK(product(before, "Identity(m)").fused());
  for (const char* const behind :
       {"Sub(f32[1] 0, m)", "Div(f32[1] 1, m)", "Add(m, f32[2,1,1] 0)", "Add(m, f32[1,1,1,1,1] 0)", "Add(m, f32[] 1)",
        "Mul(m, f32[] 0)", "Add(m, m)"}) {
    INFO(behind);
    const OperatorOutcome found = product("Identity(d)", behind);
    CHECK_FALSE(found.fused());
  }
}

TEST_CASE("MaxPool is known in integers from opset 12 to 21, since release 1.28 to any", "[quantize]") {
  const auto pool = [](int opset) {
    Net net(opset);
    return of_quantized(net, net.op("MaxPool", {net.x}, "y", {{"kernel_shape", Ints{2, 2}}}), "MaxPool", fine, fine);
  };
  Net net(22);
  const Model model = net.build({&net.op("MaxPool", {net.x}, "y", {{"kernel_shape", Ints{2, 2}}})});
  insert_qdq(*net.x, fine, false);
  insert_qdq(*first(model.graph(), "MaxPool").output(0), fine, true);
  CHECK(audit(model.graph(), targets::named("ort-cpu-x64@1.28")).of("MaxPool").fused() == 1);
  for (const int opset : {12, 13, 21}) CHECK(pool(opset).fused());
  for (const int opset : {11, 22}) CHECK(pool(opset).code == "opset");
}

TEST_CASE("a product may give its result in float", "[quantize]") {
  Net net;
  Value& w = net.constant("w", {1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  Value& y = net.op("MatMul", {net.x, &w}, "y");
  Model model = net.build({&y});
  insert_qdq(*net.x, fine, false);
  const auto finding = [&] { return audit(model.graph(), targets::ort_cpu_x64).of("MatMul").findings.at(0); };
  CHECK(finding().code == "weight_not_quantized");
  Node& matmul = first(model.graph(), "MatMul");
  const QuantizedConstant quantized =
      add_quantized(model.graph(), quantize_tensor(w.constant().value(), DType::i8, std::nullopt), "w");
  REQUIRE(model.graph().set_input(matmul, 1, &insert_dequantize(quantized, matmul, "w")));
  CHECK(finding().fused());
  insert_qdq(y, wide, true);
  CHECK(finding().code == "dtype_mismatch");
}

TEST_CASE("since release 1.28 a Gemm needs zero points, the right axis, and no alpha beside a bias", "[quantize]") {
  const auto told = [](const std::string& weight, const std::string& gemm) {
    const Model model = graph("p: u8[2,4]; s = f32[] 0.02; z = u8[] 3; ws = f32[4] {0.1, 0.1, 0.2, 0.2}; "
                              "w1 = f32[] 0.1; wz = i8[] 0; wzs = i8[4] 0; q = i8[4,4] random; c = i32[4] 1; "
                              "bs = f32[] 0.002; x = DequantizeLinear(p, s, z); b = DequantizeLinear(c, bs); w = " +
                              weight + "; y = DequantizeLinear(QuantizeLinear(" + gemm + ", s, z), s, z)");
    const auto finding = [&](const char* target) {
      return audit(model.graph(), targets::named(target)).of("Gemm").findings.at(0);
    };
    CHECK(finding("ort-cpu-x64").fused());
    return finding("ort-cpu-x64@1.28");
  };
  CHECK(told("DequantizeLinear(q, w1, wz)", "Gemm(x, w, b)").fused());
  CHECK(told("DequantizeLinear(q, w1)", "Gemm(x, w, b)").code == "no_zero_point");
  CHECK(told("DequantizeLinear(q, ws, wzs) {axis=1}", "Gemm(x, w)").fused());
  CHECK_FALSE(told("DequantizeLinear(q, ws, wzs) {axis=0}", "Gemm(x, w)").fused());
  CHECK(told("DequantizeLinear(q, w1, wz)", "Gemm(x, w) {alpha=2}").fused());
  CHECK(told("DequantizeLinear(q, w1, wz)", "Gemm(x, w, b) {alpha=2}").code == "alpha");
}

TEST_CASE("the bias of a Gemm is in steps of alpha times the scales", "[quantize]") {
  for (const float alpha : {1.0f, 2.0f}) {
    Net net;
    Value& flat = net.op("Flatten", {net.x}, "flat");
    Value& w = net.constant("w", std::vector<float>(64, 1), {32, 2});
    Value& b = net.constant("b", {1, 2}, {2});
    Model model = net.build({&net.op("Gemm", {&flat, &w, &b}, "y", {{"alpha", alpha}})});
    insert_qdq(flat, fine, false);
    Node& gemm = first(model.graph(), "Gemm");
    const QuantizedConstant weight = add_quantized(
        model.graph(), quantize_tensor(w.constant().value(), DType::i8, std::nullopt), "w");
    REQUIRE(model.graph().set_input(gemm, 1, &insert_dequantize(weight, gemm, "w")));
    quantize_bias(gemm);
    const auto finding = [&] { return audit(model.graph(), targets::ort_cpu_x64).of("Gemm").findings.at(0); };
    CHECK(finding().fused());
    CHECK(finding().code.empty());
    model.graph().edit(gemm).mutable_attribute(0)->set_f(alpha * 2);
    CHECK(finding().fused());
    CHECK(finding().code == "bias_scale_mismatch");
  }
}

TEST_CASE("the Shape of a value of known dims is not a user of it", "[quantize]") {
  for (const bool known : {true, false}) {
    Net net;
    Value& y = net.conv(*net.x);
    Value& shape = net.op("Shape", {&y}, "shape");
    Model model = net.build({&y, &shape});
    Value& made = *conv_of(model).output(0);
    if (!known) model.graph().set_type(made, tensor_type(DType::f32, Shape({1, 2, "H", 4})));
    insert_qdq(*net.x, fine, false);
    insert_qdq(made, fine, true);
    quantize_weights(Granularity::per_channel, targets::ort_cpu_x64).run(model);
    CHECK(only(model).fused());
    REQUIRE(model.graph().set_input(first(model.graph(), "Shape"), 0, &made));
    CHECK(only(model).code == (known ? "" : "several_users"));
  }
}

TEST_CASE("a Softmax that its quantizer does not let reach 1 is an error", "[quantize]") {
  for (const float most : {1.0f, 0.5f}) {
    Net net;
    Value& y = net.op("Softmax", {net.x}, "y");
    Model model = net.build({&y});
    insert_qdq(*net.x, fine, false);
    insert_qdq(y, {most / 255, 0, DType::u8}, true);
    const OperatorOutcome finding = audit(model.graph(), targets::ort_cpu_x64).of("Softmax").findings.at(0);
    CHECK(finding.fused());
    CHECK(finding.severity == (most == 1 ? Severity::none : Severity::error));
    CHECK(finding.code == (most == 1 ? "" : "does_not_saturate"));
  }
}

TEST_CASE("weights of more bits than the target takes without saturating are a warning, which outlives the audit",
          "[quantize]") {
  Model model = quantized();  // of 8 bits
  CHECK(only(model).code.empty());
  const OperatorOutcome finding = only(model, targets::ort_cpu_avx2);
  CHECK(finding.fused());
  CHECK(finding.code == "saturates");
  CHECK(to_string(finding) == "y_node (Conv): fused: its weight takes more than 7 bits: sums of two products saturate; "
                              "quantize the weights to so many bits");
}

TEST_CASE("a Softmax over one element is an error in integers", "[quantize]") {
  for (const int opset : {12, 13}) {
    for (const std::int64_t axis : {-1, 2}) {
      Model model = graph("opset " + std::to_string(opset) + "; x: f32[2,3,4,1]; y = Softmax(x) {axis=" +
                          std::to_string(axis) + "}");
      insert_qdq(*model.graph().find("x"), fine, false);
      insert_qdq(*model.graph().find("y"), {1.0f / 255, 0, DType::u8}, true);
      const OperatorOutcome finding = audit(model.graph(), targets::ort_cpu_x64).of("Softmax").findings.at(0);
      CHECK(finding.code == (axis == -1 ? "does_not_saturate" : ""));
    }
  }
}

TEST_CASE("scales too far apart for a kernel are an error", "[quantize]") {
  for (const float scale : {1.0f, 4000.0f, 1.0f / 300}) {
    for (const char* const op : {"GlobalAveragePool", "Sigmoid"}) {
      Model model = graph("x: f32[1,2,4,4]; y = " + std::string(op) + "(x)");
      insert_qdq(*model.graph().find("x"), {scale, 0, DType::u8}, false);
      insert_qdq(*model.graph().find("y"), {1, 0, DType::u8}, true);
      const bool is_near = scale == 1 || std::string(op) == "Sigmoid";
      const OperatorOutcome finding = audit(model.graph(), targets::ort_cpu_x64).of(op).findings.at(0);
      CHECK(finding.severity == (is_near || scale == 4000 ? Severity::none : Severity::error));
    }
  }
  Model model = graph("x: f32[1,2,4,4]; y = GlobalAveragePool(x)");
  insert_qdq(*model.graph().find("x"), {256 * 16, 0, DType::u8}, false);  // 16 elements are averaged
  insert_qdq(*model.graph().find("y"), {1, 0, DType::u8}, true);
  CHECK(audit(model.graph(), targets::ort_cpu_x64).findings.at(0).code == "scale_ratio");
}

TEST_CASE("a weight of a batched product with several scales is an error", "[quantize]") {
  for (const bool per_channel : {true, false}) {
    Net net;
    Value& w = net.constant("w", std::vector<float>(24, 0.5f), {2, 4, 3});
    Value& y = net.op("MatMul", {net.x, &w}, "y");
    Model model = net.build({&y});
    insert_qdq(*net.x, fine, false);
    Node& product = first(model.graph(), "MatMul");
    const auto axis = per_channel ? std::optional<std::size_t>(2) : std::nullopt;
    const QuantizedConstant weight =
        add_quantized(model.graph(), quantize_tensor(w.constant().value(), DType::i8, axis), "w");
    REQUIRE(model.graph().set_input(product, 1, &insert_dequantize(weight, product, "w")));
    const OperatorOutcome finding = audit(model.graph(), targets::ort_cpu_x64).of("MatMul").findings.at(0);
    CHECK(finding.code == (per_channel ? "batched_channels" : ""));
    CHECK(finding.severity == (per_channel ? Severity::error : Severity::none));
  }
}

TEST_CASE("what placement cannot quantize is reported with its reason", "[quantize]") {
  Net net;
  Value& bias = net.builder.input("given", DType::f32, {2});
  CHECK(only(net.build({&net.op("Conv", {net.x, &net.weight(), &bias}, "y")})).text ==
        "its bias is not constant");
}

namespace {

/// x between pairs of these q-params, an operator for oneDNN, and what it makes between others.
OperatorOutcome for_onednn(const char* op, const Attributes& attributes, const QParams& before, const QParams& behind,
                   bool twice = false) {
  Net net;
  Value& y = twice ? net.op(op, {net.x, net.x}, "y", attributes) : net.op(op, {net.x}, "y", attributes);
  Model model = net.build({&y});
  insert_qdq(*net.x, before, false);
  insert_qdq(y, behind, true);
  return audit(model.graph(), targets::onednn).of(op).findings.at(0);
}

}  // namespace

TEST_CASE("pools keep their dtype, and a Concat all its q-params, on oneDNN", "[quantize]") {
  constexpr QParams is_signed{0.1f, 0, DType::i8};
  CHECK(for_onednn("GlobalAveragePool", {}, fine, coarse).fused());
  CHECK(for_onednn("GlobalAveragePool", {}, fine, is_signed).code == "dtype_mismatch");
  CHECK(for_onednn("Concat", {{"axis", 1}}, fine, fine).fused());
  CHECK(for_onednn("Concat", {{"axis", 1}}, fine, coarse).code == "qparams_differ");
  CHECK(for_onednn("Concat", {{"axis", 1}}, fine, fine, true).code == "shared_dequantizer");
}

TEST_CASE("what joins all before it is followed to its dequantizers, however deep it is", "[quantize]") {
  constexpr int depth = 2000;
  const auto with_other_qparams = [&](const std::string& scale_of_second) {
    std::string text = "x: u8[1,1,1,4]; z = u8[] 0; w = DequantizeLinear(i8[1,1,1,1] 1, f32[] 0.01, i8[] 0); "
                       "d = DequantizeLinear(x, f32[] 0.1, z); e = DequantizeLinear(x, f32[] " + scale_of_second +
                       ", z); j0 = Concat(d, e) {axis=2}";
    for (int i = 0; i < depth; ++i) {
      const std::string at = std::to_string(i);
      text += "; y" + at + " = Conv(j" + at + ", w); j" + std::to_string(i + 1) + " = Concat(j" + at + ", d) {axis=2}";
    }
    const Model model = graph(text + "; y = Relu(j" + std::to_string(depth) + ")");
    const Audit found = audit(model.graph(), targets::openvino_cpu).of("Conv");
    REQUIRE(found.findings.size() == depth);
    return std::ranges::count_if(found.findings, [](const OperatorOutcome& finding) {
      return to_string(finding).find("parts of its input have different q-params") != std::string::npos;
    });
  };
  CHECK(with_other_qparams("0.1") == 0);
  CHECK(with_other_qparams("0.2") == depth);
}

TEST_CASE("oneDNN moves what a pool makes once before it is quantized, and computes nothing between", "[quantize]") {
  const auto with = [](std::initializer_list<const char*> ops) {
    Net net(14);
    Value* value = &net.op("GlobalAveragePool", {net.x}, "y");
    int number = 0;
    for (const char* const op : ops) value = &net.op(op, {value}, "m" + std::to_string(number++));
    Model model = net.build({value});
    insert_qdq(*net.x, fine, false);
    insert_qdq(*value, coarse, true);
    return audit(model.graph(), targets::onednn).findings.at(0);
  };
  CHECK(with({"Flatten"}).fused());
  CHECK(with({"Flatten", "Transpose"}).code == "output_not_quantized");
  CHECK(with({"Relu"}).code == "activation_unsupported");
}

TEST_CASE("a product of oneDNN gives a float result where no quantizer can be had", "[quantize]") {
  Model model = quantized();
  CHECK_FALSE(only(model, targets::onednn).float_result);
  model.graph().add_output(*conv_of(model).output(0));
  const OperatorOutcome finding = only(model, targets::onednn);
  CHECK(finding.fused());
  CHECK(finding.float_result);
  CHECK(finding.severity == Severity::info);

  Model sixteen = quantized();
  set_pair(sixteen, output_quantizer(sixteen), 2, Tensor::scalar(std::uint16_t{0}));
  CHECK(only(sixteen, targets::onednn).fused());
  CHECK(only(sixteen, targets::onednn).float_result);
}

TEST_CASE("what oneDNN refuses of weights, scales and factors is reported", "[quantize]") {
  Model shifted = quantized();
  set_scalar(shifted, *conv_of(shifted).input(1)->producer(), 2, Tensor::of<std::int8_t>({2}, {1, 1}));
  CHECK(only(shifted, targets::onednn).code == "zero_point");
  CHECK(only(shifted, targets::onednn).severity == Severity::error);

  Model dynamic = quantized();
  Value& scale = dynamic.graph().add_input("given", tensor_type(DType::f32, Shape(Dims{})));
  REQUIRE(dynamic.graph().set_input(*conv_of(dynamic).input(0)->producer(), 1, &scale));
  CHECK(only(dynamic).fused());
  CHECK(only(dynamic, targets::onednn).code == "dynamic_qparams");

  Net net;
  Value& flat = net.op("Flatten", {net.x}, "flat");
  const Model scaled = net.build({&net.op(
      "Gemm", {&flat, &net.constant("w", std::vector<float>(64, 1), {32, 2})}, "y", {{"alpha", 2.0f}})});
  CHECK(audit(scaled.graph(), targets::onednn).of("Gemm").findings.at(0).code == "alpha");
}

TEST_CASE("kernels of every form serve the opsets that the target says, in placement and in the audit", "[quantize]") {
  struct Case {
    KernelForm form;
    std::string op, text;
  };
  const std::string pair = "q = QuantizeLinear(x, f32[] 0.1, u8[] 128); d = DequantizeLinear(q, f32[] 0.1, u8[] 128); ";
  const std::string behind = "r = QuantizeLinear(a, f32[] 0.1, u8[] 128); y = DequantizeLinear(r, f32[] 0.1, u8[] 128)";
  const Case cases[] = {
      {KernelForm::weighted, "Conv",
       "w = DequantizeLinear(i8[2,2,1,1] {1, 2, 3, 4}, f32[] 0.1, i8[] 0); a = Conv(d, w); "},
      {KernelForm::weighted, "MatMul", "w = DequantizeLinear(i8[4,4] 1, f32[] 0.1, i8[] 0); a = MatMul(d, w); "},
      {KernelForm::elementwise, "Add", "a = Add(d, d); "},
      {KernelForm::passthrough, "MaxPool", "a = MaxPool(d) {kernel_shape=[2,2]}; "},
      {KernelForm::one_qparams, "Concat", "a = Concat(d, d) {axis=1}; "},
  };
  for (const auto& [form, op, text] : cases) {
    INFO(op);
    const std::vector<KernelDTypes> dtypes{{DType::u8, DType::i8}};
    IntegerKernel entry{.op = op, .dtypes = dtypes, .form = form, .operands = op == "MaxPool" ? 1u : 2u};
    Target target = targets::ort_cpu_x64;
    target.quantizers_pass = {};
    target.kernels = {&entry, 1};
    const Model between = graph("opset 13; x: f32[1,2,4,4]; " + pair + text + behind);
    Model in_float = graph("opset 13; x: f32[1,2,4,4]; y = Conv(x, f32[2,2,1,1] {1, 2, 3, 4})");
    if (op == "MatMul") in_float = graph("opset 13; x: f32[1,2,4,4]; y = MatMul(x, f32[4,4] 1)");
    if (op == "Add") in_float = graph("opset 13; x: f32[1,2,4,4]; y = Add(x, x)");
    if (op == "MaxPool") in_float = graph("opset 13; x: f32[1,2,4,4]; y = MaxPool(x) {kernel_shape=[2,2]}");
    if (op == "Concat") in_float = graph("opset 13; x: f32[1,2,4,4]; y = Concat(x, x) {axis=1}");
    const Node& node = node_making(in_float, "y");
    const auto finding = [&, kind = op] { return audit(between.graph(), target).of(kind).findings.at(0); };
    CHECK(finding().fused());
    CHECK(integer_kernel(node, target) == &entry);
    CHECK(bool(quantizable(node, target)) == (form != KernelForm::one_qparams));
    for (const auto& [since, until] : {std::pair(20, 30), std::pair(0, 12)}) {
      entry.since = since;
      entry.until = until;
      CHECK_FALSE(finding().fused());
      CHECK(finding().code == "opset");
      CHECK(integer_kernel(node, target) == nullptr);
      CHECK(quantizable(node, target).reason().code == "opset");
      for (const Placement placement : {Placement::fusion_aware, Placement::all_supported}) {
        Model model = in_float.clone();
        (inject_qdq({{"x", {-1, 1}}, {"y", {-1, 1}}}, target, placement) |
         quantize_weights(Granularity::per_tensor, target)).run(model);
        CHECK(ops(model.graph()) == op);
      }
    }
  }
}

namespace {

std::string code_of(const std::string& text, const Target& target, std::string_view op) {
  const std::vector<OperatorOutcome> found = audit(graph(text).graph(), target).of(op).findings;
  if (found.empty()) return "";
  CHECK((found[0].code.empty() || found[0].severity == Severity::error));
  CHECK(found[0].remedy.empty() == found[0].code.empty());
  return std::string(found[0].code);
}

}  // namespace

TEST_CASE("the audit reports a bias that the runtime drops, whoever wrote the product", "[quantize]") {
  const auto code = [](const std::string& weight, const std::string& scale, const std::string& form) {
    const std::string head = "x: f32[2,4,16]; ";
    if (form == "contrib")
      return code_of(head + "y = com.microsoft::DynamicQuantizeMatMul(x, i8" + weight + " 1, f32" + scale +
                         " 1, i8[] 0, f32[8] 1)",
                     targets::ort_cpu_x64, "DynamicQuantizeMatMul");
    const std::string product = head + "q, s, z = DynamicQuantizeLinear(x); i = MatMulInteger(q, i8" + weight +
                                " 1, z, i8[] 0); f = Cast(i) {to=f32}; t = Mul(s, f32" + scale + " 1); ";
    return code_of(product + (form == "bias" ? "m = Mul(f, t); y = Add(f32[8] 1, m)" : "y = Mul(f, t)"),
                   targets::ort_cpu_x64, "MatMulInteger");
  };
  for (const std::string form : {"contrib", "bias"}) {
    INFO(form);
    CHECK(code("[1,16,8]", "[8]", form) == "dropped_bias");
    CHECK(code("[2,16,8]", "[1,1,8]", form) == "dropped_bias");
    CHECK(code("[16,8]", "[1,1]", form) == "dropped_bias");
    for (const char* const scale : {"[8]", "[1,8]", "[]", "[1]"}) CHECK(code("[16,8]", scale, form).empty());
    for (const char* const scale : {"[2,1,8]", "[]", "[1]"}) CHECK(code("[2,16,8]", scale, form).empty());
  }
  CHECK(code("[1,16,8]", "[8]", "no bias").empty());
}

TEST_CASE("the audit reports products that the runtime miscomputes on processors with AMX", "[quantize]") {
  const auto conv = [](int channels, const std::string& group, const Target& target, const char* extent = "14") {
    const std::string c = std::to_string(channels), in = group == "1" ? "4" : std::to_string(4 / std::stoi(group));
    return code_of("x: f32[1,4," + std::string(extent) + "," + extent + "]; " +
                       "q = QuantizeLinear(x, f32[] 0.1, u8[] 128); d = DequantizeLinear(q, f32[] 0.1, u8[] 128); "
                       "w = DequantizeLinear(i8[" + c + "," + in + ",1,1] 1, f32[] 0.1, i8[] 0); "
                       "a = Conv(d, w) {group=" + group + "}; "
                       "r = QuantizeLinear(a, f32[] 0.1, u8[] 128); y = DequantizeLinear(r, f32[] 0.1, u8[] 128)",
                   target, "Conv");
  };
  for (const int channels : {17, 24, 31, 56}) CHECK(conv(channels, "1", targets::ort_cpu_amx) == "partial_tiles");
  for (const int channels : {8, 16, 32, 48, 64}) CHECK(conv(channels, "1", targets::ort_cpu_amx).empty());
  CHECK(conv(48, "2", targets::ort_cpu_amx) == "partial_tiles");
  CHECK(conv(24, "1", targets::ort_cpu_amx, "5").empty());  // 25 rows
  CHECK(conv(24, "1", targets::ort_cpu_x64).empty());
  CHECK(conv(24, "1", targets::named("ort-cpu-amx@1.25")).empty());
  const std::string integers = "x: u8[N,16]; y = MatMulInteger(x, i8[16,24] 1)";
  CHECK(code_of(integers, targets::ort_cpu_amx, "MatMulInteger") == "partial_tiles");
  CHECK(code_of(integers, targets::ort_cpu_x64, "MatMulInteger").empty());
}

TEST_CASE("the audit reports signed tensors without a zero point that are carried past what moves them", "[quantize]") {
  const auto code = [](const std::string& behind, const std::string& target = "ort-cpu-x64",
                       const std::string& x = "x", int opset = 17, const std::string& scale = "f32[] 0.1") {
    const std::string head = "opset " + std::to_string(opset) + "; x: i8[1,8,4]; d = DequantizeLinear(";
    return code_of(head + x + ", " + scale + "); " + behind, targets::named(target), "DequantizeLinear");
  };
  const std::string fault = "unstated_zero_point", moved = "t = Transpose(d) {perm=[0,2,1]}; ";
  CHECK(code(moved + "y = Neg(t)") == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.32") == fault);
  CHECK(code("y = Reshape(d, i64[2] {4, 8})") == fault);
  CHECK(code("t = Identity(d); u = Squeeze(t, i64[1] 0); y = Abs(u); z = Neg(d)") == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64", "i8[1,8,4] 5") == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64", "x", 21) == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.27", "i8[1,8,4] 5").empty());
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.27", "x", 21).empty());
  CHECK(code(moved + "y = QuantizeLinear(t, f32[] 0.1, i8[] 0)").empty());
  CHECK(code(moved + "y = Neg(t)", "onednn").empty());
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64", "u8[1,8,4] 5").empty());
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64", "x", 17, "f32[] 0.1, i8[] 0").empty());
  CHECK(code("y = Neg(d)").empty());
  CHECK(code("t = Identity(d); y = Neg(t)").empty());
}

TEST_CASE("the audit reports pairs that the runtime carries to a place where a body reads", "[quantize]") {
  const auto code = [](const std::string& behind, const std::string& target = "ort-cpu-arm64") {
    return code_of("opset 17; x: f32[1,8,4]; c: bool[]; q = QuantizeLinear(x, f32[] 0.1, u8[] 0); "
                   "d = DequantizeLinear(q, f32[] 0.1, u8[] 0); " + behind,
                   targets::named(target), "DequantizeLinear");
  };
  const auto read = [](const std::string& value) {
    return "y = If(c) {then_branch={ n = Neg(" + value + ") }, else_branch={ a = Abs(" + value + ") }}";
  };
  const std::string fault = "carried_into_body", moved = "t = Transpose(d) {perm=[0,2,1]}; ";
  CHECK(code(moved + read("t")) == fault);
  CHECK(code(moved + "z = Exp(t); " + read("t"), "ort-cpu-x64@1.32") == fault);
  CHECK(code(moved + "u = Identity(t); " + read("u")) == fault);
  CHECK(code(moved + "u = Reshape(t, i64[2] {4, 8}); " + read("u")) == fault);
  CHECK(code(moved + read("t"), "onednn").empty());
  CHECK(code(moved + read("d") + "; z = Neg(t)").empty());
  CHECK(code(moved + "r = QuantizeLinear(t, f32[] 0.1, u8[] 0); z = DequantizeLinear(r, f32[] 0.1, u8[] 0); " +
             read("z")).empty());
}

TEST_CASE("the audit reports pairs of int8 that the runtime carries past what moves them, and refuses", "[quantize]") {
  const auto code = [](const std::string& behind, const std::string& target = "ort-cpu-x64@1.27", int opset = 21,
                       const std::string& zero = "i8[] 0") {
    const std::string q = "f32[] 0.1, " + zero;
    const std::string head = "opset " + std::to_string(opset) + "; x: f32[1,8,4]; d = DequantizeLinear(" +
                             "QuantizeLinear(x, " + q + "), " + q + "); ";
    return code_of(head + behind, targets::named(target), "DequantizeLinear");
  };
  const std::string fault = "carried_int8", moved = "t = Transpose(d) {perm=[0,2,1]}; ";
  CHECK(code(moved + "y = Neg(t)") == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.32") == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.27", 21, "i8[] 3") == fault);
  CHECK(code("y = Reshape(d, i64[2] {4, 8})") == fault);
  CHECK(code("t = Identity(d); u = Squeeze(t, i64[1] 0); y = Abs(u); z = Neg(d)") == fault);
  CHECK(code(moved + "u = Identity(t); y = Neg(u)") == fault);
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.27", 20).empty());
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-x64@1.27", 21, "u8[] 0").empty());
  CHECK(code(moved + "y = Neg(t)", "ort-cpu-arm64@1.27").empty());
  CHECK(code(moved + "y = Neg(t)", "onednn").empty());
  CHECK(code(moved + "y = Neg(t); z = Abs(t)").empty());
  CHECK(code(moved + "u = Identity(t); y = QuantizeLinear(u, f32[] 0.1, i8[] 0)").empty());
  CHECK(code("t = Identity(d); y = Neg(t)").empty());
}
