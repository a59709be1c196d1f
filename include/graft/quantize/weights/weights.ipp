#pragma once
#include <graft/quantize/weights/weights.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/clipping.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/detail/fill_tiles.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/place/bias.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/weight_form.hpp>
#include <graft/quantize/detail/quantized_weight.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

class WeightQuantizer {
 public:
  WeightQuantizer(const WeightForms& forms, const Target& target, const KeptInFloat& kept)
      : forms_(forms), target_(target), kept_(kept) {}

  Report run(Graph& graph) {
    Report report;
    report.notes = forms_.unmatched(graph);
    Transaction transaction(graph);
    std::vector<Node*> quantized;
    std::size_t products = 0;
    std::string why_not;  // the reason of the first skipped node
    for (Node& node : graph.nodes()) {
      if (!is_quantized_product(node, target_)) continue;
      ++products;
      if (const Verdict fits = quantizable(node, target_, kept_); !fits) {
        if (why_not.empty()) why_not = "'" + display_name(node) + "': " + to_string(fits.reason());
        continue;
      }
      quantized.push_back(&node);
      if (!node.input(1)->is_constant()) continue;
      quantize_weight(node);
      ++report.changes;
    }
    // A bias may replace its node's weight, so biases come after all readers of the weight.
    for (Node* const node : quantized) add_bias(*node, target_, report);
    for (Node* const node : quantized)
      if (has_partial_tiles(*node, target_)) fill_tiles(*node, target_);
    transaction.keep();
    if (done_.empty()) {
      if (products == 0)
        why_not = "the graph has no Conv that the target computes in integers, and no other such product of a "
                  "quantized input";
      if (why_not.empty()) why_not = "all are quantized already";
      report.notes.push_back("no weight is quantized: " + why_not);
    }
    return report;
  }

 private:
  void quantize_weight(Node& node) {
    Value& weight = *node.input(1);
    const WeightForm& form = forms_.of(node);
    const std::optional<std::size_t> axis = form.axis(node, weight.shape().rank());
    QuantizedConstant& constant =
        done_[{&weight, weight_dtype(node, target_), axis, form.bits_of(node, target_), form.clipping}];
    if (constant.data == nullptr)
      constant = add_quantized(node.graph(), quantized_weight(node, form, target_), weight.name());
    rewire(node, 1, insert_dequantize(constant, node, weight.name()));
    drop_unused(&weight);
  }

  using Key = std::tuple<const Value*, DType, std::optional<std::size_t>, int, Clipping>;

  const WeightForms& forms_;
  const Target& target_;
  const KeptInFloat& kept_;
  std::map<Key, QuantizedConstant> done_;  // a weight that several nodes share in one form is stored once
};

}  // namespace detail

GRAFT_INLINE Pass quantize_weights(const WeightForms& forms, const Target& target) {
  return pass("quantize_weights",
              [forms, target](Graph& graph, Context& context) {
                return detail::WeightQuantizer(forms, target, context.facts.value_or_default<KeptInFloat>())
                    .run(graph);
              })
      .needs(needs_opset(forms.any_per_channel() ? 13 : 10))
      .preserves_all();
}

}  // namespace graft::inline v1
