#pragma once
#include <graft/lower/detail/channel_view.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/vocabulary/slice_range.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE ChannelView::ChannelView(Value& source, Ints channels) : source_(&source), channels_(std::move(channels)) {
  spread();
}

GRAFT_INLINE std::optional<ChannelView> ChannelView::of(Value& value) {
  const Shape shape = value.shape();
  if (shape.rank() < 3 || !shape[1].known()) return std::nullopt;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == Dim(0)) return std::nullopt;
  Ints channels(static_cast<std::size_t>(shape[1].value()));
  std::iota(channels.begin(), channels.end(), 0);
  return ChannelView(value, std::move(channels));
}

/// Computes the factors of a settled view. An axis of extent 1 has none.
GRAFT_INLINE void ChannelView::spread() {
  const Shape shape = source_->shape();
  first_ = 0;
  axes_.assign(shape.rank(), {});
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const Dim extent = axis == 1 ? Dim(std::ssize(channels_)) : shape[axis];
    if (extent != Dim(1)) axes_[axis].push_back({axis, extent, axis == 1 ? 1 : 0});
  }
  settled_ = true;
}

GRAFT_INLINE void ChannelView::settle() {
  const Shape shape = source_->shape();
  settled_ = false;
  if (axes_.size() != shape.rank()) return;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (const Factor& factor : axes_[axis])
      if (factor.axis != axis) return;
    if (axis != 1 && axes_[axis].size() != (shape[axis] == Dim(1) ? 0U : 1U)) return;
  }
  Ints places{first_};
  for (const Factor& factor : axes_[1]) {
    Ints finer;
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < factor.extent.value(); ++i) finer.push_back(place + i * factor.stride);
    places = std::move(finer);
  }
  for (std::int64_t& place : places) place = channels_[static_cast<std::size_t>(place)];
  channels_ = std::move(places);
  spread();
}

/// Moves factors of a given product from the end of one axis to another; false if no whole number of factors has it.
GRAFT_INLINE bool ChannelView::move_back(Axis& from, const Dim& extent, Axis& to) {
  if (!extent.known()) {
    if (from.empty() || !same_size(from.back().extent, extent)) return false;
    to.push_back(from.back());
    from.pop_back();
    return true;
  }
  for (std::int64_t wanted = extent.value(); wanted != 1;) {
    if (wanted == 0 || from.empty() || !from.back().extent.known()) return false;
    Factor& last = from.back();
    const std::int64_t there = last.extent.value();
    if (wanted % there == 0) {
      to.insert(to.begin(), last);
      from.pop_back();
      wanted /= there;
    } else if (last.axis == 1 && there % wanted == 0) {
      to.insert(to.begin(), {1, Dim(wanted), last.stride});
      last = {1, Dim(there / wanted), last.stride * wanted};
      wanted = 1;
    } else {
      return false;
    }
  }
  return true;
}

/// The same from the front.
GRAFT_INLINE bool ChannelView::move_front(Axis& from, const Dim& extent, Axis& to) {
  if (!extent.known()) {
    if (from.empty() || !same_size(from.front().extent, extent)) return false;
    to.push_back(from.front());
    from.erase(from.begin());
    return true;
  }
  for (std::int64_t wanted = extent.value(); wanted != 1;) {
    if (wanted == 0 || from.empty() || !from.front().extent.known()) return false;
    Factor& front = from.front();
    const std::int64_t there = front.extent.value();
    if (wanted % there == 0) {
      to.push_back(front);
      from.erase(from.begin());
      wanted /= there;
    } else if (front.axis == 1 && there % wanted == 0) {
      const std::int64_t left = there / wanted;
      to.push_back({1, Dim(wanted), front.stride * left});
      front = {1, Dim(left), front.stride};
      wanted = 1;
    } else {
      return false;
    }
  }
  return true;
}

/// Works from both ends towards the one axis, if any, of unknown extent.
GRAFT_INLINE bool ChannelView::reshape(const Shape& to) {
  if (!to.known()) return false;
  Axis factors;
  for (const Axis& axis : axes_) factors.insert(factors.end(), axis.begin(), axis.end());
  std::vector<Axis> axes(to.rank());
  std::size_t begin = 0, end = to.rank();
  const auto tried = [&](auto move, std::size_t axis) {
    const Axis before = factors;
    if (move(factors, to[axis], axes[axis])) return true;
    factors = before;
    axes[axis].clear();
    return false;
  };
  while (end > 0 && tried(move_back, end - 1)) --end;
  while (begin < end && tried(move_front, begin)) ++begin;
  if (end - begin > 1 || (begin == end && !factors.empty())) return false;
  if (begin < end) {
    if (to[begin].known()) return false;
    axes[begin] = std::move(factors);
  }
  axes_ = std::move(axes);
  settle();
  return true;
}

GRAFT_INLINE bool ChannelView::transpose(const Ints& perm) {
  if (perm.size() != axes_.size()) return false;
  std::vector<Axis> axes;
  for (const std::int64_t axis : perm) {
    if (axis < 0 || axis >= std::ssize(axes_)) return false;
    axes.push_back(axes_[static_cast<std::size_t>(axis)]);
  }
  axes_ = std::move(axes);
  transposed_ = true;
  settle();
  return true;
}

GRAFT_INLINE bool ChannelView::take(std::size_t axis, const Ints& positions, bool dropped) {
  if (axis >= axes_.size() || positions.empty()) return false;
  std::int64_t extent = 1;
  bool is_of_channels = true;
  for (const Factor& factor : axes_[axis]) {
    is_of_channels = is_of_channels && factor.axis == 1;
    extent = extent == 0 || !factor.extent.known() ? 0 : extent * factor.extent.value();
  }
  const auto is_there = [extent](std::int64_t position) { return position >= 0 && position < extent; };
  if (!std::all_of(positions.begin(), positions.end(), is_there)) return false;
  bool is_whole = std::ssize(positions) == extent;
  for (std::size_t i = 0; i < positions.size(); ++i)
    is_whole = is_whole && positions[i] == static_cast<std::int64_t>(i);
  if (is_whole && !dropped) return true;
  if (!is_of_channels) return false;
  if (settled_ && axis == 1 && !dropped) {
    Ints channels;
    for (const std::int64_t position : positions) channels.push_back(channels_[static_cast<std::size_t>(position)]);
    channels_ = std::move(channels);
    spread();
    return true;
  }
  Ints offsets;
  for (std::int64_t position : positions) {
    std::int64_t offset = 0;
    for (auto factor = axes_[axis].rbegin(); factor != axes_[axis].rend(); ++factor) {
      offset += position % factor->extent.value() * factor->stride;
      position /= factor->extent.value();
    }
    offsets.push_back(offset);
  }
  const std::int64_t step = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != step) return false;
  first_ += offsets[0];
  axes_[axis].clear();
  if (offsets.size() > 1) axes_[axis].push_back({1, Dim(std::ssize(offsets)), step});
  if (dropped) axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(axis));
  settle();
  return true;
}

/// An attribute, or the constant input that replaced it.
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
    const auto taken = vocabulary::elements_of({(*starts)[i], (*ends)[i], (*steps)[i]}, shape[*axis].value());
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

/// The extents of the outputs give the sizes.
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
  if (node.is("Split")) return split_channels(node, input);
  ChannelView view = input;
  bool moves = node.is("Identity");
  if (reshapes_elements(node)) moves = view.reshape(node.output(0)->shape());
  if (node.is("Transpose")) moves = view.transpose(node.attr<Ints>("perm").value_or(reversed_axes(view.rank())));
  if (node.is("Slice")) moves = take_slices(node, view);
  if (node.is("Gather")) moves = gather(node, view);
  return moves ? std::vector{std::move(view)} : std::vector<ChannelView>();
}

}  // namespace graft::inline v1::detail
