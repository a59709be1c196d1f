#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/lstm.hpp>
#include <graft/evaluate/kernels/quantize.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Floats after DynamicQuantizeLinear and DequantizeLinear.
inline Tensor rounded_to_bytes(const Tensor& x, const ParallelFor* parallel) {
  const DynamicallyQuantized codes(x, parallel);
  return dequantize(codes.data, codes.scale.to<float>(), &codes.zero_point, Granularity(x.dims()), parallel);
}

/// Integers [directions, in, 4 hidden] as floats [directions, 4 hidden, in]. The next two inputs, `scale` and a zero
/// point, have a number for each direction, or for each of its columns.
inline Tensor dequantized_gates(const KernelContext& ctx, std::size_t weight, std::size_t scale) {
  const Tensor& codes = ctx.input(weight);
  if (codes.rank() != 3 || !is_integer(codes.dtype()))
    throw failure({"a weight ", codes, " is not of integers of rank 3"});
  const std::int64_t directions = codes.dims()[0];
  const auto by_column = [&](const Tensor& numbers) {
    const std::int64_t columns = numbers.rank() == 2 ? codes.dims()[2] : 1;
    if (numbers.dims() != Dims{directions} && numbers.dims() != Dims{directions, columns})
      throw failure({numbers, " for a weight ", codes});
    return cast(numbers.reshaped({directions, 1, columns}), DType::f32);
  };
  Tensor y = cast(codes, DType::f32);
  if (ctx.has_input(scale + 1)) y = arithmetic<Sub>(std::move(y), by_column(ctx.input(scale + 1)), {}, ctx.parallel());
  return permuted(arithmetic<Mul>(std::move(y), by_column(ctx.input(scale)), {}, ctx.parallel()), {0, 2, 1});
}

/// The steps within the sequences; later ones are not quantized.
inline Tensor reached_steps(const Recurrence& all) {
  Dims dims = all.x.dims();
  dims[0] = all.lengths.empty() ? 0 : *std::max_element(all.lengths.begin(), all.lengths.end());
  return Tensor::of(dims, all.x.data<float>().first(to_size(dims[0] * dims[1] * dims[2])));
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// com.microsoft DynamicQuantizeLSTM: an LSTM with integer weights, [directions, in, 4 hidden]. It quantizes the input,
/// and the state of each step, as DynamicQuantizeLinear does. Products use the dequantized factors.
inline void dynamic_quantize_lstm(KernelContext& ctx) {
  Tensor w = detail::dequantized_gates(ctx, 1, 8), r = detail::dequantized_gates(ctx, 2, 10);
  detail::Recurrence all =
      detail::read_recurrence(ctx, 4, {"Sigmoid", "Tanh", "Tanh"}, std::move(w), std::move(r));
  const auto rounded = [&](const Tensor& x) { return detail::rounded_to_bytes(x, ctx.parallel()); };
  const Tensor x = rounded(detail::reached_steps(all));
  std::copy(x.data<float>().begin(), x.data<float>().end(), all.x.mutable_data<float>().begin());
  detail::run_lstm(ctx, all, rounded);
}

inline void add_dynamic_quantize_lstm(Kernels& kernels) {
  kernels.add("com.microsoft::DynamicQuantizeLSTM", dynamic_quantize_lstm);
}

}  // namespace graft::inline v1::standard_kernels
