#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/control_flow.hpp>
#include <graft/graph/infer/dim.hpp>

/// Operators on sequences and optionals.
namespace graft::inline v1::infer {

inline onnx::TypeProto sequence_of(const onnx::TypeProto& element) {
  onnx::TypeProto type;
  *type.mutable_sequence_type()->mutable_elem_type() = element;
  return type;
}

/// The element type of a sequence input; nullptr if it is unknown or no sequence.
inline const onnx::TypeProto* element_type(const InferContext& c, std::size_t i) {
  const onnx::TypeProto* const type = c.type(i);
  return type != nullptr && type->has_sequence_type() ? &type->sequence_type().elem_type() : nullptr;
}

/// SequenceConstruct. The elements may differ in shape.
inline Verdict sequence_construct(InferContext& c) {
  if (c.input_count() == 0) return Verdict::no("there are no elements");
  Shape shape = c.shape(0);
  for (std::size_t i = 1; i < c.input_count(); ++i) shape = common(shape, c.shape(i));
  c.set_type(0, sequence_of(tensor_type(c.dtype(0), shape)));
  return Verdict::yes();
}

inline Verdict sequence_empty(InferContext& c) {
  c.set_type(0, sequence_of(tensor_type(c.attr<DType>("dtype").value_or(DType::f32))));
  return Verdict::yes();
}

inline Verdict sequence_at(InferContext& c) {
  if (const onnx::TypeProto* const element = element_type(c, 0)) c.set_type(0, *element);
  return Verdict::yes();
}

inline Verdict sequence_insert(InferContext& c) {
  const onnx::TypeProto* const element = element_type(c, 0);
  if (element == nullptr) return Verdict::yes();
  c.set_type(0, sequence_of(tensor_type(elem_type(*element), common(Shape(*element), c.shape(1)))));
  return Verdict::yes();
}

/// The common extent of all parts; unknown if they differ. A scalar `split` is the extent of all parts but perhaps the
/// last.
inline Dim part_extent(const Contents& split, const Dim& whole) {
  const auto sizes = split.ints();
  if (!sizes || sizes->empty()) return {};
  const std::int64_t size = sizes->front();
  if (split.dims.empty()) return whole.known() && size > 0 && whole.value() % size == 0 ? Dim(size) : Dim();
  return std::count(sizes->begin(), sizes->end(), size) == std::ssize(*sizes) ? Dim(size) : Dim();
}

/// SplitToSequence. Without `split` the parts have extent 1, and keepdims = 0 removes the axis.
inline Verdict split_to_sequence(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) {
    c.set_type(0, sequence_of(tensor_type(c.dtype(0))));
    return Verdict::yes();
  }
  const auto axis = normalized(c.attr("axis", 0), x.rank());
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<Dim> dims = to_dims(x);
  if (!c.has(1)) {
    dims[*axis] = Dim(1);
    if (c.attr("keepdims", 1) == 0) dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  } else {
    const Contents* const split = c.contents(1);
    dims[*axis] = split != nullptr ? part_extent(*split, x[*axis]) : Dim();
  }
  c.set_type(0, sequence_of(tensor_type(c.dtype(0), Shape(std::move(dims)))));
  return Verdict::yes();
}

/// ConcatFromSequence. Joins along an axis of the elements, or along a new axis.
inline Verdict concat_from_sequence(InferContext& c) {
  const onnx::TypeProto* const element = element_type(c, 0);
  if (element == nullptr) return Verdict::yes();
  c.set_dtype(0, elem_type(*element));
  const Shape x(*element);
  if (!x.known()) return Verdict::yes();
  const bool fresh = c.attr("new_axis", 0) != 0;
  const auto axis = normalized(c.attr("axis", 0), x.rank() + (fresh ? 1 : 0));
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<Dim> dims = to_dims(x);
  if (fresh) {
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), Dim());
  } else {
    dims[*axis] = Dim();
  }
  c.set_shape(0, std::move(dims));
  return Verdict::yes();
}

inline Verdict optional(InferContext& c) {
  onnx::TypeProto type;
  if (c.has(0)) {
    const onnx::TypeProto* const element = c.type(0);
    *type.mutable_optional_type()->mutable_elem_type() = element ? *element : tensor_type(c.dtype(0), c.shape(0));
  } else if (const auto* const attribute = c.attribute("type")) {
    *type.mutable_optional_type()->mutable_elem_type() = attribute->tp();
  } else {
    return Verdict::yes();
  }
  c.set_type(0, type);
  return Verdict::yes();
}

/// OptionalGetElement. From version 18 the input need not be an optional.
inline Verdict optional_get_element(InferContext& c) {
  const onnx::TypeProto* const type = c.type(0);
  if (type != nullptr && type->has_optional_type()) {
    c.set_type(0, type->optional_type().elem_type());
  } else {
    c.set_like(0, 0);
  }
  return Verdict::yes();
}

/// SequenceMap. The body reads one element of each sequence, and other inputs unchanged. Its outputs form sequences.
inline Verdict sequence_map(InferContext& c) {
  Graph* const body = c.node().body("body");
  if (body == nullptr) return Verdict::no("the body is missing");
  if (body->inputs().size() != c.input_count() || body->output_count() < c.output_count()) {
    return Verdict::no("the body has fewer inputs or outputs than the node");
  }
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const onnx::TypeProto* const element = element_type(c, i);
    Value& inner = *body->inputs()[i];
    const Verdict verdict = element ? c.refine(inner, *element) : c.refine(inner, c.dtype(i), c.shape(i));
    if (!verdict) return verdict;
  }
  c.infer_body(*body);
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    const Value* const inner = body->output(i);
    if (inner != nullptr) c.set_type(i, sequence_of(tensor_type(inner->dtype(), inner->shape())));
  }
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
