#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::detail {

/// The nodes behind an integer kernel: consecutive activations, and the end of the chain.
struct OutputChain {
  enum class End : std::uint8_t { quantize, graph_output, several_users, other_operator };
  /// A node, and those behind it. Chains share what lies behind both.
  struct Link {
    const Node* node;
    const Value* branch;  ///< of an activation of two: the tensor that it reads beside what comes from the kernel
    const Link* next;
  };

  std::vector<const Node*> activations{};
  std::vector<const Value*> branches{};  ///< those of the activations
  const Link* nodes = nullptr;           ///< all between the kernel and the end: the activations, and what moves values
  End end = End::other_operator;
  const Value* result = nullptr;  ///< the kernel's output
  const Value* last = nullptr;    ///< the last value of the chain
  const Node* user = nullptr;     ///< the reader of the last value, if it has exactly one
};

/// The only reader of the value; nullptr if it has several. Equal QuantizeLinear count as one reader if the runtime
/// merges them.
inline const Node* sole_user(const Value& value, const Target& target) {
  const Node* user = nullptr;
  for (const Use& use : value.uses()) {
    if (is_folded(use, target)) continue;
    const bool is_same = user == nullptr || user == use.user();
    if (!is_same && (target.has(Quirk::does_not_simplify) || !same_quantizer(*user, *use.user()))) return nullptr;
    user = use.user();
  }
  return user;
}

/// Whether the runtime fuses the node that reads a kernel's result as an activation. Of two inputs the result is the
/// first, or the second if no other kernel that has this node as its only reader can produce the first.
inline bool fuses_reader(const Node& node, const Value& value, const Target& target) {
  const FusedActivation* const entry = fused_activation(node, target);
  if (entry == nullptr) return false;
  if (entry->input == FusedInput::gated) {
    const Value* const gate = other_operand(node, value);
    return gate != nullptr && gate->is_constant();
  }
  if (node.input(0) == &value) return true;
  const Node* const other = node.input(0) != nullptr ? node.input(0)->producer() : nullptr;
  if (entry->input != FusedInput::either) return false;
  return other == nullptr || node.input(0)->use_count() != 1 ||
         (integer_kernel(*other, target) == nullptr && fused_activation(*other, target) == nullptr);
}

/// A product of a value and of an activation of it, the gate: x * Sigmoid(x).
struct GatedProduct {
  const Node *gate, *product;
};

/// The one that the readers of the value are; nullopt where the runtime fuses none.
inline std::optional<GatedProduct> gated_product(const Value& value, const Target& target) {
  if (value.use_count() != 2 || value.is_graph_output()) return std::nullopt;
  for (const Use& use : value.uses()) {
    const Node* const gate = use.user();
    const FusedActivation* const entry = gate != nullptr ? fused_activation(*gate, target) : nullptr;
    if (entry == nullptr || entry->input != FusedInput::only || &gate->graph() != &value.graph()) continue;
    const Value& factor = *gate->output(0);
    if (factor.is_graph_output() || !factor.has_one_use()) continue;
    const Node* const product = factor.uses().front().user();
    const FusedActivation* const of_product = fused_activation(*product, target);
    if (of_product == nullptr || of_product->input != FusedInput::gated) continue;
    if (other_operand(*product, factor) == &value) return GatedProduct{gate, product};
  }
  return std::nullopt;
}

/// The tensor that a fused node of two reads beside the one that comes from the kernel; nullptr if there is none, or it
/// is constant.
inline Value* other_branch(const Node& fused, const Value& from_kernel, const Target& target) {
  const FusedActivation* const entry = fused_activation(fused, target);
  if (entry == nullptr || entry->input == FusedInput::only || entry->input == FusedInput::gated) return nullptr;
  Value* const other = other_operand(fused, from_kernel);
  return other != nullptr && other != &from_kernel && !other->is_constant() ? other : nullptr;
}

/// The chains behind results of kernels. Each value is visited once over all calls, as long as the graph does not
/// change. Chains refer to this.
class OutputChains {
 public:
  explicit OutputChains(const Target& target) : target_(target) {}

  OutputChain behind(const Value& result, bool fuses_activations = true) {
    auto& known = known_[fuses_activations];
    std::vector<std::pair<const Value*, Step>> row;
    for (const Value* value = &result; value != nullptr && !known.contains(value); value = row.back().second.next)
      row.emplace_back(value, step_behind(*value, fuses_activations));
    for (; !row.empty(); row.pop_back()) {
      const auto& [value, step] = row.back();
      known.emplace(value, step.next != nullptr ? joined(step, known.at(step.next)) : Rest{step.end, value, step.user});
    }
    const Rest& rest = known.at(&result);
    OutputChain chain{
        .nodes = rest.nodes, .end = rest.end, .result = &result, .last = rest.last, .user = rest.user};
    for (const OutputChain::Link* link = rest.activations; link != nullptr; link = link->next) {
      chain.activations.push_back(link->node);
      if (link->branch != nullptr) chain.branches.push_back(link->branch);
    }
    return chain;
  }

  /// Behind the result of a kernel, past one operator that may move it.
  OutputChain behind(const Value& result, const IntegerKernel& kernel) {
    OutputChain chain = behind(result, kernel.fuses_activations());
    const auto& movements = kernel.moved_by;
    if (chain.end != OutputChain::End::other_operator || chain.user == nullptr || chain.last != &result ||
        !chain.user->domain().empty() || &chain.user->graph() != &result.graph() || chain.user->output_count() != 1 ||
        std::find(movements.begin(), movements.end(), chain.user->op_type()) == movements.end())
      return chain;
    OutputChain moved = behind(*chain.user->output(0), false);
    moved.nodes = link(*chain.user, nullptr, moved.nodes);
    return moved;
  }

 private:
  using End = OutputChain::End;
  /// The reader of a value, and the next value of the chain.
  struct Step {
    End end = End::other_operator;
    const Node* user = nullptr;
    const Value* next = nullptr;  // the next value of the chain; nullptr at its end
    bool is_activation = false;
    const Node* gate = nullptr;  // another activation, in front of the user
    const Value* branch = nullptr;
  };
  /// The chain behind a value.
  struct Rest {
    End end;
    const Value* last;
    const Node* user;
    const OutputChain::Link *nodes = nullptr, *activations = nullptr;
  };

  Step step_behind(const Value& value, bool fuses_activations) const {
    if (value.is_graph_output()) return {.end = End::graph_output};
    const Node* const user = sole_user(value, target_);
    if (user == nullptr) {
      const auto gated = fuses_activations ? gated_product(value, target_) : std::nullopt;
      if (!gated) return {.end = value.use_count() == 0 ? End::other_operator : End::several_users};
      return {.user = gated->product,
              .next = gated->product->output(0),
              .is_activation = true,
              .gate = gated->gate};
    }
    if (&user->graph() != &value.graph()) return {.user = user};
    if (is_quantize(*user)) return {.end = End::quantize, .user = user};
    if (fuses_activations && fuses_reader(*user, value, target_))
      return {.user = user,
              .next = user->output(0),
              .is_activation = true,
              .branch = other_branch(*user, value, target_)};
    return {.user = user, .next = lets_quantizers_pass(*user, target_) ? user->output(0) : nullptr};
  }

  Rest joined(const Step& step, Rest rest) {
    rest.nodes = link(*step.user, nullptr, rest.nodes);
    if (step.is_activation) rest.activations = link(*step.user, step.branch, rest.activations);
    if (step.gate != nullptr) {
      rest.nodes = link(*step.gate, nullptr, rest.nodes);
      rest.activations = link(*step.gate, nullptr, rest.activations);
    }
    return rest;
  }
  const OutputChain::Link* link(const Node& node, const Value* branch, const OutputChain::Link* next) {
    return &links_.emplace_back(OutputChain::Link{&node, branch, next});
  }

  const Target& target_;
  std::array<std::unordered_map<const Value*, Rest>, 2> known_{};  // without fused activations, and with them
  std::deque<OutputChain::Link> links_{};
};

/// The sources of operands, and the chains behind results, for the nodes of one graph.
struct Surroundings {
  explicit Surroundings(const Target& target) : sources(target), chains(target) {}

  OperandSources sources;
  OutputChains chains;
};

/// Whether the range of Q exceeds the bounds by less than half a step: rounded to steps, the bounds are as wide as the
/// dtype.
inline bool is_half_step_beyond(const Node& node, const Range& limits, const Node& quantize) {
  const std::optional<Tensor> scale = constant_input(quantize, 1);
  const std::optional<QParams> q = qparams_of(quantize);
  if (!q || scale->rank() != 0) return false;
  const auto step = [&](float bound) { return std::rint(bound / q->scale) + static_cast<float>(q->zero_point); };
  if (step(limits.min) > static_cast<float>(q->lowest())) return false;
  if (std::isinf(limits.max)) return node.is("Relu");
  return step(limits.max) >= static_cast<float>(q->highest());
}

/// Whether the kernel, the activations and the QuantizeLinear at the end of the chain are fused. The reasons are those
/// of deferrable(), and "near_redundant" if the runtime rejects the model.
inline Verdict fuses(const OutputChain& chain, const Target& target) {
  const RowEnd end(*chain.user);
  const Verdict verdict = deferrable(chain.activations, end, target);
  const bool drops = target.has(Quirk::drops_half_step_beyond);
  if (verdict || (!drops && !target.has(Quirk::refuses_half_step_beyond))) return verdict;
  const std::vector<Stage> stages = stages_left(chain.activations, end, target);
  if (stages.size() != 1) return verdict;
  const Stage& first = stages.front();
  if (first.always || !first.limits || !is_half_step_beyond(*first.node, *first.limits, *chain.user)) return verdict;
  return drops ? Verdict::yes() : Verdict::no({"the runtime refuses the model", "near_redundant", {}, 0});
}

/// Whether a quantizer is among those that read the result itself.
inline bool reaches_quantizer(const OutputChain& chain) {
  const auto& uses = chain.result->uses();
  return std::any_of(uses.begin(), uses.end(),
                     [](const Use& use) { return !use.is_graph_output() && is_quantize(*use.user()); });
}

/// Whether the reader of the result is an activation that only a quantizer takes away.
inline bool waits_for_quantizer(const OutputChain& chain, const Target& target) {
  const auto& row = chain.activations;
  return !row.empty() && fused_activation(*row.front(), target)->when == Fuses::when_redundant;
}

}  // namespace graft::inline v1::detail
