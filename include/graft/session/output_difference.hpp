#pragma once
#include <string>
#include <string_view>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The difference of outputs from those of the default: the largest absolute difference of two elements, divided by the
/// largest magnitude of the output, or by 1e-12 if that is larger. Infinite if dtypes, shapes, NaNs or infinities
/// differ.
struct OutputDifference {
  double relative = 0;
  std::string output{};  ///< the output with this difference
};

/// Replaces the difference by that of this output if it is larger. Accepts any shape and any numeric dtype.
void compare_output(std::string_view output, const Tensor& expected, const Tensor& actual, OutputDifference& so_far);

}  // namespace graft::inline v1
