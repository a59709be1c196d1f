#pragma once
#include <string>
#include <string_view>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// How far outputs are from those of the default: the largest difference of two elements over the largest magnitude of
/// the output, which counts as 1e-12 at least; infinite where dtypes, shapes, NaNs or infinities differ.
struct OutputDifference {
  double relative = 0;
  std::string output{};  ///< which has it
};

/// Where an output is further from the expected one than all before, it takes their place. Any shape, any dtype that is
/// a number.
void compare_output(std::string_view output, const Tensor& expected, const Tensor& actual, OutputDifference& so_far);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/session/output_difference.ipp>
#endif
