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

/// Softmax, LogSoftmax and Hardmax. Before 13 they normalize the rows of x as a matrix, [0, axis) by [axis, rank);
/// since 13 they normalize along one axis. Along the last axis both are the same; elsewhere Flatten makes the matrix.
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
  // The original name and its declarations belong to the shape that all readers see.
  const std::string name(y.name());
  if (y.type() != nullptr) graph.set_type(restored, *y.type());
  graph.rename(y, graph.fresh_name(name));
  graph.rename(restored, name);
  graph.declare_type(y, tensor_type(x.dtype()));
}

/// Before 7, BatchNormalization and Dropout are in training unless is_test is set.
inline void take_out_of_test(Step& step) {
  if (step.from.since_version >= 7) return;
  if (step.node.attr<std::int64_t>("is_test").value_or(0) == 0) step.refuse("it is in training mode", "is_test");
  step.node.graph().remove_attribute(step.node, "is_test");
}

/// Since 14 training is an attribute. Before, a node with more than one output was in training; from 7 to 13 nothing
/// else showed it.
inline void raise_batch_normalization(Step& step) {
  for (std::size_t i = 1; i < step.node.output_count(); ++i)
    if (!step.node.output(i)->name().empty()) step.refuse("it is in training mode", "output");
  take_out_of_test(step);
  raise_parameters(step);
}

/// Since 10 the mask is bool; before, it has the dtype of x.
inline void raise_dropout(Step& step) {
  take_out_of_test(step);
  if (step.node.output_count() > 1 && step.from.since_version < 10 && step.target >= 10) {
    if (step.node.output(1)->use_count() != 0) step.refuse("its mask has another dtype there", "output");
    step.node.graph().omit(*step.node.output(1));
  }
  raise_parameters(step);
}

/// Upsample is Resize-10 under another name. Both read x at x_out / scale, which later versions call
/// coordinate_transformation_mode asymmetric. Later versions have a region of interest before the scales. The nearest
/// neighbour is at the ceil of x_out / scale along axes that shrink, and at the floor along others. Later versions have
/// one nearest_mode for all axes, so shrinking and growing axes get a Resize each.
inline void raise_resize(Step& step) {
  Node& node = step.node;
  Graph& graph = node.graph();
  const bool grows = node.is("Upsample");
  if (grows) {
    // Scales are an attribute before 9, an input since then.
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

/// Version 13 removed TensorFlow's half pixels for nearest neighbours, and no other mode is the same.
inline void raise_resize_modes(Step& step) {
  constexpr std::string_view mode = "coordinate_transformation_mode";
  if (step.node.attr<std::string_view>(mode) == "tf_half_pixel_for_nn")
    step.refuse("the mode tf_half_pixel_for_nn was removed", mode);
  raise_parameters(step);
}

/// Since 18 an attribute gives the number of equal parts.
inline void raise_split(Step& step) {
  raise_parameters(step);
  if (step.target >= 18 && step.node.input(1) == nullptr)
    step.node.graph().set_attribute(step.node, {"num_outputs", static_cast<std::int64_t>(step.node.output_count())});
}

inline void raise_scatter(Step& step) { step.node.graph().set_op(step.node, "ScatterElements"); }

/// Before 4 the axis is optional. The schema does not give its default: 1.
inline void raise_concat(Step& step) {
  if (step.node.attribute("axis") == nullptr) step.node.graph().set_attribute(step.node, {"axis", 1});
  raise_parameters(step);
}

/// Before 16 there is one mode, and the later default is another.
inline void raise_roi_align(Step& step) {
  raise_parameters(step);
  step.node.graph().set_attribute(step.node, {"coordinate_transformation_mode", "output_half_pixel"});
}

/// Since 20 the axis is a scalar input, with a default that counts from the other end.
inline void raise_dft(Step& step) {
  const std::int64_t axis = step.node.attr<std::int64_t>("axis").value_or(1);
  step.node.graph().remove_attribute(step.node, "axis");
  raise_parameters(step);
  step.set_input(2, &step.constant(Tensor::scalar(axis), "axis"));
}

/// Some attribute values have a new spelling, including the default.
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

/// Before 7, an attribute enables broadcasting. Without an axis it is along the last axes, as always since 7. Gemm
/// supports only that.
inline void raise_broadcast(Step& step) {
  if (step.node.attribute("axis") == nullptr) step.node.graph().remove_attribute(step.node, "broadcast");
  raise_parameters(step);
}

[[noreturn]] inline void refuse_new_meaning(const Step& step) { step.refuse("its inputs have another meaning there"); }

/// Before 7 there is one slope for each channel, for any rank of x; since 7 the slope broadcasts to x.
inline void raise_prelu(Step& step) {
  const auto dims = step.node.input(1)->shape().dims();
  if (!dims || *dims != Dims{1}) refuse_new_meaning(step);
  raise_parameters(step);
}

/// An operator with a changed meaning, not only a changed spelling, at a version.
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

/// nullptr: the schema suffices.
inline const Adapter* find_adapter(std::string_view op_type, int from, int target) {
  for (const Adapter& adapter : adapters)
    if (adapter.op_type == op_type && from < adapter.version && adapter.version <= target) return &adapter;
  return nullptr;
}

}  // namespace graft::inline v1::raise
