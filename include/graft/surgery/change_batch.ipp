#pragma once
#include <graft/surgery/change_batch.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/batch_change.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {

namespace detail {

inline std::vector<BatchAxis> batch_axes(const Graph& graph, const std::vector<BatchInput>& named) {
  std::vector<BatchAxis> axes;
  for (const auto& [name, axis] : named) {
    Value& input = input_called(graph, name);
    if (axis >= input.shape().rank()) throw Error("has no axis " + std::to_string(axis)).field(name);
    axes.push_back({&input, axis});
  }
  if (!named.empty()) return axes;
  for (Value* const input : graph.inputs()) {
    if (input->initializer() != nullptr || input->shape().rank() == 0) continue;
    if (axes.empty() || axes.front().input->shape()[0] == input->shape()[0]) axes.push_back({input, 0});
  }
  if (axes.empty()) throw Error("no input of the graph has a leading extent");
  return axes;
}

/// batch < 0: the symbol.
inline Pass change_batch(std::int64_t batch, std::string symbol, std::vector<BatchInput> inputs) {
  return pass("change_batch", [batch, symbol = std::move(symbol), inputs = std::move(inputs)](Graph& graph,
                                                                                           Context& context) {
    Report report;
    BatchChange change(graph, context, batch_axes(graph, inputs));
    Transaction transaction(graph);
    change.run(batch, symbol, report);
    transaction.keep();
    return report;
  });
}

}  // namespace detail

GRAFT_INLINE Pass change_batch(std::int64_t batch, std::vector<BatchInput> inputs) {
  if (batch < 0) throw Error("a batch is not negative").pass("change_batch");
  return detail::change_batch(batch, "", std::move(inputs));
}

GRAFT_INLINE Pass change_batch(std::string symbol, std::vector<BatchInput> inputs) {
  if (symbol.empty()) throw Error("the symbol of a batch has a name").pass("change_batch");
  return detail::change_batch(-1, std::move(symbol), std::move(inputs));
}

}  // namespace graft::inline v1
