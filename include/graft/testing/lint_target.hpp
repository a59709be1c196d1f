#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

/// Checks the table of a target for contradictions. Each operator must be in some version of ONNX, or in another
/// domain. Each computing kernel must accept the dtypes to which the target quantizes; otherwise min-cost placement
/// does not use it. Target::zero_points must suit the dtypes of the target and of all kernels. Costs must not be
/// negative, and weights must have 2 to 8 bits. A kernel without a weight must have no quirk of weights. A kernel with
/// a weight must be of an operator that has one; the inputs of a kernel without a weight must exist in its operator.
TestResult lint(const Target& target);

}  // namespace graft::inline v1
