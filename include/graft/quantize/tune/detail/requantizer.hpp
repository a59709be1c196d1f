#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/chosen_units.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// Quantizes copies of a graph, each with other nodes in float, as the following passes would quantize the graph: with
/// the same facts (ranges and so on), but without their log.
class Requantizer {
 public:
  /// Throws Error if the graph is not the main one. The names of the graph must not change.
  Requantizer(const Graph& graph, const Pass& quantize, const Context& context);

  /// The copy with these nodes and those of the facts in float. By default the passes choose again; with `fixed`, they
  /// quantize all nodes that they quantize without these in float, even if some no longer pay. products: the form of
  /// these nodes that are products: in_float, dynamic or weight-only with 8 bits; it overrides ProductForms.
  Model quantized(const std::set<std::string, std::less<>>& turned_back, bool fixed = false,
                  ProductForm products = ProductForm::in_float) const;

  /// The copy for these prices of nodes in integers.
  Model with_prices(NodePrices prices) const;

  /// The copy with the same quantized nodes, for other ranges.
  Model with_ranges(const Ranges& ranges) const;

  /// The copy for other passes.
  Model made_by(const Pass& passes) const;

  /// The nodes of the graph that, in the quantized copy, read a dequantized tensor or a quantized table, or that
  /// ProductForms names, in topological order.
  std::vector<std::string> quantized_nodes(const Model& quantized) const;

  /// Whether it is a product that the pass for this form (dynamic, weight-only) can quantize.
  bool can_be(std::string_view node, ProductForm form) const;

  /// The outputs by which the graph and the copies are compared.
  const MeasuredOutputs& measured() const { return measured_; }

  /// The number of quantized nodes that cannot be kept in float, because they have no name.
  std::size_t nameless() const { return nameless_; }

 private:
  static bool reads_dequantized(const Node& node);
  static Model copied(const Graph& graph);

  mutable Model base_;  // clone() commits
  MeasuredOutputs measured_;
  const Pass& quantize_;
  Context context_;
  ChosenUnits chosen_;
  std::size_t nameless_ = 0;
  std::unordered_set<std::string_view> names_, dynamic_, weight_only_;
};

}  // namespace graft::inline v1::detail
