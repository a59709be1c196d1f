#pragma once
#include <graft/quantize/run/detail/product_results.hpp>

#include <algorithm>
#include <cstddef>
#include <map>

#include <graft/config.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<std::string> product_names(Graph& graph) {
  std::vector<std::string> names;
  for (Graph* const scope : with_bodies(graph))
    for (const Node& node : scope->nodes())
      if (is_product(node) && node.input(1) != nullptr && node.input(1)->is_constant())
        names.push_back(display_name(node));
  return names;
}

/// Notes "'NODE' stays in float: WHY" of a step.
inline void read_kept(const Report& step, InFloat& in_float) {
  constexpr std::string_view stays = "' stays in float: ";
  for (const std::string& note : step.notes)
    if (const std::size_t at = note.find(stays); note.starts_with("'") && at != std::string::npos)
      in_float.reasons.emplace(note.substr(1, at - 1), note.substr(at + stays.size()));
}

GRAFT_INLINE void read_products(std::string_view pass, const std::vector<std::string>& products, ProductForm form,
                                std::string_view why, QuantizeResult& result) {
  const Report* const done = result.passes.step(pass);
  if (done == nullptr) return;
  for (const char* const name : {"quantize_embeddings", "quantize_tables_blockwise"})
    if (const Report* const tables = done->step(name)) result.tables = tables->changes;
  result.products = done->changes - result.tables;
  read_kept(*done, result.in_float);
  for (const std::string& name : products) {
    const auto kept = result.in_float.reasons.find(name);
    if (kept != result.in_float.reasons.end())
      result.product_forms.push_back({name, ProductForm::in_float, kept->second});
    else
      result.product_forms.push_back({name, form, std::string(why)});
  }
}

GRAFT_INLINE void read_products(const DynamicProducts& dynamic, const std::vector<std::string>& products,
                                QuantizeResult& result) {
  if (const Report* const done = result.passes.step("quantize_dynamic")) read_kept(*done, result.in_float);
  std::map<std::string_view, const Finding*> findings;
  for (const Finding& finding : result.audit.findings) findings.emplace(finding.node, &finding);
  for (const std::string& name : products) {
    const auto kept = result.in_float.reasons.find(name);
    const auto chosen = dynamic.reasons.find(name);
    const auto finding = findings.find(name);
    ProductResult product{name, ProductForm::in_float, "it is not in the main graph"};
    if (kept != result.in_float.reasons.end()) {
      product.why = kept->second;
    } else if (chosen != dynamic.reasons.end()) {
      product = {name, ProductForm::dynamic, std::string(chosen->second)};
      ++result.products;
    } else if (finding != findings.end() && finding->second->fused) {
      product = {name, ProductForm::fixed, "it is placed between pairs"};
    } else if (finding != findings.end()) {
      product.why = finding->second->text;
    }
    result.product_forms.push_back(std::move(product));
  }
}

}  // namespace graft::inline v1::detail
