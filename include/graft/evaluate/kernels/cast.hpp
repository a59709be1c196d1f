#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

inline CastChoice read_cast_choice(const KernelContext& ctx) {
  const auto mode = choice(ctx, "round_mode", {"up", "down", "nearest"}, "up");
  return {ctx.attr_or<std::int64_t>("saturate", 1) != 0, mode == "up"     ? PowerRounding::up
                                                         : mode == "down" ? PowerRounding::down
                                                                          : PowerRounding::nearest};
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void cast(KernelContext& ctx) {
  const auto to = static_cast<DType>(ctx.attr<std::int64_t>("to"));
  ctx.set_output(0, detail::cast(ctx.take_input(0), to, detail::read_cast_choice(ctx)));
}

inline void cast_like(KernelContext& ctx) {
  const DType to = ctx.input(1).dtype();
  ctx.set_output(0, detail::cast(ctx.take_input(0), to, detail::read_cast_choice(ctx)));
}

/// The same bytes as another dtype of the same width.
inline void bit_cast(KernelContext& ctx) {
  const auto to = static_cast<DType>(ctx.attr<std::int64_t>("to"));
  Tensor x = ctx.take_input(0);
  if (to == DType::string || !is_known(to) || bits(to) != bits(x.dtype()))
    throw detail::failure({x, " does not have the bits of ", to}).field("to");
  const auto is_no_bool = [](std::byte byte) { return std::to_integer<int>(byte) > 1; };
  if (to == DType::boolean && std::ranges::any_of(x.bytes(), is_no_bool))
    throw detail::failure({x, " has bytes that are neither 0 nor 1"}).field("to");
  Dims dims = x.dims();
  ctx.set_output(0, Tensor::own(to, std::move(dims), std::move(x).release()));
}

inline void add_cast(Kernels& kernels) {
  kernels.add("Cast", {6}, cast).add("CastLike", cast_like).add("BitCast", bit_cast);
}

}  // namespace graft::inline v1::standard_kernels
