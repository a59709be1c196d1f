#include <graft/qdq/has_result.hpp>

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

/// x -> Conv -> y -> pair -> Conv -> z, and on each of these nodes of each operator, without outputs or with "" alone.
Model without_results(bool has_nameless) {
  Net net;
  Value& y = net.conv(*net.x, "y");
  Value& scale = net.scalar("s", 0.01f);
  Value& quantized = net.op("QuantizeLinear", {&y, &scale}, "q");
  Value& dequantized = net.op("DequantizeLinear", {&quantized, &scale}, "d");
  Model model = net.build({&net.conv(dequantized, "z"), &y});
  Graph& graph = model.graph();
  Value& weight = *graph.find("y_w");
  for (const char* const value : {"x", "y", "q", "d", "z"}) {
    Value& input = *graph.find(value);
    const auto add = [&](std::string_view op, std::vector<Value*> inputs) {
      graph.rename(graph.insert(op, inputs, 1), "none_" + std::string(value) + std::string(op));
    };
    for (const char* const op : {"Conv", "Gemm", "MatMul"}) add(op, {&input, &weight});
    for (const char* const op : {"Relu", "Clip", "Sigmoid", "LeakyRelu", "Softmax", "MaxPool", "Split", "Identity",
                                 "GlobalAveragePool", "AveragePool", "Transpose", "Dropout"})
      add(op, {&input});
    for (const char* const op : {"Add", "Mul", "Concat", "Where", "Reshape", "Resize"}) add(op, {&input, &input});
    for (const char* const op : {"QuantizeLinear", "DequantizeLinear"}) add(op, {&input, &scale});
  }
  onnx::ModelProto proto = model.commit();
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) {
    if (node.name().rfind("none_", 0) != 0) continue;
    node.clear_output();
    if (has_nameless) node.add_output("");
  }
  return Model(std::move(proto));
}

const std::vector<Feeds> sample{{{"x", Tensor::of<float>({1, 2, 4, 4}, std::vector<float>(32, 0.5f))}}};

}  // namespace

TEST_CASE("a node without a result crashes no pass", "[quantize]") {
  Ranges ranges;
  for (const char* const name : {"x", "y", "d", "z"}) ranges.set(name, {-1, 1});
  for (const bool has_nameless : {false, true}) {
    for (const Target* const target : targets::all) {
      const WeightForms forms(Granularity::per_channel);
      std::vector<Pass> passes{with_ranges(ranges), float_islands(*target), keep_compositions_in_float(),
                               with_ranges(ranges) | join_added_convs(forms, *target),
                               keep_ends_in_float(*target), equalize_weights(), zero_dead_channels(),
                               commute_dq_past_activation(*target), quantize_weights(forms, *target),
                               correct_biases(forms, *target), strip_qdq(),
                               quantize_weights_blockwise(*target),
                               quantize_dynamic(*target, {.attention = true}),
                               quantize_dynamic(*target, {.form = DynamicForm::contrib})};
      for (const Placement placement : {Placement::naive, Placement::fusion_aware, Placement::conv_only,
                                        Placement::all_supported, Placement::min_cost})
        passes.push_back(inject_qdq(ranges, *target, placement) | quantize_weights(forms, *target));
      for (const Pass& pass : passes) {
        Model model = without_results(has_nameless);
        Context context;
        context.facts.provide(Statistics<ChannelExtremes>());
        context.facts.provide(Statistics<ChannelMeans>());
        CHECK_NOTHROW(pass.run(model, context));
        CHECK_NOTHROW(audit(model.graph(), *target));
      }
    }
    const Model model = without_results(has_nameless);
    CHECK_FALSE(channel_values(model.graph()).empty());
    CHECK_FALSE(observable(model.graph()).empty());
    CHECK_NOTHROW(values_around_huge_weights(model.graph(), ranges));
  }
}
