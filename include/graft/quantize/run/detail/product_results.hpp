#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/product_forms.hpp>

namespace graft::inline v1::detail {

/// A product by a constant.
struct NamedProduct {
  std::string name;  ///< as reports call it
  bool is_in_body = false;
};

/// Those in the graph and its bodies.
std::vector<NamedProduct> products_by_constants(Graph& graph);

/// What becomes of every product that one pass can quantize.
struct OneForm {
  ProductForm form;
  std::string_view why;
};

/// Fills what became of each product where one pass quantizes them all, save what result.in_float says; also, from the
/// report of this pass in result.passes, the counts of products and tables.
void read_products(std::string_view pass, const std::vector<NamedProduct>& products, const OneForm& all,
                   QuantizeResult& result);

/// The same where forms differ, and the audit has those that are static.
void read_products(const ProductForms& forms, const std::vector<NamedProduct>& products, QuantizeResult& result);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/product_results.ipp>
#endif
