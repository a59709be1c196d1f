#pragma once
#include <graft/evaluate/conv_patches.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/evaluate/detail/read_window.hpp>
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1 {

GRAFT_INLINE ConvPatches::ConvPatches(const Node& conv, const Dims& input, const Dims& weight)
    : window_(standard_kernels::detail::conv_window(KernelContext(conv, {}, {}), input, weight)) {}

GRAFT_INLINE void ConvPatches::offsets(std::int64_t position, std::span<std::int64_t> offsets) const {
  const auto& w = window_;
  standard_kernels::detail::Window::Extents start{};
  for (std::size_t axis = w.axes; axis-- > 0; position /= w.output[axis])
    start[axis] = position % w.output[axis] * w.stride[axis] - w.pad_begin[axis];
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    auto left = static_cast<std::int64_t>(k);
    std::int64_t offset = 0, step = 1;
    for (std::size_t axis = w.axes; axis-- > 0; left /= w.kernel[axis], step *= w.input[axis]) {
      const std::int64_t at = start[axis] + left % w.kernel[axis] * w.dilation[axis];
      if (at < 0 || at >= w.input[axis]) {
        offset = -1;
        break;
      }
      offset += at * step;
    }
    offsets[k] = offset;
  }
}

}  // namespace graft::inline v1
