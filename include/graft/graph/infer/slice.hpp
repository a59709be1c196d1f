#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/integer_math.hpp>

namespace graft::inline v1::infer {

/// The elements that start, end and step select along an axis: `count` elements from `first` on.
struct SliceRange {
  std::int64_t first = 0, count = 0;

  /// Negative start and end count from the back; both are clamped. step must not be 0.
  static SliceRange of(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (extent == 0) return {};
    const auto from_front = [&](std::int64_t i) { return i < 0 ? i + extent : i; };
    if (step > 0) {
      start = std::clamp(from_front(start), std::int64_t{0}, extent);
      end = std::clamp(from_front(end), std::int64_t{0}, extent);
      return {start, end > start ? (end - start - 1) / step + 1 : 0};
    }
    start = std::clamp(from_front(start), std::int64_t{0}, extent - 1);
    end = std::clamp(from_front(end), std::int64_t{-1}, extent - 1);
    // Divides by the negative step, because the lowest step has no positive counterpart.
    return {start, start > end ? (end - start + 1) / step + 1 : 0};
  }
};

/// The starts, ends, axes and steps of Slice: attributes before version 10, inputs since.
struct SliceSpec {
  std::vector<Integer> starts, ends;
  std::vector<std::size_t> axes;
  std::vector<Integer> steps;

  /// Reads them from the node; nullopt if the axes are unknown, or if lengths or axes do not fit.
  static std::optional<SliceSpec> read(const InferContext& c, std::size_t rank) {
    SliceSpec spec;
    const auto axes = c.parameter("axes", 3);
    if (axes.given && !axes.values) return std::nullopt;
    const std::size_t named = axes.values ? axes.values->size() : rank;
    spec.starts = operand(c, "starts", 1, named);
    spec.ends = operand(c, "ends", 2, named);
    const std::size_t size = spec.starts.size();
    spec.steps = c.has(4) ? operand(c, "steps", 4, named) : std::vector<Integer>(size, 1);
    if (axes.values) {
      auto places = normalized(*axes.values, rank);
      if (!places) return std::nullopt;
      spec.axes = std::move(*places);
    } else {
      if (size > rank) return std::nullopt;
      spec.axes.resize(size);
      std::iota(spec.axes.begin(), spec.axes.end(), 0u);
    }
    const bool fits = spec.ends.size() == size && spec.axes.size() == size && spec.steps.size() == size;
    return fits ? std::optional(std::move(spec)) : std::nullopt;
  }

  /// The extent after entry i of the spec is applied to an axis of this extent.
  Dim output(std::size_t i, const Dim& extent) const {
    if (!steps[i].known() || steps[i].is(0)) return {};
    if (starts[i].known() && ends[i].known() && extent.known()) {
      return SliceRange::of(extent.value(), starts[i].value(), ends[i].value(), steps[i].value()).count;
    }
    if (!starts[i].is(0) || !steps[i].is(1)) return {};
    const bool to_the_end = ends[i].known() ? ends[i].value() >= std::numeric_limits<std::int32_t>::max()
                                            : same_value(ends[i], Integer(extent));
    if (to_the_end) return extent;
    return ends[i].is(0) ? Dim(0) : Dim();
  }

 private:
  /// One operand; `size` unknown integers if it is unknown.
  static std::vector<Integer> operand(const InferContext& c, std::string_view attribute, std::size_t input,
                                      std::size_t size) {
    if (c.opset() >= 10) {
      const Contents* const known = c.contents(input);
      return known ? known->elements : std::vector<Integer>(size);
    }
    const auto values = c.attr<Ints>(attribute);
    return values ? std::vector<Integer>(values->begin(), values->end()) : std::vector<Integer>(size);
  }
};

inline Verdict slice(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  c.set_shape(0, std::vector<Dim>(x.rank()));
  const auto axes = c.parameter("axes", 3);
  if (axes.values && !normalized(*axes.values, x.rank())) return Verdict::no("an axis is out of range or named twice");
  const auto spec = SliceSpec::read(c, x.rank());
  if (!spec) return Verdict::yes();
  for (const Integer& step : spec->steps)
    if (step.is(0)) return Verdict::no("a step is 0");
  std::vector<Dim> out = to_dims(x);
  for (std::size_t i = 0; i < spec->axes.size(); ++i) out[spec->axes[i]] = spec->output(i, out[spec->axes[i]]);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

inline std::optional<Contents> slice_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  if (data == nullptr || data->dims.size() != 1) return std::nullopt;
  const auto spec = SliceSpec::read(c, 1);
  if (!spec || spec->axes.size() != 1) return std::nullopt;
  const Integer start = spec->starts[0], end = spec->ends[0], step = spec->steps[0];
  if (!start.known() || !end.known() || !step.known() || step.is(0)) return std::nullopt;
  const auto range = SliceRange::of(data->dims[0], start.value(), end.value(), step.value());
  std::vector<Integer> taken;
  for (std::int64_t i = 0; i < range.count; ++i) {
    taken.push_back(data->elements[static_cast<std::size_t>(range.first + i * step.value())]);
  }
  return Contents::list(std::move(taken), data->dtype);
}

}  // namespace graft::inline v1::infer
