#pragma once
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>

namespace graft::inline v1 {

/// Makes graft's own executor of a graph, an Evaluator.
struct MakeEvaluator {
  AnyExecutor operator()(const Graph& graph) const;
};

/// Makes an executor of a graph: any function of a const Graph& that returns an Executor, by default MakeEvaluator. The
/// executor is not used after the lifetime of the graph.
class ExecutorFactory {
 public:
  ExecutorFactory();
  template <class F>
    requires(!std::same_as<F, ExecutorFactory> && std::invocable<F&, const Graph&> &&
             Executor<std::decay_t<std::invoke_result_t<F&, const Graph&>>>)
  ExecutorFactory(F make)
      : make_([make = std::move(make)](const Graph& graph) mutable {
          if constexpr (std::same_as<std::invoke_result_t<F&, const Graph&>, AnyExecutor>)
            return make(graph);
          else
            return AnyExecutor::of([&] { return make(graph); });
        }) {}

  AnyExecutor operator()(const Graph& graph) const { return make_(graph); }

 private:
  std::function<AnyExecutor(const Graph&)> make_;
};

}  // namespace graft::inline v1
