#pragma once
#include <cstdint>

#include <graft/evaluate/detail/window.hpp>

/// A padded window of 3 x 3 over 7 rows of this width.
inline graft::standard_kernels::detail::Window strided_window(std::int64_t width, std::int64_t stride) {
  graft::standard_kernels::detail::Window w;
  w.input = {1, 7, width};
  w.kernel = {1, 3, 3};
  w.stride = {1, stride, stride};
  w.pad_begin = {0, 1, 1};
  w.output = {1, 6 / stride + 1, (width - 1) / stride + 1};
  return w;
}
