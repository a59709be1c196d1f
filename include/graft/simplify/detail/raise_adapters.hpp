#pragma once
#include <iterator>

#include <graft/simplify/detail/raise_parameters.hpp>

namespace graft::inline v1::raise {

/// Softmax, LogSoftmax and Hardmax. Before 13 they see x as a matrix, [0, axis) by [axis, rank), and normalize its
/// rows; from 13 on they normalize along one axis. Both are the same along the last axis; elsewhere the matrix is made
/// by Flatten.
inline void raise_softmax(Step& step) {
  Node& node = step.node;
  Graph& graph = node.graph();
  Value& x = *node.input(0);
  const std::int64_t axis = node.attr<std::int64_t>("axis").value_or(1);
  const auto rank = static_cast<std::int64_t>(x.shape().rank());
  if (x.shape().known() && (axis == -1 || axis == rank - 1)) return graph.set_attribute(node, {"axis", -1});
  Value& shape = *graph.insert("Shape", {&x}, 1, {}, &node).output(0);
  Value& matrix = *graph.insert("Flatten", {&x}, 1, {{"axis", axis}}, &node).output(0);
  step.set_input(0, &matrix);
  graph.set_attribute(node, {"axis", -1});
  Value& y = *node.output(0);
  Value& restored = *graph.insert("Reshape", {&y, &shape}, 1, {}, node.next()).output(0);
  for (Use& use : y.uses())
    if (use.user() != restored.producer() && !use.is_graph_output() && !graph.set_input(use, &restored))
      step.refuse("its output would close a cycle");
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i) == &y) graph.set_output(i, restored);
  // The name, and what is declared of it, belongs to the shape that everyone else sees.
  const std::string name(y.name());
  if (y.type() != nullptr) graph.set_type(restored, *y.type());
  graph.rename(y, graph.fresh_name(name));
  graph.rename(restored, name);
  graph.declare_type(y, tensor_type(x.dtype()));
}

/// From 14 on training is an attribute; before, a node with more than one output was in training.
inline void raise_batch_normalization(Step& step) {
  if (step.node.output_count() > 1) step.refuse("it is in training mode", "output[1]");
  raise_parameters(step);
}

/// Upsample is Resize-10 under another name; Resize-10 and Upsample map x_out to floor(x_out / scale), which later
/// versions call coordinate_transformation_mode asymmetric with nearest_mode floor, and take a region of interest
/// before the scales.
inline void raise_resize(Step& step) {
  Node& node = step.node;
  if (node.is("Upsample")) {
    // The scales are an attribute before 9, an input from then on.
    raise_parameters(step);
    node.graph().set_op(node, "Resize");
  }
  if (step.target < 11) return;
  const bool roi_may_be_absent = step.target >= 13;
  step.set_input(2, node.input(1));
  step.set_input(1, roi_may_be_absent ? nullptr : &step.constant(Tensor(DType::f32, {0}), "roi"));
  node.graph().set_attribute(node, {"coordinate_transformation_mode", "asymmetric"});
  if (node.attr<std::string_view>("mode").value_or("nearest") == "nearest")
    node.graph().set_attribute(node, {"nearest_mode", "floor"});
}

/// From 18 on equal parts are asked for by their number.
inline void raise_split(Step& step) {
  raise_parameters(step);
  if (step.target >= 18 && step.node.input(1) == nullptr)
    step.node.graph().set_attribute(step.node, {"num_outputs", static_cast<std::int64_t>(step.node.output_count())});
}

inline void raise_scatter(Step& step) { step.node.graph().set_op(step.node, "ScatterElements"); }

/// An operator whose meaning, not only its spelling, changed at a version.
struct Adapter {
  std::string_view op_type;
  int version;
  void (*run)(Step&);
};
inline constexpr Adapter adapters[] = {
    {"Softmax", 13, raise_softmax},
    {"LogSoftmax", 13, raise_softmax},
    {"Hardmax", 13, raise_softmax},
    {"BatchNormalization", 14, raise_batch_normalization},
    {"Upsample", 10, raise_resize},
    {"Resize", 11, raise_resize},
    {"Split", 18, raise_split},
    {"Scatter", 11, raise_scatter},
};

/// nullptr: what the schema tells suffices.
inline const Adapter* find_adapter(std::string_view op_type, int from, int target) {
  for (const Adapter& adapter : adapters)
    if (adapter.op_type == op_type && from < adapter.version && adapter.version <= target) return &adapter;
  return nullptr;
}

}  // namespace graft::inline v1::raise
