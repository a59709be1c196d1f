#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/builtins.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/integer_math.hpp>

/// Operators that create tensors, and operators that return properties of a tensor.
namespace graft::inline v1::infer {

inline Verdict constant(InferContext& c) {
  if (const auto* const value = c.attribute("value")) {
    c.set(0, static_cast<DType>(value->t().data_type()), Shape(value->t()));
    return Verdict::yes();
  }
  if (const auto* const value = c.attribute("sparse_value")) {
    const onnx::SparseTensorProto& sparse = value->sparse_tensor();
    const auto dtype = static_cast<DType>(sparse.values().data_type());
    c.set(0, dtype, std::vector<Dim>(sparse.dims().begin(), sparse.dims().end()));
    return Verdict::yes();
  }
  const auto list = [&](DType dtype, int size) { c.set(0, dtype, {Dim(size)}); };
  if (c.attribute("value_int") != nullptr) c.set(0, DType::i64, std::vector<Dim>());
  if (c.attribute("value_float") != nullptr) c.set(0, DType::f32, std::vector<Dim>());
  if (c.attribute("value_string") != nullptr) c.set(0, DType::string, std::vector<Dim>());
  if (const auto* const values = c.attribute("value_ints")) list(DType::i64, values->ints_size());
  if (const auto* const values = c.attribute("value_floats")) list(DType::f32, values->floats_size());
  if (const auto* const values = c.attribute("value_strings")) list(DType::string, values->strings_size());
  return Verdict::yes();
}

/// Sets output 0 to a tensor whose shape is given by this input.
inline void shaped_by(InferContext& c, std::size_t input, DType dtype) {
  c.set_dtype(0, dtype);
  const Contents* const shape = c.contents(input);
  if (shape == nullptr) return;
  std::vector<Dim> dims;
  for (const Integer& dim : shape->elements) dims.push_back(dim.dim());
  c.set(0, dtype, std::move(dims));
}

inline Verdict constant_of_shape(InferContext& c) {
  if (const Contents* const extents = c.contents(0)) {
    for (const Integer& extent : extents->elements)
      if (extent.known() && extent.value() < 0) return Verdict::no("an extent is negative");
  }
  const auto* const value = c.attribute("value");
  shaped_by(c, 0, value != nullptr ? static_cast<DType>(value->t().data_type()) : DType::f32);
  return Verdict::yes();
}

inline std::optional<Contents> constant_of_shape_contents(const InferContext& c) {
  const auto value = c.attr<Tensor>("value");
  auto dims = c.ints(0);
  if (!dims || !value || !is_followed(value->dtype()) || value->size() != 1) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t dim : *dims) {
    if (dim < 0 || builtins::multiply_overflows(count, dim, count)) return std::nullopt;
  }
  if (count > contents_limit) return std::nullopt;
  std::vector<Integer> elements(static_cast<std::size_t>(count), value->item<std::int64_t>());
  return Contents{value->dtype(), std::move(*dims), std::move(elements)};
}

/// The axes [start, end) that Shape returns; all axes before version 15.
inline std::pair<std::size_t, std::size_t> shape_range(const InferContext& c, std::size_t rank) {
  const auto clamped = [&](std::int64_t axis) {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    return static_cast<std::size_t>(std::clamp(axis < 0 ? axis + signed_rank : axis, std::int64_t{0}, signed_rank));
  };
  const std::size_t start = clamped(c.attr("start", 0));
  return {start, std::max(start, clamped(c.attr("end", static_cast<std::int64_t>(rank))))};
}

inline Verdict shape(InferContext& c) {
  const Shape x = c.shape(0);
  Dim count;
  if (x.known()) {
    const auto [start, end] = shape_range(c, x.rank());
    count = Dim(static_cast<std::int64_t>(end - start));
  }
  c.set_shape(0, {count});
  return Verdict::yes();
}

inline std::optional<Contents> shape_contents(const InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return std::nullopt;
  const auto [start, end] = shape_range(c, x.rank());
  std::vector<Integer> extents;
  for (std::size_t axis = start; axis < end; ++axis) extents.emplace_back(x[axis]);
  return Contents::list(std::move(extents));
}

/// Size, SequenceLength, OptionalHasElement.
inline Verdict scalar(InferContext& c) {
  c.set_shape(0, std::vector<Dim>());
  return Verdict::yes();
}

inline std::optional<Contents> size_contents(const InferContext& c) {
  const Shape x = c.shape(0);
  return x.known() ? std::optional(Contents::scalar(Integer(product(to_dims(x))))) : std::nullopt;
}

/// Range: max(ceil((limit - start) / delta), 0) elements.
inline Verdict range(InferContext& c) {
  c.set_shape(0, std::vector<Dim>(1));
  if (is_followed(c.dtype(0))) {
    const Contents* const start = c.contents(0);
    const Contents* const limit = c.contents(1);
    const auto delta = c.integer(2);
    if (start == nullptr || limit == nullptr || start->elements.size() != 1 || limit->elements.size() != 1 || !delta) {
      return Verdict::yes();
    }
    if (*delta == 0) return Verdict::no("delta is 0");
    const Integer distance = c.difference(limit->elements[0], start->elements[0]);
    if (!distance.known()) {
      c.set_shape(0, {*delta == 1 ? distance.dim() : Dim()});
      return Verdict::yes();
    }
    const bool any = distance.value() != 0 && (distance.value() > 0) == (*delta > 0);
    c.set_shape(0, {any ? Dim(distance.value() / *delta + (distance.value() % *delta != 0)) : Dim(0)});
    return Verdict::yes();
  }
  const auto number = [&](std::size_t i) -> std::optional<double> {
    const auto tensor = c.constant(i);
    return tensor && tensor->size() == 1 ? std::optional(tensor->item<double>()) : std::nullopt;
  };
  const auto start = number(0), limit = number(1), delta = number(2);
  if (!start || !limit || !delta || *delta == 0) return Verdict::yes();
  const double count = std::max(std::ceil((*limit - *start) / *delta), 0.0);
  if (count < 1e15) c.set_shape(0, {Dim(static_cast<std::int64_t>(count))});
  return Verdict::yes();
}

inline std::optional<Contents> range_contents(const InferContext& c) {
  const Contents* const first = c.contents(0);
  const auto start = c.integer(0), limit = c.integer(1), delta = c.integer(2);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  std::vector<Integer> elements;
  for (std::int64_t i = *start; *delta > 0 ? i < *limit : i > *limit;) {
    elements.emplace_back(i);
    if (elements.size() > contents_limit || builtins::add_overflows(i, *delta, i)) return std::nullopt;
  }
  return Contents::list(std::move(elements), first->dtype);
}

/// RandomNormal, RandomUniform: attributes shape and dtype.
inline Verdict random(InferContext& c) {
  const auto dtype = c.attr<DType>("dtype").value_or(DType::f32);
  const auto shape = c.attr<Ints>("shape");
  if (!shape) return Verdict::no("shape is missing");
  c.set(0, dtype, std::vector<Dim>(shape->begin(), shape->end()));
  return Verdict::yes();
}

/// Multinomial: [batch, classes] into [batch, sample_size].
inline Verdict multinomial(InferContext& c) {
  const Shape x = c.shape(0);
  const auto dtype = c.attr<DType>("dtype").value_or(DType::i32);
  c.set(0, dtype, {x.known() && x.rank() == 2 ? x[0] : Dim(), Dim(c.attr("sample_size", 1))});
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
