#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/deferral.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// The activation that reads a tensor by this use, in the same scope; nullptr if it does not.
inline Node* activation_at(const Use& use, const Target& target) {
  Node* const user = use.user();
  if (user == nullptr || use.index() != 0 || &user->graph() != &use.value()->graph()) return nullptr;
  return activation(*user) != nullptr || fused_activation(*user, target) != nullptr ? user : nullptr;
}

/// A pair of quantizers behind a tensor.
struct Pair {
  Value* value;
  QParams q;
  bool made_by_kernel;  ///< then Q is its only user
};

/// The q-params of pairs that are there or will be, and what follows from them.
class PairQParams {
 public:
  PairQParams(const Ranges& ranges, const Target& target) : ranges_(ranges), target_(target) {}

  /// Those of the pair that is there already, else those of the range.
  QParams of(const Value& value) const {
    if (const Value* const present = dequantized(value)) return *qparams_of(*present->producer());
    try {
      return activation_qparams(value, ranges_.at(value.name()), target_);
    } catch (Error& error) {
      throw error.field(value.name());
    }
  }

  /// The QuantizeLinear that will stand behind a value.
  RowEnd end(const Value& value) const {
    const Value* const present = dequantized(value);
    return present != nullptr ? RowEnd(*paired_quantize(*present->producer())) : RowEnd(of(value));
  }

  /// The activations behind a kernel's output, one reading the other and nobody else, that vanish into the kernel: each
  /// would also if the QuantizeLinear stood right behind it.
  std::vector<const Node*> deferred_row(const Value& y) const {
    std::vector<const Node*> row;
    for (const Value* value = &y; value->use_count() == 1; value = row.back()->output(0)) {
      const Node* const user = activation_at(value->uses().front(), target_);
      if (user == nullptr || fused_activation(*user, target_) == nullptr) break;
      const Value& result = *user->output(0);
      if (!row.empty() && dequantized(result) == nullptr && ranges_.find(result.name()) == nullptr) break;
      row.push_back(user);
      if (!deferrable(row, end(result), target_)) {
        row.pop_back();
        break;
      }
    }
    return row;
  }

  const Ranges& ranges_;
  const Target& target_;
};

}  // namespace graft::inline v1::detail
