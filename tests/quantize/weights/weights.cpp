#include <graft/quantize/weights/weights.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Pass per_channel = quantize_weights(Granularity::per_channel, targets::ort_cpu_x64);
const Pass per_tensor = quantize_weights(Granularity::per_tensor, targets::ort_cpu_x64);

std::optional<QuantizedTensor> weight_of(const Model& model, std::string_view value) {
  return quantized_constant(*node_making(model, value).input(1)->producer());
}

}  // namespace

TEST_CASE("the weights of a Conv become int8 and a DequantizeLinear", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK(per_channel.run(model).changes == 1);
  CHECK(ops(model.graph()) == "DequantizeLinear Conv");
  const auto weight = weight_of(model, "y");
  REQUIRE(weight);
  CHECK(weight->axis == 0u);
  CHECK(weight->data.to<int>() == std::vector<int>{127, -50, 127, 50});
  CHECK(weight->scale.same_bytes(Tensor::of<float>({2}, {0.01f, 0.002f})));
  CHECK(model.graph().find("y_w") == nullptr);
  CHECK(model.graph().find("y_b") != nullptr);  // until the scale of the input is known
}

TEST_CASE("weights can have one scale, which no axis goes with", "[quantize]") {
  Net net(10);
  Model model = net.build({&net.conv(*net.x)});
  per_tensor.run(model);
  CHECK(weight_of(model, "y")->scale.same_bytes(Tensor::scalar(0.01f)));
  CHECK(node_making(model, "y").input(1)->producer()->proto().attribute_size() == 0);
}

TEST_CASE("scales for each channel need opset 13", "[quantize]") {
  Net net(12);
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(per_channel.run(model),
                    "pass 'quantize_weights': needs opset 13, which no earlier pass provided; run raise_opset first");
  CHECK(ops(model.graph()) == "Conv");
}

TEST_CASE("a shared weight is quantized once", "[quantize]") {
  Net net;
  Value& w = net.weight();
  Value& a = net.op("Conv", {net.x, &w}, "a");
  Value& b = net.op("Conv", {net.x, &w}, "b");
  Model model = net.build({&a, &b});
  per_channel.run(model);
  CHECK(node_making(model, "a").input(1)->producer()->input(0) ==
        node_making(model, "b").input(1)->producer()->input(0));
  CHECK(count(model.graph(), "DequantizeLinear") == 2);
  CHECK(model.graph().find("w") == nullptr);
}

TEST_CASE("a weight that is read as a float elsewhere stays as well", "[quantize]") {
  Net net;
  Value& w = net.weight();
  Value& a = net.op("Conv", {net.x, &w}, "a");
  Value& b = net.op("Neg", {&w}, "b");
  Model model = net.build({&a, &b});
  per_channel.run(model);
  CHECK(node_making(model, "b").input(0)->name() == "w");
  CHECK(weight_of(model, "a"));
}

TEST_CASE("a weight from a Constant node goes with the node", "[quantize]") {
  Net net;
  Value& w = net.op("Constant", {}, "w", {{"value", Tensor::of<float>({2, 2, 1, 1}, {1, 2, 3, 4})}});
  Value& through = net.op("Identity", {&w}, "through");
  Model model = net.build({&net.op("Conv", {net.x, &through}, "y")});
  per_channel.run(model);
  CHECK(ops(model.graph()) == "DequantizeLinear Conv");
}

TEST_CASE("below IR version 4 a weight leaves the graph's inputs, from there on it stays in float", "[quantize]") {
  for (const int ir_version : {3, 4}) {
    Net net;
    onnx::ModelProto proto = net.build({&net.conv(*net.x)}).proto();
    proto.set_ir_version(ir_version);
    onnx::ValueInfoProto& input = *proto.mutable_graph()->add_input();
    input.set_name("y_w");
    *input.mutable_type() = tensor_type(DType::f32);
    Model model(std::move(proto));
    per_channel.run(model);
    CHECK(model.graph().inputs().size() == (ir_version < 4 ? 1u : 2u));
    CHECK(count(model.graph(), "DequantizeLinear") == (ir_version < 4 ? 1u : 0u));
  }
}

TEST_CASE("biases are quantized by whichever pass comes second", "[quantize]") {
  const auto place = inject_qdq(Ranges{{"x", {-1, 1}}, {"y", {-2, 2}}}, targets::ort_cpu_x64);
  for (const Pass& pipeline : {per_channel | place, place | per_channel}) {
    Net net;
    Model model = net.build({&net.conv(*net.x)});
    pipeline.run(model);
    const auto bias =
        quantized_constant(*node_making(model, "y").input(0)->producer()->input(0)->producer()->input(2)->producer());
    REQUIRE(bias);
    const float x_scale = 2.0f / 255;
    CHECK(bias->scale.same_bytes(Tensor::of<float>({2}, {x_scale * 0.01f, x_scale * 0.002f})));
    CHECK(bias->data.to<int>() == std::vector<int>{6375, -12750});
    CHECK(model.graph().find("y_b") == nullptr);
  }
}

TEST_CASE("a weight that nodes need in several dtypes is quantized to each", "[quantize]") {
  Model model = graph("opset 21; x: f32[2,4]; w = f32[4] {1, 2, 3, 4}; s = f32[] 0.1; u = u8[] 128; i = i8[] 0; "
                      "a = LayerNormalization(DequantizeLinear(QuantizeLinear(x, s, u), s, u), w); "
                      "b = LayerNormalization(DequantizeLinear(QuantizeLinear(x, s, i), s, i), w); "
                      "y = DequantizeLinear(QuantizeLinear(a, s, u), s, u); "
                      "z = DequantizeLinear(QuantizeLinear(b, s, i), s, i)");
  CHECK(quantize_weights(Granularity::per_tensor, targets::qnn_htp).run(model).changes == 2);
  CHECK(weight_of(model, "a")->data.dtype() == DType::u8);
  CHECK(weight_of(model, "b")->data.dtype() == DType::i8);
}

TEST_CASE("a bias shared by Convs of different inputs is quantized for each", "[quantize]") {
  Net net;
  Value& w = net.weight();
  Value& b = net.bias();
  Value& y = net.op("Conv", {net.x, &w, &b}, "y");
  Value& z = net.op("Conv", {&y, &w, &b}, "z");
  Model model = net.build({&z});
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"z", {-3, 3}}};
  (per_tensor | inject_qdq(ranges, targets::ort_cpu_x64)).run(model);
  std::vector<float> scales;
  for (const Node& node : model.graph().nodes())
    if (node.is("Conv")) scales.push_back(quantized_constant(*node.input(2)->producer())->scale.item<float>());
  CHECK(scales == std::vector<float>{2.0f / 255 * 0.01f, 4.0f / 255 * 0.01f});
}

TEST_CASE("a target that adds float biases keeps them", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}};
  (inject_qdq(ranges, targets::onednn) | quantize_weights(Granularity::per_channel, targets::onednn)).run(model);
  CHECK(model.graph().find("y_b")->use_count() == 1);
}

TEST_CASE("an overflowing bias is a reported decision", "[quantize]") {
  Net net;
  Value& y = net.op("Conv", {net.x, &net.constant("w", {1e-9f, 0, 0, 1e-9f}, {2, 2, 1, 1}), &net.bias()}, "y");
  Model model = net.build({&y});
  const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}};
  const Report report = (inject_qdq(ranges, targets::ort_cpu_x64) | per_channel).run(model);
  REQUIRE(report.steps[1].notes.size() == 1);
  CHECK(report.steps[1].notes[0] ==
        "'y_node': the scale of its weight was raised, its bias would have overflowed int32");
}

TEST_CASE("a shared weight is still there for the others when the bias of one raises its scale", "[quantize]") {
  for (const Pass& weights : {per_channel, per_tensor}) {
    Net net;
    Value& w = net.constant("w", {1e-9f, 0, 0, 1e-9f}, {2, 2, 1, 1});
    Value& y = net.op("Conv", {net.x, &w, &net.bias()}, "y");
    Value& z = net.op("Conv", {&y, &w}, "z");
    Model model = net.build({&z});
    const Ranges ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"z", {-3, 3}}};
    (inject_qdq(ranges, targets::ort_cpu_x64) | weights).run(model);
    CHECK(verify(model).empty());
    for (const Node& node : model.graph().nodes()) {
      if (!node.is("Conv")) continue;
      const Value& data = *node.input(1)->producer()->input(0);
      CHECK_FALSE(data.erased());
      const auto weight = quantized_constant(*node.input(1)->producer());
      REQUIRE(weight);
      CHECK((weight->scale.to<float>()[0] > 1e-11f) == (node.input_count() == 3));
    }
  }
}

TEST_CASE("a weight that is not finite is an error that names it", "[quantize]") {
  Net net;
  Value& y = net.op("Conv", {net.x, &net.constant("w", {1, NAN, 0, 1}, {2, 2, 1, 1})}, "y");
  Model model = net.build({&y});
  CHECK_THROWS_WITH(per_channel.run(model), Catch::Contains("w: has a value that is not finite"));
}

TEST_CASE("weights that are quantized already are left", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  per_channel.run(model);
  CHECK(per_channel.run(model).changes == 0);
}

TEST_CASE("nothing to quantize is noted", "[quantize]") {
  Net net;
  Model none = net.build({&net.op("Relu", {net.x}, "y")});
  CHECK(per_channel.run(none).notes ==
        std::vector<std::string>{"no weight is quantized: the graph has no Conv that the target computes in integers, "
                                 "and no other such product of a quantized input"});

  Net other;
  Value& y = other.op("Conv", {other.x, other.x}, "y");
  Model varying = other.build({&y});
  CHECK(per_channel.run(varying).notes ==
        std::vector<std::string>{"no weight is quantized: 'y_node': its weight is not constant"});
}

TEST_CASE("weights are widened where the runtime miscomputes products of so many columns", "[quantize]") {
  const auto quantized = [](const std::string& text, const Target& target) {
    Model model = graph("opset 13; " + text);
    const Ranges ranges{{"x", {-1, 1}}, {"a", {-1, 1}}, {"y", {0, 1}}};
    (inject_qdq(ranges, target, Placement::all_supported) | quantize_weights(Granularity::per_channel, target))
        .run(model);
    CHECK(verify(model).empty());
    CHECK_FALSE(audit(model.graph(), target).has_errors());
    return model;
  };
  const auto same_outputs = [&](const std::string& text, const Dims& dims) {
    const auto output = [&](const Target& target) {
      const Model model = quantized(text, target);
      std::vector<float> values(static_cast<std::size_t>(element_count(dims)));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(3 * i + 1));
      return Evaluator(model.graph()).run({{"x", Tensor::of<float>(dims, values)}})[0].to<float>();
    };
    return output(targets::ort_cpu_amx) == output(targets::ort_cpu_x64);
  };
  const std::string conv = "x: f32[1,3,8,8]; a = Conv(x, f32[24,3,3,3] random, f32[24] random); y = Relu(a)";
  const Model model = quantized(conv, targets::ort_cpu_amx);
  const auto weight = weight_of(model, "a");
  REQUIRE(weight);
  CHECK(weight->data.dims() == Dims{32, 3, 3, 3});
  CHECK(weight->scale.dims() == Dims{32});
  const std::vector<int> codes = weight->data.to<int>();
  CHECK(std::all_of(codes.begin() + 24 * 27, codes.end(), [](int code) { return code == 0; }));
  CHECK(ops(model.graph()).find("Conv Relu QuantizeLinear Slice DequantizeLinear") != std::string::npos);
  CHECK(audit(model.graph(), targets::ort_cpu_amx).of("Conv").fused() == 1);
  CHECK(same_outputs(conv, {1, 3, 8, 8}));
  CHECK(same_outputs("x: f32[40,3]; y = Gemm(x, f32[24,3] random, f32[24] random) {transB=1}", {40, 3}));
  CHECK(same_outputs("x: f32[2,40,3]; y = MatMul(x, f32[3,24] random)", {2, 40, 3}));
  CHECK(same_outputs("x: f32[2,40,3]; a = MatMul(x, f32[3,24] random); y = Relu(a)", {2, 40, 3}));
  const Model grouped = quantized("x: f32[1,4,8,8]; a = Conv(x, f32[48,2,1,1] random) {group=2}; y = Relu(a)",
                                  targets::ort_cpu_amx);
  CHECK(audit(grouped.graph(), targets::ort_cpu_amx).of("Conv").fused() == 0);  // zeros would stand in between
}

TEST_CASE("products of two tensors stay in float where the runtime may miscompute them", "[quantize]") {
  Model model = graph("opset 13; x: f32[2,40,16]; z: f32[2,16,24]; a = MatMul(x, z); y = Relu(a)");
  const Ranges ranges{{"x", {-1, 1}}, {"z", {-1, 1}}, {"a", {-1, 1}}, {"y", {0, 1}}};
  inject_qdq(ranges, targets::ort_cpu_amx, Placement::all_supported).run(model);
  CHECK(ops(model.graph()) == "MatMul Relu");
}
