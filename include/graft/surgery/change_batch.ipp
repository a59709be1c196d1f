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

inline std::vector<Value*> batched_inputs(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<Value*> inputs;
  for (const std::string& name : names) {
    Value& input = input_called(graph, name);
    if (input.shape().rank() == 0) throw Error("has no leading extent").field(name);
    inputs.push_back(&input);
  }
  if (!names.empty()) return inputs;
  for (Value* const input : graph.inputs()) {
    if (input->initializer() != nullptr || input->shape().rank() == 0) continue;
    if (inputs.empty() || inputs.front()->shape()[0] == input->shape()[0]) inputs.push_back(input);
  }
  if (inputs.empty()) throw Error("no input of the graph has a leading extent");
  return inputs;
}

/// batch < 0: the symbol.
inline Pass change_batch(std::int64_t batch, std::string symbol, std::vector<std::string> names) {
  return pass("change_batch", [batch, symbol = std::move(symbol), names = std::move(names)](Graph& graph,
                                                                                           Context& context) {
    Report report;
    BatchChange change(graph, context, batched_inputs(graph, names));
    Transaction transaction(graph);
    change.run(batch, symbol, report);
    transaction.keep();
    return report;
  });
}

}  // namespace detail

GRAFT_INLINE Pass change_batch(std::int64_t batch, std::vector<std::string> inputs) {
  if (batch < 0) throw Error("a batch is not negative").pass("change_batch");
  return detail::change_batch(batch, "", std::move(inputs));
}

GRAFT_INLINE Pass change_batch(std::string symbol, std::vector<std::string> inputs) {
  if (symbol.empty()) throw Error("the symbol of a batch has a name").pass("change_batch");
  return detail::change_batch(-1, std::move(symbol), std::move(inputs));
}

}  // namespace graft::inline v1
