#pragma once
#include <graft/quantize/tune/detail/requantizer.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/silent.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Requantizer::Requantizer(const Graph& graph, const Pass& quantize, const Context& context)
    : base_(copied(graph)), measured_(graph), quantize_(quantize), context_(silent(context)) {
  measured_.add_to(base_.graph());
  ConstantProduct product;
  for (const Node& node : graph.nodes()) {
    names_.insert(node.name());
    if (!is_product(node)) continue;
    if (read_dynamic_product(node, product)) dynamic_.insert(node.name());
    if (read_block_product(node, product)) weight_only_.insert(node.name());
  }
  Model model = base_.clone();
  Context chosen = context_;
  quantize_.run(model, chosen);
  if (const ChosenUnits* const units = chosen.facts.find<ChosenUnits>()) chosen_ = *units;
  for (const Node& node : model.graph().nodes()) nameless_ += node.name().empty() && reads_dequantized(node);
}

GRAFT_INLINE Model Requantizer::quantized(const std::set<std::string, std::less<>>& turned_back, bool fixed,
                                          ProductForm products) const {
  Model model = base_.clone();
  Context context = context_;
  if (fixed) context.arguments.push_back(only_units = chosen_);
  KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
  for (const std::string& name : turned_back) {
    const ProductForm form = can_be(name, products) ? products : ProductForm::in_float;
    if (form == ProductForm::in_float) kept.reasons.try_emplace(name, "on trial");
    if (ProductForms* const forms = context.facts.edit<ProductForms>()) forms->choose(name, form, "on trial");
  }
  context.facts.provide(std::move(kept));
  quantize_.run(model, context);
  return model;
}

GRAFT_INLINE Model Requantizer::with_prices(NodePrices prices) const {
  Model model = base_.clone();
  Context context = context_;
  context.arguments.push_back(node_prices = std::move(prices));
  quantize_.run(model, context);
  return model;
}

GRAFT_INLINE Model Requantizer::with_ranges(const Ranges& ranges) const {
  Model model = base_.clone();
  Context context = context_;
  context.arguments.push_back(only_units = chosen_);
  context.facts.provide(ranges);
  quantize_.run(model, context);
  return model;
}

GRAFT_INLINE bool Requantizer::can_be(std::string_view node, ProductForm form) const {
  return (form == ProductForm::dynamic && dynamic_.contains(node)) ||
         (form == ProductForm::weight_only && weight_only_.contains(node));
}

GRAFT_INLINE Model Requantizer::made_by(const Pass& passes) const {
  Model model = base_.clone();
  Context context = context_;
  passes.run(model, context);
  return model;
}

GRAFT_INLINE std::vector<std::string> Requantizer::quantized_nodes(const Model& quantized) const {
  const ProductForms* const forms = context_.facts.find<ProductForms>();
  std::vector<std::string> names;
  for (const Node& node : quantized.graph().nodes()) {
    if (node.name().empty() || !names_.contains(node.name())) continue;
    if (reads_dequantized(node) || (forms != nullptr && forms->holds(node))) names.emplace_back(node.name());
  }
  return names;
}

/// Whether quantize_embeddings() stored its table in integers, which are dequantized behind the node.
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
