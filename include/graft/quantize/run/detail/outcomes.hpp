#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/product_forms.hpp>

namespace graft::inline v1::detail {

/// The products by constants in the graph and its bodies, in float.
std::vector<OperatorOutcome> products_by_constants(Graph& graph);

/// What becomes of every product that one pass can quantize.
struct OneForm {
  OperatorForm form;
  std::string_view why;
};

/// Fills result.outcomes where one pass quantizes all products that are not in_float; and, from the report of this pass
/// in result.passes, the counts of products and tables.
void collect_outcomes(std::string_view pass, const FloatOutcomes& in_float,
                      const std::vector<OperatorOutcome>& products, const OneForm& all, QuantizeResult& result);

/// The same where forms differ, and the audit has the static ones.
void collect_outcomes(const ProductForms& forms, const FloatOutcomes& in_float,
                      const std::vector<OperatorOutcome>& products, QuantizeResult& result);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/outcomes.ipp>
#endif
