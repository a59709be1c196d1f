#pragma once
#include <graft/lower/detail/channel_moves.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/vocabulary/slice_range.hpp>

namespace graft::inline v1::detail {

/// An attribute, or the constant input that it became.
inline std::optional<Ints> listed(const Node& node, std::string_view name, std::size_t input) {
  if (node.input(input) == nullptr) return node.attr<Ints>(name);
  const std::optional<Tensor> constant = node.input(input)->constant();
  return constant ? std::optional(constant->to<std::int64_t>()) : std::nullopt;
}

inline Ints reversed_axes(std::size_t rank) {
  Ints perm(rank);
  std::iota(perm.rbegin(), perm.rend(), 0);
  return perm;
}

inline bool take_slices(const Node& node, ChannelView& view) {
  const Shape shape = node.input(0)->shape();
  const auto starts = listed(node, "starts", 1), ends = listed(node, "ends", 2);
  auto axes = listed(node, "axes", 3), steps = listed(node, "steps", 4);
  const bool is_known = (axes || node.input(3) == nullptr) && (steps || node.input(4) == nullptr);
  if (!starts || !ends || starts->size() != ends->size() || !is_known || shape.rank() != view.rank()) return false;
  if (!axes) std::iota(axes.emplace(starts->size()).begin(), axes->end(), 0);
  if (!steps) steps.emplace(starts->size(), 1);
  if (axes->size() != starts->size() || steps->size() != starts->size()) return false;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = infer::normalized((*axes)[i], shape.rank());
    if (!axis || !shape[*axis].known() || (*steps)[i] == 0) return false;
    const auto taken =
        vocabulary::elements_of({(*starts)[i], (*ends)[i], (*steps)[i]}, shape[*axis].value());
    Ints positions;
    for (std::int64_t k = 0; k < taken.count; ++k) positions.push_back(taken.start + k * taken.step);
    if (!view.take(*axis, positions)) return false;
  }
  return true;
}

inline bool gather(const Node& node, ChannelView& view) {
  const std::optional<Tensor> indices = node.input(1) == nullptr ? std::nullopt : node.input(1)->constant();
  const Shape shape = node.input(0)->shape();
  if (!indices || indices->rank() > 1 || !shape.known() || shape.rank() != view.rank()) return false;
  const auto axis = infer::normalized(node.attr<std::int64_t>("axis").value_or(0), shape.rank());
  if (!axis || !shape[*axis].known()) return false;
  Ints positions = indices->to<std::int64_t>();
  for (std::int64_t& position : positions)
    if (position < 0) position += shape[*axis].value();
  return view.take(*axis, positions, indices->rank() == 0);
}

/// Its sizes are the extents of its outputs.
inline std::vector<ChannelView> split_channels(const Node& node, const ChannelView& view) {
  std::vector<ChannelView> parts;
  const auto axis = infer::normalized(node.attr<std::int64_t>("axis").value_or(0), view.rank());
  if (!axis) return {};
  std::int64_t start = 0;
  for (const Value& output : node.outputs()) {
    const Shape shape = output.shape();
    if (shape.rank() != view.rank() || !shape[*axis].known()) return {};
    Ints positions(static_cast<std::size_t>(shape[*axis].value()));
    std::iota(positions.begin(), positions.end(), start);
    start += shape[*axis].value();
    if (!parts.emplace_back(view).take(*axis, positions)) return {};
  }
  return parts;
}

GRAFT_INLINE std::vector<ChannelView> moved_channels(const Node& node, const ChannelView& input) {
  const bool reshapes = node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") || node.is("Flatten");
  if (node.is("Split")) return split_channels(node, input);
  ChannelView view = input;
  bool moves = node.is("Identity");
  if (reshapes) moves = view.reshape(node.output(0)->shape());
  if (node.is("Transpose")) moves = view.transpose(node.attr<Ints>("perm").value_or(reversed_axes(view.rank())));
  if (node.is("Slice")) moves = take_slices(node, view);
  if (node.is("Gather")) moves = gather(node, view);
  return moves ? std::vector{std::move(view)} : std::vector<ChannelView>();
}

}  // namespace graft::inline v1::detail
