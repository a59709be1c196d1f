#pragma once
#include <string_view>

#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// What flush_denormals() changes.
inline constexpr Intent flushes_denormals{.values = "weights by less than 2^-126, those of f64 by less than 2^-1022"};

/// Denormal weights, which are not 0 and below the least normal number of their dtype, become 0: |w| < 2^-126 for f32
/// and bf16, |w| < 2^-1022 for f64. Processors multiply denormals many times slower than other numbers, and exporters
/// leave them behind where training pushed weights towards 0. Elements of f16 stay: kernels compute them as f32, in
/// which they are normal.
///
/// A weight is a constant of more than one element, an initializer or the tensor of a Constant, in bodies and functions
/// too, each of whose readers multiplies or adds it, normalizes by it, or looks rows up in it: Conv, MatMul, Gemm,
/// LSTM, Mul, Add, Gather and the like. So no divisor, scale or small number under a logarithm becomes 0. Initializers
/// that callers may override stay. External data are read once, and stay where they are if nothing in them is denormal.
/// The report's changes are the tensors; a note counts their elements.
Pass flush_denormals();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/flush_denormals.ipp>
#endif
