#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Operators that slide a window over an image.

namespace graft::inline v1::detail {

/// Pads or auto_pad, strides and dilations, except for those that a pattern does not mention.
inline void make_window(NodeMaker& node, std::size_t spatial, bool dilates) {
  const auto each = [&](std::initializer_list<std::int64_t> choices, std::size_t count) {
    Ints numbers(count);
    for (std::int64_t& number : numbers) number = node.dice().any_of(choices);
    return numbers;
  };
  if (node.dice().one_in(6)) node.may("auto_pad", node.dice().any_of({"SAME_UPPER", "SAME_LOWER", "VALID"}), 1);
  else node.may("pads", each({0, 0, 1, 1}, 2 * spatial));
  node.may("strides", each({1, 1, 2}, spatial));
  if (dilates && node.fixed.find("auto_pad") == node.fixed.end()) node.may("dilations", each({1, 1, 2}, spatial), 5);
}

inline void make_conv(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 3, .max_rank = node.dice().one_in(8) ? std::size_t{5} : 4});
  const std::size_t rank = NodeMaker::rank(x);
  if (rank < 3 || !x.shape()[1].known() || x.shape()[1].value() == 0) throw Unfit();
  const std::int64_t channels = x.shape()[1].value();
  std::int64_t groups = 1;
  if (node.may_have("group") && node.dice().one_in(3))
    groups = node.dice().one_in(2) ? channels : channels % 2 == 0 ? 2 : 1;
  if (const auto said = node.fixed.find("group"); said != node.fixed.end()) groups = said->second.proto().i();
  if (groups < 1 || channels % groups != 0) throw Unfit();
  const std::int64_t made = groups * node.dice().any_of<std::int64_t>({1, 1, 2, 3, 4});
  const bool transposed = node.is("ConvTranspose");
  Dims window = transposed ? Dims{channels, made / groups} : Dims{made, channels / groups};
  for (std::size_t i = 2; i < rank; ++i) window.push_back(node.dice().any_of<std::int64_t>({1, 1, 2, 3}));
  node.weight(1, window, {-1, 1}, x.dtype());
  if (node.is_given(1) && node.operand(1).value->shape().dims()) window = *node.operand(1).value->shape().dims();
  const std::int64_t bias = transposed ? made : window[0];
  if (node.wanted(2)) node.weight(2, {bias}, {-1, 1}, x.dtype());
  if (groups != 1) node.set("group", groups);
  node.may("kernel_shape", Ints(window.begin() + 2, window.end()));
  make_window(node, rank - 2, true);
}

inline void make_pool(NodeMaker& node) {
  const std::size_t rank = NodeMaker::rank(node.value(0, {.least_rank = 3, .max_rank = 4}));
  Ints kernel(rank - 2);
  for (std::int64_t& extent : kernel) extent = node.dice().any_of<std::int64_t>({1, 2, 2, 3});
  node.set("kernel_shape", kernel);
  make_window(node, rank - 2, node.facts().attribute("dilations") != nullptr);
  node.may("ceil_mode", 1, 4);
  node.may("count_include_pad", 1, 3);
  if (node.is("MaxPool") && node.is_free && node.dice().one_in(8)) node.outputs = 2;
}

inline void make_global_pool(NodeMaker& node) { node.value(0, {.least_rank = 3, .max_rank = 4}); }

inline void make_lrn(NodeMaker& node) {
  node.value(0, {.least_rank = 4, .max_rank = 4});
  node.set("size", 3);
}

inline void make_resize(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 3, .max_rank = 4});
  const std::size_t rank = NodeMaker::rank(x);
  Floats scales(rank, 1);
  for (std::size_t i = 2; i < rank; ++i) scales[i] = node.dice().any_of({1.f, 2.f, 2.f, 0.5f});
  const std::size_t position = node.version() < 11 ? 1 : 2;
  node.constant(position, Tensor::of<float>({static_cast<std::int64_t>(rank)}, scales));
  if (node.version() == 11) node.constant(1, Tensor(DType::f32, {0}));
  if (node.dice().one_in(2)) {
    node.set("mode", "linear");
  } else if (node.version() >= 11) {
    node.set("mode", "nearest");
    node.may("nearest_mode", node.dice().any_of({"floor", "ceil", "round_prefer_floor"}));
  }
  if (node.version() >= 11)
    node.may("coordinate_transformation_mode", node.dice().any_of({"half_pixel", "asymmetric", "align_corners"}));
}

GRAFT_INLINE std::span<const Recipe> window_recipes() {
  static constexpr Recipe all[] = {{"Conv|ConvTranspose", make_conv},
                                   {"MaxPool|AveragePool|LpPool", make_pool},
                                   {"GlobalAveragePool|GlobalMaxPool|GlobalLpPool", make_global_pool},
                                   {"LRN", make_lrn},
                                   {"Resize", make_resize}};
  return all;
}

}  // namespace graft::inline v1::detail
