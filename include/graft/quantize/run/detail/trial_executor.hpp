#pragma once
#include <functional>
#include <memory>

#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/run/quantize_options.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// What runs samples one by one: that of the options, or graft's own on as many threads as the context has.
inline ExecutorFactory trial_executor(const QuantizeOptions& options, const Context& context) {
  if (options.make_executor || context.threads <= 1) return options.make_executor.value_or(ExecutorFactory());
  const auto pool = std::make_shared<ThreadPool>(static_cast<int>(context.threads));
  return [pool](const Graph& graph) { return Evaluator(graph, std::ref(*pool)); };
}

}  // namespace graft::inline v1::detail
