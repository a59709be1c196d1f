#pragma once
#include <graft/evaluate/executor_factory.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/evaluator.hpp>

namespace graft::inline v1 {

GRAFT_INLINE AnyExecutor MakeEvaluator::operator()(const Graph& graph) const { return Evaluator(graph); }

GRAFT_INLINE ExecutorFactory::ExecutorFactory() : ExecutorFactory(MakeEvaluator()) {}

}  // namespace graft::inline v1
