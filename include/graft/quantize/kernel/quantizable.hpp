#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// Whether graft quantizes an operator that the target computes in integers: the first of kernel_conditions() of stage
/// planned that fails, and its code. Operands are float32 tensors (those of unknown dtype are taken for such), or
/// dequantized already; the weight of a Conv or Gemm is constant, and so is the bias if the target needs it in int32.
Verdict quantizable(const Node& node, const Target& target);

}  // namespace graft::inline v1
