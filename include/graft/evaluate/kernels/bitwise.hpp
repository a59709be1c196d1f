#pragma once
#include <cstdint>

#include <graft/evaluate/detail/map.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>

namespace graft::inline v1::standard_kernels::detail {

struct BitwiseAnd {
  auto operator()(auto a, auto b) const { return a & b; }
};
struct BitwiseOr {
  auto operator()(auto a, auto b) const { return a | b; }
};
struct BitwiseXor {
  auto operator()(auto a, auto b) const { return a ^ b; }
};

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

template <class Op>
void bitwise(KernelContext& ctx) {
  if (!is_integer(ctx.input(0).dtype())) detail::throw_unsupported(ctx.input(0).dtype());
  const Op op;
  const auto loop = [](DType dtype) {
    return detail::visit<std::int32_t, std::int64_t, std::uint64_t>(
        dtype, []<class T>() -> detail::BinaryLoop { return detail::run_binary<T, T, Op>; });
  };
  ctx.set_output(0, detail::arithmetic(ctx.take_input(0), ctx.take_input(1), {loop, &op}));
}

inline void bitwise_not(KernelContext& ctx) {
  if (!is_integer(ctx.input(0).dtype())) detail::throw_unsupported(ctx.input(0).dtype());
  const auto inverted = [](auto x) { return ~x; };
  ctx.set_output(0, detail::map<std::int32_t, std::int64_t, std::uint64_t>(ctx.take_input(0), inverted));
}

inline void add_bitwise(Kernels& kernels) {
  kernels.add("BitwiseAnd", bitwise<detail::BitwiseAnd>)
      .add("BitwiseOr", bitwise<detail::BitwiseOr>)
      .add("BitwiseXor", bitwise<detail::BitwiseXor>)
      .add("BitwiseNot", bitwise_not);
}

}  // namespace graft::inline v1::standard_kernels
