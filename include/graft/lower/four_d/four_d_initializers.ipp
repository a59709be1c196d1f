#pragma once
#include <graft/lower/four_d/four_d_initializers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/surgery.hpp>

namespace graft::inline v1 {

namespace detail {

/// The elements of a matrix as those of f[C,K,1,1].
inline Tensor transposed_kernel(const Tensor& matrix) {
  return permuted(matrix, {1, 0}).reshaped({matrix.dims()[1], matrix.dims()[0], 1, 1});
}

/// What the node wants instead of this input; nothing if it may stay.
inline std::optional<Tensor> four_d_operand(const Surgery& at, std::size_t input) {
  const Value* const value = at.node.input(input);
  if (value == nullptr || !is_float(value->dtype())) return std::nullopt;
  const std::optional<Tensor> constant = value->constant();
  if (!constant || constant->rank() == 0 || constant->rank() > 3) return std::nullopt;
  if (at.node.is("Conv"))
    return input == 1 && constant->rank() == 2 ? std::optional(transposed_kernel(*constant)) : std::nullopt;
  if (at.node.is("MatMul") && constant->rank() != 3) return std::nullopt;
  Dims dims(4 - constant->rank(), 1);
  dims.insert(dims.end(), constant->dims().begin(), constant->dims().end());
  return constant->reshaped(dims);
}

}  // namespace detail

GRAFT_INLINE Pass four_d_initializers() {
  const auto surgery = [](const detail::Surgery& at) {
    if (at.node.is("Gemm")) return Verdict::no("Gemm takes matrices only");
    bool is_changed = false;
    for (std::size_t i = 0; i < at.node.input_count(); ++i) {
      const std::optional<Tensor> operand = detail::four_d_operand(at, i);
      if (operand) at.give(i, *operand);
      is_changed = is_changed || operand;
    }
    return is_changed ? Verdict::yes() : Verdict::no("no constant of rank 1 to 3 that it computes with is to be 4-D");
  };
  return detail::surgery_of_nodes("four_d_initializers", {"Add", "Sub", "Mul", "Div", "Pow", "MatMul", "Conv", "Gemm"},
                                  surgery);
}

}  // namespace graft::inline v1
