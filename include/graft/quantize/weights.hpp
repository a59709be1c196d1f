#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/quantize/bias.hpp>
#include <graft/quantize/channels.hpp>
#include <graft/quantize/detail/drop.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/quantized_constant.hpp>
#include <graft/quantize/target.hpp>
#include <graft/quantize/weight_form.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

class WeightQuantizer {
 public:
  WeightQuantizer(const WeightForm& form, const Target& target, const KeptInFloat& kept)
      : form_(form), target_(target), kept_(kept) {}

  Report run(Graph& graph) {
    Report report;
    Transaction transaction(graph);
    for (Node& node : graph.nodes()) {
      if (!is_quantized_product(node, target_) || !quantizable(node, target_, kept_)) continue;
      if (node.input(1)->is_constant()) {
        quantize_weight(node);
        ++report.changes;
      }
      add_bias(node, target_, report);
    }
    transaction.keep();
    return report;
  }

 private:
  void quantize_weight(Node& node) {
    Value& weight = *node.input(1);
    std::optional<std::size_t> axis;
    if (form_.granularity == Granularity::per_channel) axis = channel_axis(node, weight.shape().rank());
    QuantizedConstant& constant = done_[std::pair(&weight, axis.value_or(weight.shape().rank()))];
    if (constant.data == nullptr) constant = add_quantized(node.graph(), quantized(weight, axis), weight.name());
    rewire(node, 1, insert_dequantize(constant, node, weight.name()));
    drop_unused(&weight);
  }

  QuantizedTensor quantized(const Value& weight, std::optional<std::size_t> axis) const {
    try {
      return quantize_tensor(weight.constant().value(), target_.weight, axis, form_.bits, form_.clipping);
    } catch (Error& error) {
      throw error.field(weight.name());
    }
  }

  WeightForm form_;
  const Target& target_;
  const KeptInFloat& kept_;
  std::map<std::pair<const Value*, std::size_t>, QuantizedConstant> done_;  // a shared weight, by axis or rank, once
};

}  // namespace detail

/// The pass that stores the constant weights of the operators that the target computes in integers as integers with a
/// DequantizeLinear, symmetric, with one scale or one for each output channel; and their biases as the target takes
/// them, where the input is quantized already. Floats that nobody reads any more go; nodes that keep_in_float() names
/// keep theirs. Throws Error naming the tensor that holds a value which is not finite.
inline Pass quantize_weights(const WeightForm& form, const Target& target) {
  return pass("quantize_weights",
              [form, target](Graph& graph, Context& context) {
                return detail::WeightQuantizer(form, target, KeptInFloat::of(context.facts)).run(graph);
              })
      .needs(needs_opset(form.granularity == Granularity::per_channel ? 13 : 10));
}

}  // namespace graft::inline v1
