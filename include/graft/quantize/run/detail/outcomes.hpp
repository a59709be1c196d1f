#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1::detail {

/// The products by constants in the graph and its bodies, in float.
std::vector<OperatorOutcome> products_by_constants(Graph& graph);

/// What becomes of every product that one pass can quantize.
struct OneForm {
  OperatorForm form;
  std::string_view why;
};

/// What quantized a model, in short.
struct AppliedForms {
  std::vector<OperatorOutcome> products{};  ///< by constants, before
  bool has_pairs = false;                   ///< pairs were placed, beside which products may have other forms
  std::optional<OneForm> all{};             ///< of all products, if one pass quantizes them
};

/// Fills result.outcomes, and the counts of products and tables. Pairs are audited: findings about operators that
/// placement left in float become placement's outcomes.
void collect_outcomes(const AppliedForms& applied, const Facts& facts, QuantizeResult& result);

}  // namespace graft::inline v1::detail
