#pragma once
#include <graft/quantize/kernel/carried_pairs.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>

namespace graft::inline v1 {

namespace detail {

/// The node in the scope of a value to which its quantizers pass; nullptr for other readers.
inline const Node* passed_by(const Use& use, const Target& target) {
  const Node* const reader = use.user();
  const bool passes = reader != nullptr && &reader->graph() == &use.value()->graph() &&
                      lets_quantizers_pass(*reader, target) && passing_tensor(*reader) == use.value();
  return passes ? reader : nullptr;
}

/// The uses of a value, past nodes that the runtime removes.
inline std::vector<const Use*> final_uses(const Value& value, const Target& target) {
  std::vector<const Use*> uses;
  std::vector<const Value*> left{&value};
  while (!left.empty()) {
    const Value& read = *left.back();
    left.pop_back();
    for (const Use& use : read.uses()) {
      const Node* const reader = passed_by(use, target);
      const bool vanishes = reader != nullptr && (reader->is("Identity") || reader->is("Dropout") ||
                                                  idle_operand(*reader) != nullptr);
      if (vanishes) left.push_back(reader->output(0));
      else uses.push_back(&use);
    }
  }
  return uses;
}

/// How the runtime fails where it carries the pair of a DequantizeLinear to a result with these uses.
inline std::optional<Fault> fault_of_carrying(const Node& dequantize, const Value& moved,
                                              const std::vector<const Use*>& uses, const Target& target) {
  const auto is_in_body = [&](const Use* use) { return &use->graph() != &moved.graph(); };
  if (target.has(Fault::carried_into_body) && std::ranges::any_of(uses, is_in_body)) return Fault::carried_into_body;
  const bool keeps_dtype = target.has(Fault::carried_int8) && target.has(Quirk::converts_int8_to_uint8) &&
                           dequantize.domain().empty() && dequantize.opset() >= 21 && dequantize.input(2) != nullptr &&
                           quantized_dtype(dequantize) == DType::i8;
  return keeps_dtype && uses.size() == 1 ? std::optional(Fault::carried_int8) : std::nullopt;
}

}  // namespace detail

GRAFT_INLINE std::vector<CarriedPair> pairs_carried_wrongly(const Node& node, const Target& target) {
  std::vector<CarriedPair> carried;
  if (target.quantizers_pass.empty() || !is_dequantize(node) || node.input(0) == nullptr) return carried;
  if (node.input(0)->is_constant() || !qparams_of(node)) return carried;
  const auto quantizes = [](const Use* use) { return use->user() != nullptr && is_quantize(*use->user()); };
  std::vector<const Use*> left = detail::final_uses(*node.output(0), target);
  while (!left.empty()) {
    const Node* const mover = detail::passed_by(*left.back(), target);
    left.pop_back();
    if (mover == nullptr) continue;
    const std::vector<const Use*> uses = detail::final_uses(*mover->output(0), target);
    if (std::ranges::any_of(uses, quantizes)) continue;
    if (const auto fault = detail::fault_of_carrying(node, *mover->output(0), uses, target)) {
      carried.push_back({mover->output(0), *fault});
    } else if (uses.size() == 1) {  // the runtime stops in front of several
      left.push_back(uses.front());
    }
  }
  return carried;
}

}  // namespace graft::inline v1
