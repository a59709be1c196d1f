#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/build.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>

/// x -> Conv 1x1 of 2 channels, by default with weights and biases that tell the channels apart.
struct Net {
  explicit Net(int opset = 13) : builder(opset), x(&builder.input("x", graft::DType::f32, {1, 2, 4, 4})) {}

  graft::Value& constant(std::string_view name, const std::vector<float>& values, const graft::Dims& dims) {
    return builder.constant(graft::Tensor::of<float>(dims, values), name);
  }
  graft::Value& scalar(std::string_view name, float value) { return constant(name, {value}, {}); }
  graft::Value& weight(std::string_view name = "w") {
    return constant(name, {1.27f, -0.5f, 0.254f, 0.1f}, {2, 2, 1, 1});
  }
  graft::Value& bias(std::string_view name = "b") { return constant(name, {0.5f, -0.2f}, {2}); }

  graft::Value& op(std::string_view op, std::initializer_list<graft::Value*> inputs, std::string_view name,
                   const graft::Attributes& attributes = {}) {
    graft::Value& value = builder.op(op, inputs, attributes);
    builder.graph().rename(value, name);
    builder.graph().rename(*value.producer(), std::string(name) + "_node");
    return value;
  }
  graft::Value& conv(graft::Value& input, std::string_view name = "y") {
    return op("Conv", {&input, &weight(std::string(name) + "_w"), &bias(std::string(name) + "_b")}, name);
  }
  graft::Value& clip(graft::Value& input, float min, float max, std::string_view name) {
    return op("Clip", {&input, &scalar(std::string(name) + "_min", min), &scalar(std::string(name) + "_max", max)},
              name);
  }
  graft::Model build(std::initializer_list<graft::Value*> outputs) {
    for (graft::Value* const output : outputs) builder.output(*output);
    graft::Model model = builder.build();
    graft::infer_shapes(model.graph());
    return model;
  }

  graft::Builder builder;
  graft::Value* x;
};

inline graft::Node& node_making(const graft::Model& model, std::string_view value) {
  return *model.graph().find(value)->producer();
}

/// "QuantizeLinear DequantizeLinear Conv", in topological order.
inline std::string ops(const graft::Graph& graph) {
  std::string text;
  for (const graft::Node& node : graph.nodes()) text += (text.empty() ? "" : " ") + std::string(node.op_type());
  return text;
}

inline std::size_t count(const graft::Graph& graph, std::string_view op) {
  std::size_t number = 0;
  for (const graft::Node& node : graph.nodes()) number += node.is(op);
  return number;
}

inline graft::Node& first(const graft::Graph& graph, std::string_view op) {
  for (graft::Node& node : graph.nodes())
    if (node.is(op)) return node;
  throw graft::Error("there is no " + std::string(op));
}
