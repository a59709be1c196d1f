#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace graft::inline v1::standard_kernels::detail {

/// The sliding window of Conv and of the pools. One implementation serves one to three spatial axes: missing leading
/// axes have extent 1.
struct Window {
  static constexpr std::size_t axes = 3;
  using Extents = std::array<std::int64_t, axes>;

  std::size_t rank = 0;  // number of the operator's spatial axes
  Extents input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
  Extents pad_begin{0, 0, 0}, pad_end{0, 0, 0};

  static std::int64_t volume(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }
  std::int64_t input_size() const { return volume(input); }
  std::int64_t output_size() const { return volume(output); }
  std::int64_t kernel_size() const { return volume(kernel); }
  /// Runs of outputs along the innermost axis.
  std::int64_t output_rows() const { return output[0] * output[1]; }

  /// Whether every output reads only the input at its own position.
  bool pointwise() const {
    return kernel_size() == 1 && stride == Extents{1, 1, 1} && input == output && pad_begin == Extents{0, 0, 0};
  }

  /// The outputs [first, last) along an axis whose window position k is inside the input.
  std::pair<std::int64_t, std::int64_t> inside(std::size_t axis, std::int64_t k) const {
    const std::int64_t shift = k * dilation[axis] - pad_begin[axis];
    const std::int64_t s = stride[axis];
    const std::int64_t first = shift >= 0 ? 0 : (-shift + s - 1) / s;
    const std::int64_t last = shift >= input[axis] ? 0 : (input[axis] - shift + s - 1) / s;
    return {first, std::max(first, std::min(last, output[axis]))};
  }

  /// The window positions [first, last) along an axis that are inside the input for an output.
  std::pair<std::int64_t, std::int64_t> covered(std::size_t axis, std::int64_t out) const {
    const std::int64_t start = out * stride[axis] - pad_begin[axis];
    const std::int64_t d = dilation[axis];
    const std::int64_t first = start >= 0 ? 0 : (-start + d - 1) / d;
    const std::int64_t last = start >= input[axis] ? 0 : std::min((input[axis] - start + d - 1) / d, kernel[axis]);
    return {std::min(first, last), last};
  }

  /// For the output rows [first, last), calls f(output offset, input offset, kernel position, count) for each run of
  /// outputs that read inputs `stride[2]` apart at one position of the kernel. Padding is skipped.
  template <class F>
  void each_run(std::int64_t first_row, std::int64_t last_row, F&& f) const {
    const std::int64_t first_w = covered(2, output[2] - 1).first, last_w = covered(2, 0).second;
    for (std::int64_t row = first_row; row < last_row; ++row) {
      const std::int64_t d = row / output[1];
      const std::int64_t h = row % output[1];
      const auto [first_d, last_d] = covered(0, d);
      const auto [first_h, last_h] = covered(1, h);
      for (std::int64_t kd = first_d; kd < last_d; ++kd) {
        const std::int64_t in_d = d * stride[0] - pad_begin[0] + kd * dilation[0];
        for (std::int64_t kh = first_h; kh < last_h; ++kh) {
          const std::int64_t in_h = h * stride[1] - pad_begin[1] + kh * dilation[1];
          for (std::int64_t kw = first_w; kw < last_w; ++kw) {
            const auto [begin, end] = inside(2, kw);
            if (begin == end) continue;
            const std::int64_t in_w = begin * stride[2] - pad_begin[2] + kw * dilation[2];
            f(row * output[2] + begin, (in_d * input[1] + in_h) * input[2] + in_w,
              (kd * kernel[1] + kh) * kernel[2] + kw, end - begin);
          }
        }
      }
    }
  }
  template <class F>
  void each_run(F&& f) const {
    each_run(0, output_rows(), std::forward<F>(f));
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
