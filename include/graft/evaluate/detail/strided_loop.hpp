#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Row-major strides in elements.
inline Dims contiguous_strides(const Dims& dims) {
  Dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

/// Iterates over several tensors together: N offsets, each with its own strides. Merges neighbouring axes that are
/// contiguous in all tensors, so that the innermost run, which callers vectorize, is as long as possible.
template <std::size_t N>
class StridedLoop {
 public:
  using Offsets = std::array<std::int64_t, N>;

  StridedLoop(const Dims& extents, const std::array<Dims, N>& strides) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] == 0) runs_ = 0;
      if (extents[axis] == 1) continue;
      Offsets stride;
      bool merges = !axes_.empty();
      for (std::size_t k = 0; k < N; ++k) {
        stride[k] = strides[k][axis];
        merges = merges && axes_.back().stride[k] == stride[k] * extents[axis];
      }
      if (merges) {
        axes_.back().extent *= extents[axis];
        axes_.back().stride = stride;
      } else {
        axes_.push_back({extents[axis], stride, 0});
      }
    }
    if (axes_.empty()) axes_.push_back({1, Offsets{}, 0});
    for (std::size_t i = 0; i + 1 < axes_.size(); ++i) runs_ *= axes_[i].extent;
  }

  /// The strides of the innermost run.
  const Offsets& inner() const { return axes_.back().stride; }

  /// The number of innermost runs, and the length of each.
  std::int64_t runs() const { return runs_; }
  std::int64_t run_length() const { return axes_.back().extent; }

  /// Calls f(offsets, count) for each innermost run, or for those in [first, last).
  template <class F>
  void each_run(F&& f) const {
    each_run(0, runs_, std::forward<F>(f));
  }
  template <class F>
  void each_run(std::int64_t first, std::int64_t last, F&& f) const {
    std::vector<Axis> axes = axes_;
    Offsets offsets = go_to(axes, first);
    for (std::int64_t row = first; row < last; ++row) {
      f(std::as_const(offsets), axes.back().extent);
      advance(axes, offsets);
    }
  }

 private:
  struct Axis {
    std::int64_t extent;
    Offsets stride;
    std::int64_t position;
  };

  static Offsets go_to(std::vector<Axis>& axes, std::int64_t row) {
    Offsets offsets{};
    for (std::size_t i = axes.size() - 1; row > 0 && i-- > 0;) {
      axes[i].position = row % axes[i].extent;
      row /= axes[i].extent;
      for (std::size_t k = 0; k < N; ++k) offsets[k] += axes[i].stride[k] * axes[i].position;
    }
    return offsets;
  }

  static void advance(std::vector<Axis>& axes, Offsets& offsets) {
    for (std::size_t i = axes.size() - 1; i-- > 0;) {
      Axis& axis = axes[i];
      for (std::size_t k = 0; k < N; ++k) offsets[k] += axis.stride[k];
      if (++axis.position < axis.extent) return;
      for (std::size_t k = 0; k < N; ++k) offsets[k] -= axis.stride[k] * axis.extent;
      axis.position = 0;
    }
  }

  std::vector<Axis> axes_;
  std::int64_t runs_ = 1;
};

}  // namespace graft::inline v1::standard_kernels::detail
