#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

/// Whether a target's table holds together: its operators are in some version of ONNX, or of another domain; each
/// kernel that computes takes what the target quantizes to, for min-cost placement gives it nothing otherwise; costs
/// are not negative; weights have 2 to 8 bits; a kernel has no quirk of weights without a weight; a kernel with a
/// weight is of an operator that has one, and one without takes inputs that its operator has.
TestResult lint(const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/lint_target.ipp>
#endif
