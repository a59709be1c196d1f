#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <graft/graph/builtins.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::vocabulary {

/// The range of a Slice of one axis (ONNX, since version 10): from start, every step-th element, up to but without end.
/// Negative positions count from the end; positions out of range mean the nearest end.
struct SliceRange {
  std::int64_t start = 0, end = 0, step = 1;

  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};

/// The elements of a range: start, start + step, ... `count` of them.
struct SliceElements {
  std::int64_t start = 0, step = 1, count = 0;
};

/// Preconditions: extent >= 0, step is not 0.
inline SliceElements elements_of(const SliceRange& range, std::int64_t extent) {
  const auto from_front = [extent](std::int64_t position) { return position < 0 ? position + extent : position; };
  if (range.step > 0) {
    const std::int64_t first = std::clamp<std::int64_t>(from_front(range.start), 0, extent);
    const std::int64_t last = std::clamp<std::int64_t>(from_front(range.end), 0, extent);
    return {first, range.step, last > first ? (last - first - 1) / range.step + 1 : 0};
  }
  const std::int64_t first = std::min(std::max<std::int64_t>(from_front(range.start), 0), extent - 1);
  const std::int64_t last = std::clamp<std::int64_t>(from_front(range.end), -1, extent - 1);
  return {first, range.step, first > last ? (last + 1 - first) / range.step + 1 : 0};
}

/// One range that equals `second` after `first`. nullopt if it depends on an unknown extent, or cannot be written.
inline std::optional<SliceRange> composed(const SliceRange& first, const SliceRange& second, const Dim& extent) {
  if (first.step == 0 || second.step == 0) return std::nullopt;
  std::int64_t step = 0, start = 0, end = 0;
  if (extent.known()) {
    const SliceElements taken = elements_of(first, extent.value());
    const SliceElements kept = elements_of(second, taken.count);
    if (kept.count == 0) return SliceRange{0, 0, 1};
    start = taken.start + kept.start * taken.step;
    if (kept.count == 1) return SliceRange{start, start + 1, 1};
    step = taken.step * kept.step;  // at most the extent
    const std::int64_t last = start + (kept.count - 1) * step;
    // A negative position counts from the end. Clamping the lowest position gives the place before the first element.
    end = step > 0 ? last + 1 : last > 0 ? last - 1 : std::numeric_limits<std::int64_t>::min();
    return SliceRange{start, end, step};
  }
  const bool counts_from_front = std::min({first.start, first.end, second.start, second.end}) >= 0;
  if (!counts_from_front || first.step < 0 || second.step < 0) return std::nullopt;
  if (builtins::multiply_overflows(first.step, second.step, step)) return std::nullopt;
  if (builtins::multiply_overflows(second.start, first.step, start)) return std::nullopt;
  if (builtins::add_overflows(start, first.start, start)) return std::nullopt;
  const bool is_open = builtins::multiply_overflows(second.end, first.step, end) ||
                       builtins::add_overflows(end, first.start, end);
  return SliceRange{start, is_open ? first.end : std::min(first.end, end), step};
}

}  // namespace graft::inline v1::vocabulary
