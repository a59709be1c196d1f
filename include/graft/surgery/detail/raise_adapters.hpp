#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <graft/surgery/detail/raise_step.hpp>

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
  for (Use& use : y.uses()) {
    if (use.is_graph_output()) {
      use.graph().set_output(use.index(), restored);
    } else if (use.user() != restored.producer() && !use.graph().set_input(use, &restored)) {
      step.refuse("its output would close a cycle");
    }
  }
  // The name, and what is declared of it, belongs to the shape that everyone else sees.
  const std::string name(y.name());
  if (y.type() != nullptr) graph.set_type(restored, *y.type());
  graph.rename(y, graph.fresh_name(name));
  graph.rename(restored, name);
  graph.declare_type(y, tensor_type(x.dtype()));
}

/// Before 7, BatchNormalization and Dropout are in training unless is_test says otherwise.
inline void take_out_of_test(Step& step) {
  if (step.from.since_version >= 7) return;
  if (step.node.attr<std::int64_t>("is_test").value_or(0) == 0) step.refuse("it is in training mode", "is_test");
  step.node.graph().remove_attribute(step.node, "is_test");
}

/// From 14 on training is an attribute; before, a node with more than one output was in training, and from 7 on nothing
/// else told.
inline void raise_batch_normalization(Step& step) {
  for (std::size_t i = 1; i < step.node.output_count(); ++i)
    if (!step.node.output(i)->name().empty()) step.refuse("it is in training mode", "output");
  take_out_of_test(step);
  raise_parameters(step);
}

/// From 10 on the mask is bool, before it is of the dtype of x.
inline void raise_dropout(Step& step) {
  take_out_of_test(step);
  if (step.node.output_count() > 1 && step.from.since_version < 10 && step.target >= 10) {
    if (step.node.output(1)->use_count() != 0) step.refuse("its mask is of another dtype there", "output");
    step.node.graph().omit(*step.node.output(1));
  }
  raise_parameters(step);
}

/// Upsample is Resize-10 under another name; Resize-10 and Upsample read x at x_out / scale, which later versions call
/// coordinate_transformation_mode asymmetric, and take a region of interest before the scales. The nearest neighbour
/// is at the ceil of that along axes that shrink, at the floor along others. Later versions have one nearest_mode for
/// all axes, so that axes which shrink and axes which grow take a Resize each.
inline void raise_resize(Step& step) {
  Node& node = step.node;
  Graph& graph = node.graph();
  const bool grows = node.is("Upsample");
  if (grows) {
    // The scales are an attribute before 9, an input from then on.
    raise_parameters(step);
    graph.set_op(node, "Resize");
  }
  if (step.target < 11) return;
  Value* const roi = step.target >= 13 ? nullptr : &step.constant(Tensor(DType::f32, {0}), "roi");
  Value& scales = *node.input(1);
  step.set_input(2, &scales);
  step.set_input(1, roi);
  graph.set_attribute(node, {"coordinate_transformation_mode", "asymmetric"});
  if (node.attr<std::string_view>("mode").value_or("nearest") != "nearest") return;
  graph.set_attribute(node, {"nearest_mode", "floor"});
  if (grows) return;
  const std::optional<Tensor> known = scales.constant();
  const auto are_all = [&](auto condition) {
    const std::span<const float> all = known->data<float>();
    return std::all_of(all.begin(), all.end(), condition);
  };
  if (known && are_all([](float scale) { return scale >= 1; })) return;
  if (known && are_all([](float scale) { return scale <= 1; }))
    return graph.set_attribute(node, {"nearest_mode", "ceil"});
  Value& one = step.constant(Tensor::scalar(1.0F), "one");
  Value& below = *graph.insert("Min", {&scales, &one}, 1, {}, &node).output(0);
  Value& above = *graph.insert("Max", {&scales, &one}, 1, {}, &node).output(0);
  const Attributes shrinking{{"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "ceil"}};
  step.set_input(0, graph.insert("Resize", {node.input(0), roi, &below}, 1, shrinking, &node).output(0));
  step.set_input(2, &above);
}

/// From 13 on TensorFlow's half pixels for nearest neighbours are no mode any more, and no other does the same.
inline void raise_resize_modes(Step& step) {
  constexpr std::string_view mode = "coordinate_transformation_mode";
  if (step.node.attr<std::string_view>(mode) == "tf_half_pixel_for_nn")
    step.refuse("the mode tf_half_pixel_for_nn is gone", mode);
  raise_parameters(step);
}

/// From 18 on equal parts are asked for by their number.
inline void raise_split(Step& step) {
  raise_parameters(step);
  if (step.target >= 18 && step.node.input(1) == nullptr)
    step.node.graph().set_attribute(step.node, {"num_outputs", static_cast<std::int64_t>(step.node.output_count())});
}

inline void raise_scatter(Step& step) { step.node.graph().set_op(step.node, "ScatterElements"); }

/// Before 4 the axis may be left out, and the schema does not tell which is meant: 1.
inline void raise_concat(Step& step) {
  if (step.node.attribute("axis") == nullptr) step.node.graph().set_attribute(step.node, {"axis", 1});
  raise_parameters(step);
}

/// Before 16 there is no choice, and what there is is not the later default.
inline void raise_roi_align(Step& step) {
  raise_parameters(step);
  step.node.graph().set_attribute(step.node, {"coordinate_transformation_mode", "output_half_pixel"});
}

/// From 20 on the axis is a scalar input, and counted from the other end by default.
inline void raise_dft(Step& step) {
  const std::int64_t axis = step.node.attr<std::int64_t>("axis").value_or(1);
  step.node.graph().remove_attribute(step.node, "axis");
  raise_parameters(step);
  step.set_input(2, &step.constant(Tensor::scalar(axis), "axis"));
}

/// Some attribute values are spelled otherwise, the default among them.
inline void raise_spelling(Step& step) {
  constexpr struct {
    std::string_view op_type, attribute, before, after;
  } spellings[] = {{"GridSample", "mode", "bilinear", "linear"},
                   {"GridSample", "mode", "bicubic", "cubic"},
                   {"GRU", "direction", "foward", "forward"}};
  raise_parameters(step);
  for (const auto& [op_type, attribute, before, after] : spellings)
    if (step.node.is(op_type) && step.node.attr<std::string_view>(attribute) == before)
      step.node.graph().set_attribute(step.node, {attribute, after});
}

/// Before 7, broadcasting has to be asked for; without an axis it is along the last ones, as it always is later. Gemm
/// knows no other.
inline void raise_broadcast(Step& step) {
  if (step.node.attribute("axis") == nullptr) step.node.graph().remove_attribute(step.node, "broadcast");
  raise_parameters(step);
}

[[noreturn]] inline void refuse_new_meaning(const Step& step) { step.refuse("its inputs mean something else there"); }

/// Before 7 the slope is one for each channel, whatever the rank of x; from 7 on it broadcasts to x.
inline void raise_prelu(Step& step) {
  const auto dims = step.node.input(1)->shape().dims();
  if (!dims || *dims != Dims{1}) refuse_new_meaning(step);
  raise_parameters(step);
}

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
    {"BatchNormalization", 7, raise_batch_normalization},
    {"BatchNormalization", 14, raise_batch_normalization},
    {"Dropout", 7, raise_dropout},
    {"Dropout", 10, raise_dropout},
    {"Upsample", 10, raise_resize},
    {"Resize", 11, raise_resize},
    {"Resize", 13, raise_resize_modes},
    {"Split", 18, raise_split},
    {"Scatter", 11, raise_scatter},
    {"Concat", 4, raise_concat},
    {"RoiAlign", 16, raise_roi_align},
    {"DFT", 20, raise_dft},
    {"GridSample", 20, raise_spelling},
    {"GRU", 3, raise_spelling},
    {"Add", 7, raise_broadcast},
    {"Sub", 7, raise_broadcast},
    {"Mul", 7, raise_broadcast},
    {"Div", 7, raise_broadcast},
    {"Pow", 7, raise_broadcast},
    {"And", 7, raise_broadcast},
    {"Or", 7, raise_broadcast},
    {"Xor", 7, raise_broadcast},
    {"Equal", 7, raise_broadcast},
    {"Greater", 7, raise_broadcast},
    {"Less", 7, raise_broadcast},
    {"Gemm", 7, raise_broadcast},
    {"PRelu", 7, raise_prelu},
    {"Scan", 9, [](Step& step) { refuse_new_meaning(step); }},                 // 8 has a batch axis
    {"GroupNormalization", 21, [](Step& step) { refuse_new_meaning(step); }},  // 18 scales groups, 21 channels
};

/// nullptr: what the schema tells suffices.
inline const Adapter* find_adapter(std::string_view op_type, int from, int target) {
  for (const Adapter& adapter : adapters)
    if (adapter.op_type == op_type && from < adapter.version && adapter.version <= target) return &adapter;
  return nullptr;
}

}  // namespace graft::inline v1::raise
