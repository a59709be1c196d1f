#pragma once
#include <graft/quantize/target/product_forms.hpp>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1 {

namespace detail {

/// A node in a body may have the name of one in the main graph.
inline bool is_in_main_graph(const Node& node) { return &node.graph() == &node.graph().model().graph(); }

inline void forget(ProductForms& forms, const std::string& name) {
  forms.dynamic.reasons.erase(name);
  for (auto& [bits, products] : forms.weight_only) products.reasons.erase(name);
}

/// nullptr for the forms that placement decides.
inline NodeReasons* products_of(ProductForms& forms, ProductForm form, int bits) {
  if (form == ProductForm::dynamic) return &forms.dynamic;
  return form == ProductForm::weight_only ? &forms.weight_only[bits] : nullptr;
}

GRAFT_INLINE void refuse_placed_form(ProductForm form) {
  if (form != ProductForm::dynamic && form != ProductForm::weight_only)
    throw Error("is for placement to choose").field(std::string(to_string(form)));
}

}  // namespace detail

GRAFT_INLINE std::string_view to_string(ProductForm form) {
  switch (form) {
    case ProductForm::in_float: break;
    case ProductForm::static_: return "static";
    case ProductForm::dynamic: return "dynamic";
    case ProductForm::weight_only: return "weight-only";
  }
  return "float";
}

GRAFT_INLINE std::size_t ProductForms::size() const {
  std::size_t count = dynamic.reasons.size();
  for (const auto& [bits, products] : weight_only) count += products.reasons.size();
  return count;
}

GRAFT_INLINE bool ProductForms::is_dynamic(const Node& node) const {
  return dynamic.holds(node) && detail::is_in_main_graph(node);
}

GRAFT_INLINE std::optional<int> ProductForms::weight_bits(const Node& node) const {
  for (const auto& [bits, products] : weight_only)
    if (products.holds(node) && detail::is_in_main_graph(node)) return bits;
  return std::nullopt;
}

GRAFT_INLINE bool ProductForms::choose(Node& node, ProductForm form, std::string_view reason, int bits) {
  NodeReasons* const products = detail::products_of(*this, form, bits);
  if (products != nullptr && products->holds(node)) return false;
  const bool was_chosen = holds(node);
  detail::forget(*this, std::string(node.name()));
  return products != nullptr ? products->add(node, reason) : was_chosen;
}

GRAFT_INLINE void ProductForms::choose(const std::string& name, ProductForm form, std::string_view reason, int bits) {
  detail::forget(*this, name);
  if (NodeReasons* const products = detail::products_of(*this, form, bits)) products->reasons.emplace(name, reason);
}

GRAFT_INLINE std::map<std::string, int> ProductForms::choices() const {
  std::map<std::string, int> found;
  for (const auto& [name, why] : dynamic.reasons) found.emplace(name, 0);
  for (const auto& [bits, products] : weight_only)
    for (const auto& [name, why] : products.reasons) found.emplace(name, bits);
  return found;
}

GRAFT_INLINE void ProductForms::rename_node(std::string_view from, std::string_view to) {
  dynamic.rename_node(from, to);
  for (auto& [bits, products] : weight_only) products.rename_node(from, to);
}

GRAFT_INLINE void ProductForms::copy_node(std::string_view from, std::string_view to) {
  dynamic.copy_node(from, to);
  for (auto& [bits, products] : weight_only) products.copy_node(from, to);
}

}  // namespace graft::inline v1
