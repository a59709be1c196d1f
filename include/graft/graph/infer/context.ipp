#pragma once
#include <graft/graph/infer/context.hpp>

#include <limits>

#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/known_contents.hpp>

namespace graft::inline v1 {

GRAFT_INLINE InferContext::InferContext(Node& node, KnownContents& known, Inference& inference)
    : node_(node), known_(known), inference_(&inference), inferred_(node.output_count()) {
  if (schema_ == nullptr) return;
  for (std::size_t i = 0; i < inferred_.size(); ++i) inferred_[i].dtype = infer::dtype_by_schema(node, *schema_, i);
}

GRAFT_INLINE InferContext::InferContext(Node& node, KnownContents& known, std::size_t output)
    : node_(node), known_(known), output_(output) {}

GRAFT_INLINE int InferContext::opset() const {
  const int version = node_.opset();
  return version == 0 ? std::numeric_limits<int>::max() : version;
}

GRAFT_INLINE std::optional<Ints> InferContext::ints(std::size_t i) const {
  const Contents* const known = contents(i);
  return known ? known->ints() : std::nullopt;
}

GRAFT_INLINE std::optional<std::int64_t> InferContext::integer(std::size_t i) const {
  const auto values = ints(i);
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

GRAFT_INLINE Integer InferContext::sum(const Integer& a, const Integer& b) const { return known_.sum(a, b); }
GRAFT_INLINE Integer InferContext::difference(const Integer& a, const Integer& b) const {
  return known_.difference(a, b);
}

GRAFT_INLINE InferContext::Parameter InferContext::parameter(std::string_view attribute, std::size_t input) const {
  if (has(input)) {
    const Contents* const known = contents(input);
    if (known == nullptr) return {true, {}, {}};
    return {true, known->ints(), known->elements.size()};
  }
  auto values = attr<Ints>(attribute);
  if (!values) return {};
  const std::size_t count = values->size();
  return {true, std::move(values), count};
}

GRAFT_INLINE void InferContext::set(std::size_t output, DType dtype, const Shape& shape) {
  set_dtype(output, dtype);
  set_shape(output, shape);
}

GRAFT_INLINE void InferContext::set_type(std::size_t output, const onnx::TypeProto& type) {
  if (output >= inferred_.size()) return;
  if (type.has_tensor_type()) return set(output, elem_type(type), Shape(type));
  inferred_[output].other = std::make_unique<onnx::TypeProto>(type);
}

GRAFT_INLINE void InferContext::set_like(std::size_t output, std::size_t input) {
  const onnx::TypeProto* const known = type(input);
  if (known != nullptr && !known->has_tensor_type()) {
    set_type(output, *known);
  } else {
    set(output, dtype(input), shape(input));
  }
}

}  // namespace graft::inline v1
