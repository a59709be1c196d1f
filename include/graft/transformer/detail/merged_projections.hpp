#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>

namespace graft::inline v1::detail {

/// Queries, keys and values that are projections of one input by constants without other readers: three products, or
/// one product and a Split.
struct MergedProjections {
  struct Part {
    Value *weight = nullptr, *bias = nullptr;  // [in, hidden]; [hidden] or nullptr
  };
  Value* input = nullptr;    // [batch, steps, in]
  bool steps_first = false;  // input is [steps, batch, in]
  std::vector<Part> parts;   // three, or one for all

  /// [in, q + k + v]
  Value& weight(Rewriter& rewriter) const;
  /// [q + k + v], zeros for absent biases: the runtime's kernel requires a bias, though its schema does not.
  Value& bias(Rewriter& rewriter) const;
};

/// nullopt if they are not such projections.
std::optional<MergedProjections> merged_projections(const ScaledDotProduct& found);

}  // namespace graft::inline v1::detail
