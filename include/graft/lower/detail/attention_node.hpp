#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

// Attributes and inputs of attention operators.

namespace graft::inline v1::detail {

inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// The score that kernels give to hidden keys: the lowest number of the dtype.
inline double lowest_of(DType dtype) {
  if (dtype == DType::f16) return -65504;
  if (dtype == DType::bf16) return -0x1.fep127;
  return dtype == DType::f64 ? std::numeric_limits<double>::lowest()
                             : static_cast<double>(std::numeric_limits<float>::lowest());
}

inline std::int64_t integer_of(const Node& node, const char* attribute, std::int64_t absent = 0) {
  return node.attr<std::int64_t>(attribute).value_or(absent);
}

inline Dim dim_of(const Value& x, std::size_t axis) { return axis < x.shape().rank() ? x.shape()[axis] : Dim(); }

/// `scale`, or 1 / sqrt(size) if it is absent. For com.microsoft's operators 0 means absent.
inline std::optional<double> scale_of(const Node& node, const Dim& size) {
  const auto given = node.attr<float>("scale");
  if (given && (*given != 0 || node.domain().empty())) return static_cast<double>(*given);
  if (!size.known() || size.value() == 0) return std::nullopt;
  return 1 / std::sqrt(static_cast<double>(size.value()));
}

/// The size of each head in a row of heads.
inline Dim size_of(const Dim& width, std::int64_t heads) {
  return width.known() && heads > 0 && width.value() % heads == 0 ? Dim(width.value() / heads) : Dim();
}

inline Verdict is_computable(const Node& node, std::size_t outputs) {
  if (node.graph().opset() < 13) return Verdict::no("it needs opset 13");
  if (node.input(0) == nullptr || !is_float(node.input(0)->dtype())) return Verdict::no("its dtype is not known");
  for (std::size_t i = outputs; i < node.output_count(); ++i)
    if (node.output(i)->is_used()) return Verdict::no("its scores are used");
  return Verdict::yes();
}

/// Whether it is a mask of integers that marks each visible key, or gives the end of each batch's keys. Masks that give
/// starts, too, are not supported.
inline Verdict is_key_mask(const Value* mask, const Dim& batch) {
  if (mask == nullptr) return Verdict::yes();
  const std::size_t rank = mask->shape().rank();
  if (mask->dtype() == DType::undefined) return Verdict::no("the dtype of its mask is not known");
  if (rank == 1 && !same_size(mask->shape()[0], batch)) return Verdict::no("its mask may give starts as well as ends");
  return rank >= 1 && rank <= 3 ? Verdict::yes() : Verdict::no("its mask is not known to be of rank 1 to 3");
}

inline Verdict replace_attention(Rewriter& rewriter, Node& node, Value& result, Value* key, Value* value) {
  std::vector<Value*> successors{&result, key, value};
  successors.resize(node.output_count());
  return rewriter.replace(node, successors);
}

}  // namespace graft::inline v1::detail
