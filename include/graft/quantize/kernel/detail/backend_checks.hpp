#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/detail/operand_checks.hpp>

// The checks of the table that are about backends, which leave to another what they do not take.
namespace graft::inline v1::detail::checks {

inline bool is_static(const Value& value) { return value.shape().dims().has_value(); }

/// Whether the runtime computes a node when it loads the model: of constants, and of shapes that are known. A
/// computation of shapes is short: of a long one the answer is no.
inline bool is_computed_at_load(const Node& node) {
  constexpr std::size_t long_one = 64;
  std::unordered_set<const Node*> seen{&node};
  std::vector<const Node*> left{&node};
  while (!left.empty()) {
    const Node& one = *left.back();
    left.pop_back();
    if (one.is("Shape") && one.input(0) != nullptr && is_static(*one.input(0))) continue;
    for (const Value* const input : one.inputs()) {
      if (input == nullptr || input->is_constant()) continue;
      if (input->producer() == nullptr || seen.size() == long_one) return false;
      if (seen.insert(input->producer()).second) left.push_back(input->producer());
    }
  }
  return true;
}

/// The first input or output that is computed and that is_bad(value).
template <class Bad>
const Value* bad_tensor(const Node& node, Bad is_bad) {
  for (const Value* const input : node.inputs())
    if (input != nullptr && !input->is_constant() && is_bad(*input)) return input;
  for (const Value& output : node.outputs())
    if (!output.name().empty() && is_bad(output)) return &output;
  return nullptr;
}
inline Verdict unknown_shape(const KernelView& v) {
  if (!v.target.has(Quirk::static_shapes)) return Verdict::yes();
  const Value* const bad = bad_tensor(v.node, [](const Value& value) { return !is_static(value); });
  return fails_if(bad != nullptr && !is_computed_at_load(v.node), "an extent of a tensor of it is not known");
}
inline Verdict rank(const KernelView& v) {
  const std::size_t most = v.target.max_rank;
  const Value* const bad = bad_tensor(v.node, [=](const Value& value) { return value.shape().rank() > most; });
  if (most == 0 || bad == nullptr) return Verdict::yes();
  return Verdict::no({"a tensor of it has rank {}", {}, {static_cast<double>(bad->shape().rank())}, 1});
}

inline Verdict refused_operator(const KernelView& v) {
  return fails_if(v.node.is_any_of(v.target.refused_operators), "the backend fails on it");
}
/// Erf is computed in a Gelu alone: x * (1 + Erf(x / sqrt(2))) / 2.
inline bool is_in_gelu(const Node& erf) {
  const Node* node = &erf;
  for (const std::string_view next : {"Add", "Mul"}) {
    const Value& result = *node->output(0);
    node = result.use_count() == 1 ? result.uses().front().user() : nullptr;
    if (node == nullptr || !node->is(next)) return false;
  }
  return true;
}
inline Verdict not_in_backend(const KernelView& v) {
  if (v.target.float_operators.empty() || is_quantizer(v.node) || is_computed_at_load(v.node)) return Verdict::yes();
  const bool is_taken = v.node.is_any_of(v.target.float_operators) && (!v.node.is("Erf") || is_in_gelu(v.node));
  return fails_if(!is_taken && !v.node.is_any_of(v.target.refused_operators), "the backend does not compute it");
}

/// Of operators that it takes at all, and that are not computed when the model is loaded.
inline bool fails_in_float(const KernelView& v) {
  return v.node.is_any_of(v.target.refused_in_float) && has_result(v.node) &&
         is_float(v.node.output(0)->dtype()) && !is_computed_at_load(v.node) &&
         (!v.node.is("Erf") || is_in_gelu(v.node));
}
inline Verdict refused_float(const KernelView& v) {
  return fails_if(fails_in_float(v), "the backend has no floats for it, and fails");
}

/// An input of a quantized dtype that nothing dequantizes.
inline bool reads_bare_integers(const KernelView& v) {
  if (!v.target.has(Quirk::leaves_out_bare_integers)) return false;
  for (std::size_t i = v.first_operand(); i < v.operand_end(); ++i) {
    const Value* const value = v.node.input(i);
    if (value == nullptr || value->is_constant()) continue;
    const DType dtype = value->dtype();
    if (is_known(dtype) && is_integer(dtype) && bits(dtype) <= 16) return true;
  }
  return false;
}
inline constexpr std::string_view bare_text = "its input is quantized, and nothing dequantizes it";
inline Verdict bare_integers(const KernelView& v) { return fails_if(reads_bare_integers(v), bare_text); }
inline Verdict refused_bare_integers(const KernelView& v) {
  return fails_if(v.node.is_any_of(v.target.refused_on_integers) && reads_bare_integers(v), bare_text);
}

inline Verdict lone_quantizer(const KernelView& v) {
  if (!v.target.has(Quirk::leaves_out_lone_quantizers) || !is_quantizer(v.node)) return Verdict::yes();
  const Value *const x = v.node.input(0), &y = *v.node.output(0);
  const bool is_read = std::ranges::any_of(y.uses(), [](const Use& use) { return !use.is_graph_output(); });
  const bool is_lone = x != nullptr && x->producer() == nullptr && !x->is_constant() && x->use_count() == 1 && !is_read;
  return fails_if(is_lone && y.use_count() != 0, "nothing but a quantizer stands between an input and an output");
}
inline Verdict computed_qparams(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_computed_qparams) || !is_quantizer(v.node)) return Verdict::yes();
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const Value* const given = v.node.input(i);
    if (given == nullptr || given->is_constant()) continue;
    if (given->producer() == nullptr || !given->producer()->is("DynamicQuantizeLinear"))
      return Verdict::no("its q-params are not constant");
  }
  return Verdict::yes();
}
inline std::int64_t scale_count(const Node* quantizer) {
  const std::optional<Tensor> scale = quantizer != nullptr ? constant_input(*quantizer, 1) : std::nullopt;
  return scale ? scale->size() : 1;
}
/// Of a computed tensor.
inline Verdict channel_scales(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_channel_scales) || !is_quantizer(v.node)) return Verdict::yes();
  const bool is_constant = v.node.input(0) == nullptr || is_computed_at_load(v.node);
  return fails_if(!is_constant && scale_count(&v.node) != 1, "a tensor that is computed has several scales");
}
inline Verdict refused_channel_operand(const KernelView& v) {
  const bool has_list =
      std::ranges::any_of(v.operands(), [](const Node* dequantize) { return scale_count(dequantize) != 1; });
  return fails_if(v.target.has(Quirk::refuses_channel_scales) && has_list, "an operand of it has several scales");
}
inline Verdict pair_differs(const KernelView& v) {
  if (!v.target.has(Quirk::assumes_equal_pairs) || !is_dequantize(v.node)) return Verdict::yes();
  const Node* const quantize = v.node.input(0) != nullptr ? v.node.input(0)->producer() : nullptr;
  if (quantize == nullptr || !is_quantize(*quantize)) return Verdict::yes();
  const std::optional<QParams> q = qparams_of(*quantize), dq = qparams_of(v.node);
  return fails_if(q && dq && !(*q == *dq), "its q-params are not those of the QuantizeLinear in front of it");
}

/// Whether the backend dequantizes it by an operator of its own.
inline bool dequantizes_alone(const Node& dequantize) {
  return scale_count(&dequantize) == 1 && quantized_dtype(dequantize) != DType::i32 &&
         dequantize.attribute("block_size") == nullptr;
}
/// Whether an operator in float reads a dequantized tensor, past what quantizers pass, or nothing does.
inline bool has_lone_reader(const KernelView& v) {
  std::vector<const Value*> left{v.node.output(0)};
  while (!left.empty()) {
    const Value& value = *left.back();
    left.pop_back();
    if (value.use_count() == 0) return true;
    for (const Use& use : value.uses()) {
      if (use.is_graph_output() || &use.user()->graph() != &v.node.graph()) return true;
      const KernelView reader = v.of(*use.user());
      if (lets_quantizers_pass(reader.node, v.target)) {
        left.push_back(reader.node.output(0));
        continue;
      }
      if (reader.kernel.form == KernelForm::none) return true;
      const OperatorOutcome outcome = outcome_of(reader);
      if (outcome.form == OperatorForm::in_float && outcome.code != "blocks") return true;
    }
  }
  return false;
}
/// Whether the only operator that reads it is a QuantizeLinear.
inline bool feeds_one_quantizer(const Value& value) {
  const Node* only = nullptr;
  for (const Use& use : value.uses()) {
    if (use.is_graph_output()) continue;
    if (only != nullptr) return false;
    only = use.user();
  }
  return only != nullptr && is_quantize(*only);
}
/// Whether it dequantizes the weight of a product in float whose bias the runtime quantizes to int32 when it loads the
/// model.
inline bool is_beside_quantized_bias(const KernelView& v) {
  for (const Use& use : v.node.output(0)->uses()) {
    if (use.is_graph_output() || use.index() != 1) continue;
    const KernelView reader = v.of(*use.user());
    const Value* const bias = reader.kernel.has(KernelQuirk::quantizes_constants) ? reader.node.input(2) : nullptr;
    if (bias != nullptr && bias->is_constant() && v.is_dequantized(*reader.node.input(0)) &&
        feeds_one_quantizer(*reader.node.output(0)) &&
        outcome_of(reader).form == OperatorForm::in_float)
      return true;
  }
  return false;
}
inline Verdict lone_dequantizer(const KernelView& v) {
  if (!v.target.has(Quirk::lone_dequantizers_of_one_scale) || !is_dequantize(v.node)) return Verdict::yes();
  if (is_beside_quantized_bias(v))
    return Verdict::no("no integer kernel reads it, and the runtime quantizes the bias beside it to int32");
  return fails_if(!dequantizes_alone(v.node) && has_lone_reader(v),
                  "no integer kernel reads it, and it is of int32, of channels or of blocks");
}

}  // namespace graft::inline v1::detail::checks
