#pragma once
// Compiles graft once. A program that defines GRAFT_SEPARATE everywhere includes this header in one file of its own;
// its other files then compile their rules alone, and refer to the engine and the executor's kernels there.
#include <graft/evaluate/standard.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

namespace graft::inline v1 {

template class BasicGraph<void>;
template class BasicModel<void>;
template class BasicKnownContents<void>;
template class BasicInferContext<void>;
template class BasicInference<void>;
template std::string to_string<void>(const Node&);
template std::string to_string<void>(const Graph&);
template std::vector<Problem> verify<void>(Graph&);
template std::vector<Problem> verify<void>(Model&);
template class BasicMatcher<void>;
template class BasicRewriter<void>;
template class BasicPass<void>;
template class detail::Driver<void>;
template class detail::Replacement<void>;
template const Kernels& Kernels::standard<void>();

}  // namespace graft::inline v1
