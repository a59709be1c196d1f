#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/lanes.hpp>
#include <graft/evaluate/detail/window.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The planes under a window with their padding written out. The columns of each row are sorted by their position
/// within a stride ("phases"): the inputs of neighbouring outputs for one window position are adjacent.
struct Padded {
  explicit Padded(const Window& w)
      : window(w),
        depth(reach(w, 0)),
        height(reach(w, 1)),
        phases(std::min(w.stride[2], (w.kernel[2] - 1) * w.dilation[2] + 1)),
        phase_width(w.output[2] + (w.kernel[2] - 1) * w.dilation[2] / w.stride[2]) {
    if (!worthwhile()) return;  // the offsets might overflow
    taps.reserve(to_size(w.kernel_size()));
    for (std::int64_t d = 0; d < w.kernel[0]; ++d) {
      for (std::int64_t h = 0; h < w.kernel[1]; ++h) {
        for (std::int64_t k = 0; k < w.kernel[2]; ++k) {
          const std::int64_t column = k * w.dilation[2];
          taps.push_back((d * w.dilation[0] * height + h * w.dilation[1]) * row_size() +
                         column % w.stride[2] * phase_width + column / w.stride[2]);
        }
      }
    }
  }

  /// Whether the planes are not much larger than the window's input. Large padding and dilation can make them so.
  bool worthwhile() const {
    if (window.output_size() == 0) return false;  // there are no outputs
    double size = 1;
    for (const std::int64_t extent : {depth, height, phases, phase_width}) size *= static_cast<double>(extent);
    return size <= 16 * static_cast<double>(window.input_size()) + 256;
  }

  std::int64_t row_size() const { return phases * phase_width; }
  std::int64_t size() const { return depth * height * row_size(); }

  /// The input offset of a row's first output; the taps are relative to it.
  std::int64_t start(std::int64_t d, std::int64_t h) const {
    return (d * window.stride[0] * height + h * window.stride[1]) * row_size();
  }

  /// Writes the plane x to a buffer that holds the padding already.
  void copy(const float* x, float* to) const {
    each_span([&](std::int64_t from, std::int64_t at, std::int64_t count) {
      copy_apart(x + from, window.stride[2], count, to + at);
    });
  }

  /// Adds to the plane x what the buffer holds for it.
  void add_back(const float* from, float* x) const {
    each_span([&](std::int64_t to, std::int64_t at, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) x[to + i * window.stride[2]] += from[at + i];
    });
  }

  Window window;
  std::int64_t depth, height, phases, phase_width;
  std::vector<std::int64_t> taps;  // by kernel position

 private:
  /// Calls f(plane offset, buffer offset, count) for each run that the plane fills in the buffer; in the plane, its
  /// numbers are a stride apart.
  template <class F>
  void each_span(const F& f) const {
    const Span planes = filled(0, 0, 1, depth), rows = filled(1, 0, 1, height);
    for (std::int64_t phase = 0; phase < phases; ++phase) {
      const Span columns = filled(2, phase, window.stride[2], phase_width);
      if (columns.first >= columns.last) continue;
      const std::int64_t column = columns.first * window.stride[2] + phase - window.pad_begin[2];
      for (std::int64_t d = planes.first; d < planes.last; ++d) {
        for (std::int64_t h = rows.first; h < rows.last; ++h) {
          const std::int64_t row = (d - window.pad_begin[0]) * window.input[1] + h - window.pad_begin[1];
          f(row * window.input[2] + column, ((d * height + h) * phases + phase) * phase_width + columns.first,
            columns.last - columns.first);
        }
      }
    }
  }

  static std::int64_t reach(const Window& w, std::size_t axis) {
    return (w.output[axis] - 1) * w.stride[axis] + (w.kernel[axis] - 1) * w.dilation[axis] + 1;
  }
  struct Span {
    std::int64_t first, last;
  };
  /// The positions of a phase along an axis that the input fills.
  Span filled(std::size_t axis, std::int64_t phase, std::int64_t stride, std::int64_t extent) const {
    const std::int64_t shift = window.pad_begin[axis] - phase + stride - 1;
    return {std::max<std::int64_t>(0, shift / stride), std::min(extent, (shift + window.input[axis]) / stride)};
  }

  /// Copies every stride-th number.
  static void copy_apart(const float* from, std::int64_t stride, std::int64_t count, float* to) {
    if (stride == 1) return copy_run(from, count, to);
    std::int64_t i = 0;
    for (; stride == 2 && i + 4 < count; i += 4) {
      Lanes<4>::Vector left, right;
      Lanes<4>::load(left, from + 2 * i);
      Lanes<4>::load(right, from + 2 * i + 4);
      Lanes<4>::store(to + i, __builtin_shufflevector(left, right, 0, 2, 4, 6));
    }
    for (; i < count; ++i) to[i] = from[i * stride];
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
