#include <graft/quantize/run/prepare_model.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("a model is prepared for its placement", "[quantize]") {
  constexpr const char* text = "x: f32[1,3,4,4]; y = ReduceMean(Conv(x, f32[3,3,1,1] 0.5)) {axes=[2,3]}";
  const auto has_mean = [&](Placement placement) {
    Model model = graph(text);
    QuantizeOptions options;
    options.static_options().placement = placement;
    prepare_model(targets::ort_cpu_x64, options).run(model);
    bool found = false;
    for (const Node& node : model.graph().nodes()) found = found || node.is("ReduceMean");
    return found;
  };
  CHECK(has_mean(Placement::naive));
  CHECK_FALSE(has_mean(Placement::min_cost));
}

TEST_CASE("denormal weights become 0, in every mode", "[quantize]") {
  for (const QuantizationMode& mode : {QuantizationMode(), QuantizationMode(DynamicOptions())}) {
    Model model = graph("x: f32[2,2]; w = f32[2,2] {1, 1e-40, -1e-40, 2}; y = MatMul(x, w)");
    QuantizeOptions options;
    options.mode = mode;
    prepare_model(targets::ort_cpu_x64, options).run(model);
    CHECK(model.graph().find("y")->producer()->input(1)->constant()->to<float>() == std::vector<float>{1, 0, 0, 2});
  }
}

TEST_CASE("x * Sigmoid(x) stays apart for a target that computes both in integers", "[quantize]") {
  const auto prepared = [](const Target& target) {
    Model model = graph("x: f32[1,3,4,4]; c = Conv(x, f32[3,3,1,1] 0.5); y = Mul(c, Sigmoid(c))");
    prepare_model(target).run(model);
    return std::string(model.graph().find("y")->producer()->op_type());
  };
  CHECK(prepared(targets::ort_cpu_x64) == "Mul");
  CHECK(prepared(targets::openvino_cpu) == "QuickGelu");
}

TEST_CASE("rules that are run a few at a time are not an endless cycle", "[quantize]") {
  std::string text = "x: f32[2,4]; v0 = Relu(x)";
  for (int i = 0; i < 9; ++i)
    text += "; v" + std::to_string(i + 1) + " = Gemm(v" + std::to_string(i) + ", f32[4,4] 1, f32[4] 1) {beta=2}";
  Model model = graph(text);
  const Report report = prepare_for_any_target().run(model);
  CHECK(report.rule("gemm-bias").applied == 9);
  CHECK_THAT(to_string(report), !Catch::Contains("endless"));
}

TEST_CASE("overridable initializers become constants where that is asked for", "[quantize]") {
  Model model = graph("x: f32[2]; y = Add(x, x)");
  onnx::ModelProto proto = model.commit();
  onnx::ValueInfoProto& info = *proto.mutable_graph()->add_input();
  info = proto.graph().input(0);
  info.set_name("w");
  onnx::TensorProto& w = *proto.mutable_graph()->add_initializer();
  w.set_name("w");
  w.set_data_type(onnx::TensorProto::FLOAT);
  w.add_dims(2);
  w.add_float_data(1);
  w.add_float_data(2);
  proto.mutable_graph()->mutable_node(0)->set_input(1, "w");
  for (const bool freeze : {false, true}) {
    Model given(proto);
    prepare_for_any_target(freeze).run(given);
    CHECK(given.graph().inputs().size() == (freeze ? 1u : 2u));
  }
}
