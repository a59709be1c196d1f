#pragma once
#include <graft/quantize/run/detail/product_results.hpp>

#include <map>
#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<NamedProduct> products_by_constants(Graph& graph) {
  std::vector<NamedProduct> products;
  for (Graph* const scope : with_bodies(graph))
    for (const Node& node : scope->nodes())
      if (is_product(node) && node.input(1) != nullptr && node.input(1)->is_constant())
        products.push_back({display_name(node), scope != &graph});
  return products;
}

GRAFT_INLINE void read_products(std::string_view pass, const std::vector<NamedProduct>& products, const OneForm& all,
                                QuantizeResult& result) {
  const Report* const done = result.passes.step(pass);
  if (done == nullptr) return;
  for (const char* const name : {"quantize_embeddings", "quantize_tables_blockwise"})
    if (const Report* const tables = done->step(name)) result.tables = tables->changes;
  result.products = done->changes - result.tables;
  for (const NamedProduct& product : products) {
    const auto kept = result.in_float.reasons.find(product.name);
    if (kept != result.in_float.reasons.end())
      result.product_forms.push_back({product.name, ProductForm::in_float, kept->second});
    else
      result.product_forms.push_back({product.name, all.form, std::string(all.why)});
  }
}

/// What was chosen of a product; in_float and no reason where placement decided.
inline ProductResult chosen_form(const ProductForms& forms, const std::string& name) {
  const auto dynamic = forms.dynamic.reasons.find(name);
  if (dynamic != forms.dynamic.reasons.end()) return {name, ProductForm::dynamic, std::string(dynamic->second)};
  for (const auto& [bits, products] : forms.weight_only) {
    const auto found = products.reasons.find(name);
    if (found == products.reasons.end()) continue;
    return {name, ProductForm::weight_only, std::to_string(bits) + " bits: " + std::string(found->second)};
  }
  return {name, ProductForm::in_float, ""};
}

GRAFT_INLINE void read_products(const ProductForms& forms, const std::vector<NamedProduct>& products,
                                QuantizeResult& result) {
  std::map<std::string_view, const Finding*> findings;
  for (const Finding& finding : result.audit.findings) findings.emplace(finding.node, &finding);
  for (const auto& [name, is_in_body] : products) {
    const auto kept = result.in_float.reasons.find(name);
    const auto finding = findings.find(name);
    ProductResult product{name, ProductForm::in_float, "it is not in the main graph"};
    if (!is_in_body && kept != result.in_float.reasons.end()) {
      product.why = kept->second;
    } else if (!is_in_body) {
      product = chosen_form(forms, name);
      result.products += product.form != ProductForm::in_float;
      if (product.form == ProductForm::in_float && finding != findings.end() && finding->second->fused)
        product = {name, ProductForm::fixed, "it is placed between pairs"};
      else if (product.form == ProductForm::in_float && finding != findings.end())
        product.why = finding->second->text;
    }
    result.product_forms.push_back(std::move(product));
  }
}

}  // namespace graft::inline v1::detail
