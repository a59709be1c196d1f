#pragma once
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/kernel_table.hpp>

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

inline void add_cast(Kernels& kernels) { kernels.add("Cast", {6}, cast).add("CastLike", cast_like); }

}  // namespace graft::inline v1::standard_kernels
