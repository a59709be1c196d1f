#pragma once
#include <graft/quantize/tune/detail/requantizer.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/target/dynamic_products.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/quantizable.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Requantizer::Requantizer(const Graph& graph, const Pass& quantize, const Context& context)
    : base_(copied(graph)), quantize_(quantize), context_(context) {
  context_.log = {};
  context_.progress = {};
  ConstantProduct product;
  for (const Node& node : graph.nodes()) {
    names_.insert(node.name());
    if (detail::is_product(node) && read_dynamic_product(node, product)) products_.insert(node.name());
  }
  Model model = base_.clone();
  Context chosen = context_;
  quantize_.run(model, chosen);
  if (const ChosenUnits* const units = chosen.facts.find<ChosenUnits>()) chosen_ = *units;
  for (const Node& node : model.graph().nodes()) nameless_ += node.name().empty() && reads_dequantized(node);
}

GRAFT_INLINE Model Requantizer::quantized(const std::set<std::string, std::less<>>& in_float, bool fixed,
                                          TurnedBack products) const {
  Model model = base_.clone();
  Context context = context_;
  if (fixed) context.arguments.push_back(only_units = chosen_);
  KeptInFloat kept = KeptInFloat::of(context.facts);
  DynamicProducts dynamic = DynamicProducts::of(context.facts);
  for (const std::string& name : in_float) {
    const bool is_dynamic = products == TurnedBack::dynamic && is_product(name);
    (is_dynamic ? dynamic.reasons : kept.reasons).try_emplace(name, "on trial");
  }
  context.facts.provide(std::move(kept));
  if (products == TurnedBack::dynamic) context.facts.provide(std::move(dynamic));
  quantize_.run(model, context);
  return model;
}

GRAFT_INLINE Model Requantizer::made_by(const Pass& passes) const {
  Model model = base_.clone();
  Context context = context_;
  passes.run(model, context);
  return model;
}

GRAFT_INLINE std::vector<std::string> Requantizer::reading_dequantized(const Model& quantized) const {
  std::vector<std::string> names;
  for (const Node& node : quantized.graph().nodes()) {
    if (node.name().empty() || !names_.contains(node.name()) || !reads_dequantized(node)) continue;
    names.emplace_back(node.name());
  }
  return names;
}

/// Whether quantize_embeddings() made integers of its table, which are dequantized behind it.
inline bool is_quantized_lookup(const Node& node) {
  const Value* const table = node.is("Gather") ? node.input(0) : nullptr;
  return table != nullptr && table->is_constant() && table->dtype() == DType::i8;
}

GRAFT_INLINE bool Requantizer::reads_dequantized(const Node& node) {
  if (is_quantize(node) || is_dequantize(node)) return false;
  bool reads = is_quantized_lookup(node);
  for (const Value* const input : node.inputs()) reads = reads || (input != nullptr && is_dequantized(*input));
  return reads;
}

GRAFT_INLINE Model Requantizer::copied(const Graph& graph) {
  if (&graph.model().graph() != &graph) throw Error("only the main graph of a model can be tried");
  return graph.model().clone();
}

}  // namespace graft::inline v1::detail
