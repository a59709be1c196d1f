#pragma once
#include <string_view>

#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The change of values by flush_denormals().
inline constexpr Intent flushes_denormals{.values = "weights by less than 2^-126, those of f64 by less than 2^-1022"};

/// Sets denormal weights to 0: |w| < 2^-126 for f32 and bf16, |w| < 2^-1022 for f64. Processors multiply denormals many
/// times slower than other numbers, and training that pushes weights towards 0 leaves denormals. Elements of f16 stay:
/// kernels compute them as f32, and there they are normal.
///
/// A weight is a constant of more than one element: an initializer, or the tensor of a Constant, in bodies and
/// functions, too. Each of its readers multiplies or adds it, normalizes by it, or looks up its rows: Conv, MatMul,
/// Gemm, LSTM, Mul, Add, Gather and the like. So no divisor, scale or small number under a logarithm becomes 0.
/// Initializers that callers may override stay. External data are read once, and stay in their file if no element is
/// denormal. The report's changes count tensors; a note counts their elements.
Pass flush_denormals();

}  // namespace graft::inline v1
