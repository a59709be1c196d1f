#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/graph/dims.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a tensor of dims `from` broadcasts to dims `to`, which stay the same.
inline bool broadcasts_to(const Dims& from, const Dims& to) {
  if (from.size() > to.size()) return false;
  const std::size_t lead = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != to[lead + i]) return false;
  return true;
}

/// Cuts a tensor into runs. Along a run, each of N broadcast parameters is constant or advances with the tensor.
template <std::size_t N>
class BroadcastRuns {
 public:
  using Offsets = std::array<std::int64_t, N>;

  BroadcastRuns(const Dims& dims, const std::array<Dims, N>& parameters) {
    Offsets stride;
    stride.fill(1);
    for (std::size_t i = dims.size(); i-- > 0;) {  // from the innermost axis on
      Axis axis{dims[i], {}};
      bool merges = !axes_.empty();
      for (std::size_t k = 0; k < N; ++k) {
        const std::size_t lead = dims.size() - parameters[k].size();
        const std::int64_t extent = i < lead ? 1 : parameters[k][i - lead];
        axis.stride[k] = extent == 1 ? 0 : stride[k];
        stride[k] *= extent;
        merges = merges && axis.stride[k] == axes_.back().stride[k] * axes_.back().extent;
      }
      if (axis.extent == 1) continue;
      if (merges) {
        axes_.back().extent *= axis.extent;
      } else {
        axes_.push_back(axis);
      }
    }
    if (axes_.empty()) axes_.push_back({1, {}});
  }

  std::int64_t run_length() const { return axes_.front().extent; }
  /// The step of a parameter along a run: 0 or 1.
  std::int64_t stride(std::size_t parameter) const { return axes_.front().stride[parameter]; }
  /// Whether every parameter is constant along a run.
  bool uniform() const { return axes_.front().stride == Offsets{}; }

  /// Calls f(element, count, offsets of the parameters) for each run of the elements in [first, last).
  template <class F>
  void each_run(std::int64_t first, std::int64_t last, F&& f) const {
    if (first >= last) return;
    std::vector<std::int64_t> position(axes_.size());
    Offsets offsets{};
    std::int64_t row = first;
    for (std::size_t i = 0; i < axes_.size(); row /= axes_[i++].extent) {
      position[i] = row % axes_[i].extent;
      for (std::size_t k = 0; k < N; ++k) offsets[k] += position[i] * axes_[i].stride[k];
    }
    for (std::int64_t element = first; element < last;) {
      const std::int64_t count = std::min(run_length() - position[0], last - element);
      f(element, count, static_cast<const Offsets&>(offsets));
      element += count;
      for (std::size_t k = 0; k < N; ++k) offsets[k] -= position[0] * axes_[0].stride[k];
      position[0] = 0;
      for (std::size_t i = 1; i < axes_.size(); ++i) {
        for (std::size_t k = 0; k < N; ++k) offsets[k] += axes_[i].stride[k];
        if (++position[i] < axes_[i].extent) break;
        for (std::size_t k = 0; k < N; ++k) offsets[k] -= axes_[i].stride[k] * axes_[i].extent;
        position[i] = 0;
      }
    }
  }

 private:
  struct Axis {
    std::int64_t extent;
    Offsets stride;
  };
  std::vector<Axis> axes_;
};

}  // namespace graft::inline v1::qonnx::detail
