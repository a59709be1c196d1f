#pragma once
#include <algorithm>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/visit.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>

namespace graft::inline v1::standard_kernels {

/// y[i] = y[i - 1] + x[i] along the axis, or another operation with its neutral element. exclusive adds x[i - 1]
/// instead; reverse starts at the end.
template <class Op, int neutral>
void accumulate(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  const detail::AxisView view(x.dims(), detail::normalized_axis(ctx.input(1).item<std::int64_t>(), x.rank()));
  const bool exclusive = ctx.attr<std::int64_t>("exclusive") != 0;
  const bool reverse = ctx.attr<std::int64_t>("reverse") != 0;
  const detail::BinaryLoop loop = detail::arithmetic_loop<Op>(x.dtype());
  constexpr Op op;
  const std::int64_t size = detail::to_int(detail::element_size(x));
  const std::int64_t step = reverse ? -view.inner * size : view.inner * size;
  Tensor y = exclusive ? Tensor(x.dtype(), x.dims()) : x;
  if (exclusive && neutral != 0)
    detail::visit_arithmetic(x.dtype(), [&]<class T>() { std::ranges::fill(y.mutable_data<T>(), T{neutral}); });
  std::byte* const results = y.mutable_bytes().data();
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t i = 1; i < view.extent; ++i) {
      const std::int64_t row = outer * view.extent + (reverse ? view.extent - 1 - i : i);
      const std::int64_t at = row * view.inner * size;
      const std::byte* from = x.bytes().data() + at - (exclusive ? step : 0);
      loop({results + at - step, from, results + at, 1, 1, view.inner}, &op);
    }
  }
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_cum_sum(Kernels& kernels) {
  kernels.add("CumSum", accumulate<detail::Add, 0>).add("CumProd", accumulate<detail::Mul, 1>);
}

}  // namespace graft::inline v1::standard_kernels
