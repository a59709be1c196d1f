#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/wrapping.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// max(ceil((limit - start) / delta), 0). Throws Error if the result is not a number of elements.
template <class T>
std::int64_t range_length(T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    if (start == limit || (start < limit) != (delta > 0)) return 0;
    const auto apart = [](T low, T high) { return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low); };
    const std::uint64_t distance = delta > 0 ? apart(start, limit) : apart(limit, start);
    const std::uint64_t last = (distance - 1) / (delta > 0 ? apart(0, delta) : apart(delta, 0));
    if (last < std::uint64_t{1} << 62) return static_cast<std::int64_t>(last) + 1;
  } else {
    const double length = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                    static_cast<double>(delta));
    if (length < 0x1p62) return static_cast<std::int64_t>(std::max(length, 0.0));
  }
  throw Error("the range is infinite");
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

inline void constant(KernelContext& ctx) {
  if (auto value = ctx.optional_attr<Tensor>("value")) return ctx.set_output(0, *std::move(value));
  if (auto value = ctx.optional_attr<float>("value_float")) return ctx.set_output(0, Tensor::scalar(*value));
  if (auto value = ctx.optional_attr<std::int64_t>("value_int")) return ctx.set_output(0, Tensor::scalar(*value));
  if (auto value = ctx.optional_attr<Floats>("value_floats"))
    return ctx.set_output(0, Tensor::list(*value));
  if (auto value = ctx.optional_attr<Ints>("value_ints"))
    return ctx.set_output(0, Tensor::list(*value));
  throw Error("no attribute holds a dense tensor of numbers");
}

inline void constant_of_shape(KernelContext& ctx) {
  const Tensor value = ctx.optional_attr<Tensor>("value").value_or(Tensor::scalar(0.0F));
  if (value.size() != 1) throw detail::failure({"expected one element, found ", value}).field("value");
  const Dims dims = ctx.input(0).to<std::int64_t>();
  ctx.set_output(0, detail::gather_strided(value, dims, 0, Dims(dims.size(), 0)));
}

inline void range(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType wide = detail::computed_in(dtype);
  Tensor y = detail::visit<float, double, std::int32_t, std::int64_t>(wide, [&]<class T>() {
    const auto start = ctx.input(0).item<T>();
    const auto limit = ctx.input(1).item<T>();
    const auto delta = ctx.input(2).item<T>();
    if (delta == 0) throw Error("a delta of 0");
    Tensor numbers = detail::unfilled(wide, {detail::range_length(start, limit, delta)});
    std::int64_t i = 0;
    for (T& value : numbers.mutable_data<T>())
      value = detail::Add()(start, detail::Mul()(static_cast<T>(i++), delta));
    return numbers;
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

/// The indices of nonzero elements, [rank, count].
inline void non_zero(KernelContext& ctx) {
  const Dims dims = ctx.input(0).dims();
  const Tensor mask = detail::cast(ctx.take_input(0), DType::boolean);
  Ints found;
  for (std::size_t i = 0; i < mask.data<bool>().size(); ++i) {
    if (mask.data<bool>()[i]) found.push_back(detail::to_int(i));
  }
  const Dims strides = detail::contiguous_strides(dims);
  Tensor y(DType::i64, {detail::to_int(dims.size()), detail::to_int(found.size())});
  auto out = y.mutable_data<std::int64_t>().begin();
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    for (const std::int64_t at : found) *out++ = at / strides[axis] % dims[axis];
  }
  ctx.set_output(0, std::move(y));
}

inline void add_constant(Kernels& kernels) {
  kernels.add("Constant", constant)
      .add("ConstantOfShape", constant_of_shape)
      .add("Range", range)
      .add("NonZero", non_zero);
}

}  // namespace graft::inline v1::standard_kernels
