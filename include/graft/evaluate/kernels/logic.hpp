#pragma once
#include <cmath>
#include <cstring>
#include <utility>

#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/visit.hpp>

namespace graft::inline v1::standard_kernels::detail {

struct Equal {
  bool operator()(auto a, auto b) const { return a == b; }
};
struct Less {
  bool operator()(auto a, auto b) const { return a < b; }
};
struct LessOrEqual {
  bool operator()(auto a, auto b) const { return a <= b; }
};
struct And {
  bool operator()(bool a, bool b) const { return a && b; }
};
struct Or {
  bool operator()(bool a, bool b) const { return a || b; }
};
struct Xor {
  bool operator()(bool a, bool b) const { return a != b; }
};

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Swapped compares b with a: a > b is b < a.
template <class Op, bool Swapped = false>
void compare(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  if (ctx.input(1).dtype() != dtype) throw detail::failure({"inputs of types ", dtype, " and ", ctx.input(1).dtype()});
  const DType wide = detail::computed_in(dtype);
  const detail::BinaryLoop loop = detail::visit_arithmetic(
      wide, []<class T>() -> detail::BinaryLoop { return detail::run_binary<T, bool, Op>; });
  const Op op;
  Tensor a = detail::cast(ctx.take_input(Swapped ? 1 : 0), wide);
  Tensor b = detail::cast(ctx.take_input(Swapped ? 0 : 1), wide);
  ctx.set_output(0, detail::broadcast(std::move(a), std::move(b), DType::boolean, loop, &op));
}

template <class Op>
void logical(KernelContext& ctx) {
  for (const Tensor& x : ctx.inputs()) {
    if (x.dtype() != DType::boolean) detail::throw_unsupported(x.dtype());
  }
  const Op op;
  ctx.set_output(0, detail::broadcast(ctx.take_input(0), ctx.take_input(1), DType::boolean,
                                      detail::run_binary<bool, bool, Op>, &op));
}

inline void logical_not(KernelContext& ctx) {
  Tensor y = ctx.take_input(0);
  for (bool& value : y.mutable_data<bool>()) value = !value;
  ctx.set_output(0, std::move(y));
}

/// A bool for each element of a float tensor.
template <class F>
Tensor test_floats(const Tensor& x, F test) {
  Tensor y(DType::boolean, x.dims());
  const Tensor wide = detail::cast(x, detail::computed_in(x.dtype()));
  detail::visit<float, double>(wide.dtype(), [&]<class T>() {
    const auto values = wide.data<T>();
    const auto out = y.mutable_data<bool>();
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = test(values[i]);
  });
  return y;
}

inline void is_nan(KernelContext& ctx) {
  ctx.set_output(0, test_floats(ctx.input(0), [](auto x) { return std::isnan(x); }));
}

inline void is_inf(KernelContext& ctx) {
  const bool positive = ctx.attr<std::int64_t>("detect_positive") != 0;
  const bool negative = ctx.attr<std::int64_t>("detect_negative") != 0;
  ctx.set_output(0, test_floats(ctx.input(0), [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); }));
}

inline void where(KernelContext& ctx) {
  const Tensor& condition = ctx.input(0);
  const Tensor& x = ctx.input(1);
  const Tensor& y = ctx.input(2);
  if (x.dtype() != y.dtype()) throw Error("the two choices differ in type");
  const Dims dims = detail::broadcast_dims(condition.dims(), detail::broadcast_dims(x.dims(), y.dims()));
  Tensor z(x.dtype(), dims);
  const detail::StridedLoop<4> loop(
      dims, {detail::contiguous_strides(dims), detail::broadcast_strides(condition.dims(), dims),
             detail::broadcast_strides(x.dims(), dims), detail::broadcast_strides(y.dims(), dims)});
  const std::int64_t size = detail::to_int(detail::element_size(x));
  const bool* choice = condition.data<bool>().data();
  const std::byte* from_x = x.bytes().data();
  const std::byte* from_y = y.bytes().data();
  std::byte* to = z.mutable_bytes().data();
  const auto step = loop.inner();
  loop.each_run([&](const auto& offset, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const bool first = choice[offset[1] + i * step[1]];
      const std::byte* from = first ? from_x + (offset[2] + i * step[2]) * size
                                    : from_y + (offset[3] + i * step[3]) * size;
      std::memcpy(to + (offset[0] + i * step[0]) * size, from, detail::to_size(size));
    }
  });
  ctx.set_output(0, std::move(z));
}

inline void add_logic(Kernels& kernels) {
  kernels.add("Equal", {7}, compare<detail::Equal>)
      .add("Less", {7}, compare<detail::Less>)
      .add("LessOrEqual", compare<detail::LessOrEqual>)
      .add("Greater", {7}, compare<detail::Less, true>)
      .add("GreaterOrEqual", compare<detail::LessOrEqual, true>)
      .add("And", {7}, logical<detail::And>)
      .add("Or", {7}, logical<detail::Or>)
      .add("Xor", {7}, logical<detail::Xor>)
      .add("Not", logical_not)
      .add("IsNaN", is_nan)
      .add("IsInf", is_inf)
      .add("Where", where);
}

}  // namespace graft::inline v1::standard_kernels
