#pragma once
#include <graft/quantize/prepare/nan_inputs.hpp>

#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The input of a node that quantize_dynamic() would quantize during the run; nullptr for other nodes.
inline const Value* dynamic_input(const Node& node) {
  if (node.is("LSTM") || node.is("com.microsoft::Attention")) return node.input_count() != 0 ? node.input(0) : nullptr;
  ConstantProduct product;
  return is_product(node) && ConstantProduct::read(node, product) ? product.x : nullptr;
}

}  // namespace detail

GRAFT_INLINE Pass keep_nan_inputs_in_float(SampleSource samples, ExecutorFactory make_executor) {
  const auto run = [samples = std::move(samples), make_executor = std::move(make_executor)](Graph& graph,
                                                                                            Context& context) {
    Report report;
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    std::unordered_map<const Value*, std::vector<Node*>> readers;
    Fetches fetches;
    for (Node& node : graph.nodes()) {
      const Value* const x = detail::dynamic_input(node);
      if (x == nullptr || kept.holds(node)) continue;
      std::vector<Node*>& of_x = readers[x];
      if (of_x.empty()) fetches.emplace_back(x);
      of_x.push_back(&node);
    }
    if (fetches.empty()) return report;
    AnyExecutor executor = make_executor(graph);
    std::vector<bool> is_finite(fetches.size(), true);
    detail::for_first(
        samples, std::numeric_limits<std::size_t>::max(), context, [&](std::size_t, const Sample& sample) {
          executor.observe(detail::by_name(sample.feeds), fetches, [&](std::size_t i, const Tensor& tensor) {
            if (tensor.dtype() == DType::f32 && !detail::extent_of(tensor.data<float>()).finite) is_finite[i] = false;
          });
          return true;
        });
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      if (is_finite[i]) continue;
      for (Node* const node : readers[fetches[i].value()])
        detail::keep(*node, "its input holds NaN or infinity on the samples", context.facts, report);
    }
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report;
  };
  return pass("keep_nan_inputs_in_float", run).provides<KeptInFloat>().preserves_all();
}

}  // namespace graft::inline v1
