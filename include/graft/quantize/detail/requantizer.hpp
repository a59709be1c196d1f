#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/quantize/detail/chosen_units.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// Quantizes copies of a graph, each with other nodes in float, as the passes that come next would the graph itself:
/// with what the facts tell them, ranges say, and without what they log.
class Requantizer {
 public:
  /// Commits the graph's model, which must stay as it is. Throws Error if the graph is not the main one.
  Requantizer(const Graph& graph, const Pass& quantize, const Context& context)
      : proto_(committed(graph)), quantize_(quantize), context_(context) {
    if (graph.model().external_data() != nullptr) folder_ = graph.model().external_data()->folder();
    context_.log = {};
    context_.progress = {};
    for (const Node& node : graph.nodes()) names_.insert(node.name());
    Model model(proto_, folder_);
    Context chosen = context_;
    quantize_.run(model, chosen);
    if (const ChosenUnits* const units = chosen.facts.find<ChosenUnits>()) chosen_.results = units->results;
    for (const Node& node : model.graph().nodes()) nameless_ += node.name().empty() && reads_dequantized(node);
  }

  /// The copy in which these are kept in float, and those that the facts have already. As the passes would quantize it
  /// then; or, with `fixed`, all that they quantize where none of these is kept, though it may no longer pay.
  Model quantized(const std::set<std::string, std::less<>>& in_float, bool fixed = false) const {
    Model model(proto_, folder_);
    Context context = context_;
    if (fixed) context.facts.provide(ChosenUnits{chosen_.results, true});
    KeptInFloat kept = KeptInFloat::of(context.facts);
    for (const std::string& name : in_float) kept.reasons.try_emplace(name, "on trial");
    context.facts.provide(std::move(kept));
    quantize_.run(model, context);
    return model;
  }

  /// The copy that other passes make.
  Model made_by(const Pass& passes) const {
    Model model(proto_, folder_);
    Context context = context_;
    passes.run(model, context);
    return model;
  }

  /// The nodes that the quantized copy has from the graph and that read something dequantized there, in topological
  /// order.
  std::vector<std::string> reading_dequantized(const Model& quantized) const {
    std::vector<std::string> names;
    for (const Node& node : quantized.graph().nodes()) {
      if (node.name().empty() || !names_.contains(node.name()) || !reads_dequantized(node)) continue;
      names.emplace_back(node.name());
    }
    return names;
  }

  /// How many nodes that the passes quantize cannot be kept in float, as they have no name.
  std::size_t nameless() const { return nameless_; }

 private:
  static bool reads_dequantized(const Node& node) {
    if (is_quantize(node) || is_dequantize(node)) return false;
    bool reads = false;
    for (const Value* const input : node.inputs()) reads = reads || (input != nullptr && is_dequantized(*input));
    return reads;
  }
  static const onnx::ModelProto& committed(const Graph& graph) {
    if (&graph.model().graph() != &graph) throw Error("only the main graph of a model can be tried");
    return graph.model().commit();
  }

  const onnx::ModelProto& proto_;
  std::filesystem::path folder_;
  const Pass& quantize_;
  Context context_;
  ChosenUnits chosen_;
  std::size_t nameless_ = 0;
  std::unordered_set<std::string_view> names_;
};

}  // namespace graft::inline v1::detail
