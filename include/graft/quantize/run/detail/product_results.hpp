#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/dynamic_products.hpp>

namespace graft::inline v1::detail {

/// What reports call the products by constants, in the graph and its bodies.
std::vector<std::string> product_names(Graph& graph);

/// Fills what became of each product where one pass quantizes them all, save what stays in float: from the report of
/// this pass in result.passes, also the counts of products and tables.
void read_products(std::string_view pass, const std::vector<std::string>& products, ProductForm form,
                   std::string_view why, QuantizeResult& result);

/// The same where some are dynamic and the audit tells of the others.
void read_products(const DynamicProducts& dynamic, const std::vector<std::string>& products, QuantizeResult& result);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/product_results.ipp>
#endif
