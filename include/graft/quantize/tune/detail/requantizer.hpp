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

/// Quantizes copies of a graph, each with other nodes in float, as the following passes would quantize the graph
/// itself: with the same facts (ranges and so on), but without their log.
class Requantizer {
 public:
  /// Throws Error if the graph is not the main one. Its names must stay as they are.
  Requantizer(const Graph& graph, const Pass& quantize, const Context& context);

  /// The copy in which these are kept in float, and those that the facts have already. As the passes would quantize it
  /// then; or, with `fixed`, all that they quantize where none of these is kept, though it may no longer pay. products:
  /// what becomes of those that are, in_float, dynamic or weight-only with 8 bits, whatever ProductForms says of them.
  Model quantized(const std::set<std::string, std::less<>>& turned_back, bool fixed = false,
                  ProductForm products = ProductForm::in_float) const;

  /// The copy that the passes make where nodes have these prices in integers.
  Model with_prices(NodePrices prices) const;

  /// The copy in which the same is quantized, by other ranges.
  Model with_ranges(const Ranges& ranges) const;

  /// The copy that other passes make.
  Model made_by(const Pass& passes) const;

  /// The nodes that the quantized copy has from the graph and that read something dequantized there, or a table that
  /// was quantized, or that ProductForms holds, in topological order.
  std::vector<std::string> quantized_nodes(const Model& quantized) const;

  /// Whether it is a product that the pass for this form can quantize: dynamic, weight-only.
  bool can_be(std::string_view node, ProductForm form) const;

  /// What is compared of the graph and the copies.
  const MeasuredOutputs& measured() const { return measured_; }

  /// How many nodes that the passes quantize cannot be kept in float, as they have no name.
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

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/requantizer.ipp>
#endif
