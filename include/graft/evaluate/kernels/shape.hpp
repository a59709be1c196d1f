#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// An attribute of older versions that became input i; nullopt if both are absent.
inline std::optional<Ints> ints_parameter(const KernelContext& ctx, std::string_view name, std::size_t i) {
  if (ctx.has_input(i)) return ctx.input(i).to<std::int64_t>();
  return ctx.optional_attr<Ints>(name);
}

}  // namespace graft::inline v1::standard_kernels::detail

/// Operators that only read or change dims. The outputs share their input's storage.
namespace graft::inline v1::standard_kernels {

inline void identity(KernelContext& ctx) { ctx.set_output(0, ctx.take_input(0)); }

inline void reshape(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  Dims dims = ctx.input(1).to<std::int64_t>();
  const bool zero_is_zero = ctx.attr_or<std::int64_t>("allowzero", 0) != 0;
  std::int64_t* inferred = nullptr;
  Dims others;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !zero_is_zero) {
      if (i >= x.rank()) throw detail::failure({"dim ", i, " of ", dims, " copies none of ", x.dims()});
      dims[i] = x.dims()[i];
    }
    if (dims[i] == -1) {
      if (inferred != nullptr) throw detail::failure({"two dims of ", dims, " are to be inferred"});
      inferred = &dims[i];
    } else {
      others.push_back(dims[i]);
    }
  }
  if (inferred != nullptr) {
    const std::int64_t known = element_count(others);
    if (known == 0 || x.size() % known != 0) throw detail::failure({x, " cannot take the dims ", dims});
    *inferred = x.size() / known;
  }
  ctx.set_output(0, ctx.take_input(0).reshaped(std::move(dims)));
}

inline void flatten(KernelContext& ctx) {
  const Dims& dims = ctx.input(0).dims();
  const std::size_t axis = detail::parting_axis(ctx.attr<std::int64_t>("axis"), dims.size());
  Dims flat{detail::extent(dims, 0, axis), detail::extent(dims, axis, dims.size())};
  ctx.set_output(0, ctx.take_input(0).reshaped(std::move(flat)));
}

inline void squeeze(KernelContext& ctx) {
  const Dims& dims = ctx.input(0).dims();
  const std::optional<Ints> axes = detail::ints_parameter(ctx, "axes", 1);
  std::vector<bool> drop(dims.size(), false);
  for (std::size_t i = 0; i < dims.size(); ++i) drop[i] = !axes && dims[i] == 1;
  for (const std::int64_t axis : axes.value_or(Ints{})) {
    const std::size_t i = detail::normalized_axis(axis, dims.size());
    if (dims[i] != 1) throw detail::failure({"axis ", axis, " of ", dims, " is not 1"});
    drop[i] = true;
  }
  Dims kept;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!drop[i]) kept.push_back(dims[i]);
  }
  ctx.set_output(0, ctx.take_input(0).reshaped(std::move(kept)));
}

inline void unsqueeze(KernelContext& ctx) {
  const Dims& dims = ctx.input(0).dims();
  const std::optional<Ints> axes = detail::ints_parameter(ctx, "axes", 1);
  if (!axes) throw Error("the axes are missing");
  const std::size_t rank = dims.size() + axes->size();
  std::vector<bool> added(rank, false);
  for (const std::int64_t axis : *axes) {
    const std::size_t i = detail::normalized_axis(axis, rank);
    if (added[i]) throw detail::failure({"axis ", axis, " is added twice"});
    added[i] = true;
  }
  Dims all;
  auto next = dims.begin();
  for (std::size_t i = 0; i < rank; ++i) all.push_back(added[i] ? 1 : *next++);
  ctx.set_output(0, ctx.take_input(0).reshaped(std::move(all)));
}

inline void shape(KernelContext& ctx) {
  const Dims& dims = ctx.input(0).dims();
  const auto rank = detail::to_int(dims.size());
  const auto clamped = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = clamped(ctx.attr_or<std::int64_t>("start", 0));
  const std::int64_t end = std::max(start, clamped(ctx.attr_or<std::int64_t>("end", rank)));
  ctx.set_output(
      0, Tensor::of({end - start}, std::span(dims).subspan(detail::to_size(start), detail::to_size(end - start))));
}

inline void size(KernelContext& ctx) { ctx.set_output(0, Tensor::scalar(ctx.input(0).size())); }

/// In inference, the input passes through. Since opset 12 the mask keeps everything; before, the standard does not
/// define it, and it is false as in ONNX Runtime. Training draws random numbers, which could not be compared.
inline void dropout(KernelContext& ctx) {
  if (ctx.has_input(2) && ctx.input(2).item<bool>() && !(ctx.has_input(1) && ctx.input(1).item<double>() == 0)) {
    throw Error("training is not supported").field("training_mode");
  }
  const Tensor& x = ctx.input(0);
  if (ctx.has_output(1)) {
    const DType dtype = ctx.opset() < 10 ? x.dtype() : DType::boolean;
    const std::uint8_t kept = ctx.opset() < 12 ? 0 : 1;
    ctx.set_output(1, Tensor::of(dtype, x.dims(), std::vector<std::uint8_t>(detail::to_size(x.size()), kept)));
  }
  ctx.set_output(0, ctx.take_input(0));
}

inline void add_shape(Kernels& kernels) {
  kernels.add("Identity", identity)
      .add("Reshape", {5}, reshape)
      .add("Flatten", flatten)
      .add("Squeeze", squeeze)
      .add("Unsqueeze", unsqueeze)
      .add("Shape", shape)
      .add("Size", size)
      .add("Dropout", {7}, dropout);
}

}  // namespace graft::inline v1::standard_kernels
