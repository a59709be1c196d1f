#pragma once
#include <graft/quantize/detail/pair_qparams.hpp>

#include <cmath>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/quantize/kernel/bounds.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>

namespace graft::inline v1::detail {

/// The reader of this use, if it reads a tensor of floats as its first input, in the same scope, and has a result; else
/// nullptr.
inline Node* first_user_at(const Use& use) {
  Node* const user = use.user();
  const bool is_one =
      user != nullptr && use.index() == 0 && has_result(*user) && !is_integer(use.value()->dtype());
  return is_one && &user->graph() == &use.value()->graph() ? user : nullptr;
}

GRAFT_INLINE Node* activation_at(const Use& use, const Target& target) {
  Node* const user = first_user_at(use);
  if (user == nullptr) return nullptr;
  const FusedActivation* const entry = fused_activation(*user, target);
  const bool is_fused = entry != nullptr && entry->input == FusedInput::only;
  return is_fused || activation(*user) != nullptr ? user : nullptr;
}

/// The activation that the target fuses; nullptr if it fuses none of these. Of a sum the kernel's result is the first
/// operand, unless the target asks by which branch it comes.
inline Node* fused_at(const Use& use, const Target& target) {
  Node* const user = target.has(Quirk::pairs_on_one_branch) ? use.user() : first_user_at(use);
  if (user == nullptr || !has_result(*user) || &user->graph() != &use.value()->graph()) return nullptr;
  return fuses_reader(*user, *use.value(), target) ? user : nullptr;
}

GRAFT_INLINE QParams PairQParams::of(const Value& value) const {
  const Value* const present = dequantized(value);
  return present != nullptr ? *qparams_of(*present->producer()) : of(value, range_of(value));
}

GRAFT_INLINE QParams PairQParams::of_result(const Value& value) const {
  const float most = unsaturated_up_to(value);
  if (most == 0 || dequantized(value) != nullptr) return of(value);
  Range range = range_of(value);
  range.merge({0, most});
  return of(value, range);
}

GRAFT_INLINE RowEnd PairQParams::end(const Value& value) const {
  const Value* const present = dequantized(value);
  return present != nullptr ? RowEnd(*paired_quantize(*present->producer())) : RowEnd(of(value));
}

GRAFT_INLINE std::vector<const Node*> PairQParams::deferred_row(const Value& y) const {
  std::vector<const Node*> row;
  for (const Value* value = &y; value->use_count() == 1 || value->use_count() == 2; value = row.back()->output(0)) {
    const std::optional<GatedProduct> gated = gated_product(*value, target_);
    if (!gated && value->use_count() != 1) break;
    const Node* const user = gated ? gated->product : fused_at(value->uses().front(), target_);
    if (user == nullptr) break;
    const Value& result = *user->output(0);
    const bool is_known = !gated && row.empty() && activation_at(value->uses().front(), target_) != nullptr;
    if (!is_known && dequantized(result) == nullptr && ranges_.find(result.name()) == nullptr) break;
    const std::size_t before = row.size();
    if (gated) row.push_back(gated->gate);
    row.push_back(user);
    if (!deferrable(row, end(result), target_)) {
      row.resize(before);
      break;
    }
  }
  return row;
}

GRAFT_INLINE Range PairQParams::range_of(const Value& value) const {
  for (const Value* source = &value; source != nullptr; source = source->producer()->input(0)) {
    if (const Range* const range = ranges_.find(source->name())) return *range;
    if (source->producer() == nullptr) break;
    const std::optional<Range> limits = bounds(*source->producer());
    if (limits && std::isfinite(limits->min) && std::isfinite(limits->max)) return *limits;
    if (!moves_values(*source->producer()) && !source->producer()->is("GlobalAveragePool")) break;
  }
  for (const Value* moved = &value; moved->use_count() == 1;) {
    const Node* const user = first_user_at(moved->uses().front());
    if (user == nullptr || !moves_values(*user)) break;
    moved = user->output(0);
    if (const Range* const range = ranges_.find(moved->name())) return *range;
  }
  return ranges_.at(value.name());
}

GRAFT_INLINE float PairQParams::unsaturated_up_to(const Value& value) const {
  const IntegerKernel* const kernel =
      value.producer() != nullptr ? integer_kernel(*value.producer(), target_) : nullptr;
  return kernel != nullptr ? kernel->unsaturated_up_to : 0;
}

GRAFT_INLINE QParams PairQParams::of(const Value& value, const Range& range) const {
  const bool is_whole = target_.has(Quirk::whole_probabilities) && dtypes_.of(value, target_) == DType::f8e4m3fn &&
                        value.producer() != nullptr && value.producer()->is("Softmax");
  try {
    return activation_qparams(value, is_whole ? Range{0, 1} : range, dtypes_.target_of(value, target_));
  } catch (Error& error) {
    throw error.field(value.name());
  }
}

GRAFT_INLINE bool PairQParams::moves_values(const Node& node) const {
  const IntegerKernel* const kernel = integer_kernel(node, target_);
  return kernel != nullptr && kernel->form == KernelForm::passthrough;
}

}  // namespace graft::inline v1::detail
