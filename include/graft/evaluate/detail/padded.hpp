#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <graft/evaluate/detail/axes.hpp>
#include <graft/evaluate/detail/window.hpp>

namespace graft::inline v1::kernels::detail {

/// The planes under a window with their padding written out, and with the columns of each row sorted by their place
/// within a stride ("phases"): what the window reads at one position for neighbouring outputs stands side by side.
struct Padded {
  explicit Padded(const Window& w)
      : window(w),
        depth(reach(w, 0)),
        height(reach(w, 1)),
        phases(std::min(w.stride[2], (w.kernel[2] - 1) * w.dilation[2] + 1)),
        phase_width(w.output[2] + (w.kernel[2] - 1) * w.dilation[2] / w.stride[2]) {
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

  /// Whether the planes are not much larger than the window's input, as far-reaching padding and dilation can make them.
  bool worthwhile() const {
    const double size = static_cast<double>(depth) * static_cast<double>(height) * static_cast<double>(row_size());
    return size <= static_cast<double>(16 * window.input_size() + 256);
  }

  std::int64_t row_size() const { return phases * phase_width; }
  std::int64_t size() const { return depth * height * row_size(); }

  /// Where the first output of a row of outputs starts to read; the taps are relative to it.
  std::int64_t start(std::int64_t row) const {
    const std::int64_t d = row / window.output[1] * window.stride[0];
    const std::int64_t h = row % window.output[1] * window.stride[1];
    return (d * height + h) * row_size();
  }

  /// Writes the plane x to one that holds the padding already.
  void copy(const float* x, float* to) const {
    for (std::int64_t d = begin(0, 0, 1); d < end(0, 0, 1, depth); ++d) {
      for (std::int64_t h = begin(1, 0, 1); h < end(1, 0, 1, height); ++h) {
        const std::int64_t row = (d - window.pad_begin[0]) * window.input[1] + h - window.pad_begin[1];
        for (std::int64_t phase = 0; phase < phases; ++phase)
          copy_phase(phase, x + row * window.input[2], to + ((d * height + h) * phases + phase) * phase_width);
      }
    }
  }

  Window window;
  std::int64_t depth, height, phases, phase_width;
  std::vector<std::int64_t> taps;  // by position of the kernel

 private:
  static std::int64_t reach(const Window& w, std::size_t axis) {
    return (w.output[axis] - 1) * w.stride[axis] + (w.kernel[axis] - 1) * w.dilation[axis] + 1;
  }
  /// The places of a phase along an axis that the input fills.
  std::int64_t begin(std::size_t axis, std::int64_t phase, std::int64_t stride) const {
    return std::max<std::int64_t>(0, (window.pad_begin[axis] - phase + stride - 1) / stride);
  }
  std::int64_t end(std::size_t axis, std::int64_t phase, std::int64_t stride, std::int64_t extent) const {
    return std::min(extent, (window.pad_begin[axis] + window.input[axis] - phase + stride - 1) / stride);
  }

  void copy_phase(std::int64_t phase, const float* row, float* to) const {
    const std::int64_t stride = window.stride[2];
    const std::int64_t last = end(2, phase, stride, phase_width);
    std::int64_t i = begin(2, phase, stride);
    const float* from = row + (i < last ? i * stride + phase - window.pad_begin[2] : 0);
    if (stride == 1) {
      std::copy_n(from, std::max<std::int64_t>(0, last - i), to + i);
    } else {
      for (; i < last; ++i, from += i < last ? stride : 0) to[i] = *from;
    }
  }
};

}  // namespace graft::inline v1::kernels::detail
