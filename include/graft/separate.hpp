#pragma once
// Compiles graft once. A program that defines GRAFT_SEPARATE everywhere includes this header, and nothing of graft
// before it, in one file of its own; its other files then read declarations, compile their rules alone, and refer to
// the engine and the executor's kernels there.
#ifdef GRAFT_BEGUN
#error "<graft/separate.hpp> must be included before all other headers of graft, in one file of its own"
#endif
#pragma push_macro("GRAFT_SEPARATE")
#undef GRAFT_SEPARATE  // here the definitions are
#include <graft/evaluate/standard.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

namespace graft::inline v1 {

template Tensor read_tensor<void>(const onnx::TensorProto&, const ExternalData*, std::shared_ptr<const void>);
template class BasicExternalData<void>;
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
template std::string to_string<void>(const RulePattern&);
template std::string explain<void>(const RulePattern&, const Failure&);
template std::vector<Explanation> explain<void>(const RulePattern&, Graph&, std::span<const Argument>);
template class BasicRewriter<void>;
template std::string to_string<void>(const Report&);
template class BasicPass<void>;
template Pass operator|<void>(const Pass&, const Pass&);
template Pass fixpoint<void>(const Pass&);
template std::string to_string<void>(const Loop&);
template std::vector<Loop> find_loops<void>(std::span<const RuleView>);
template std::vector<RuleExplanation> explain<void>(const RuleView&, Graph&, Context&);
template class detail::BasicRuleSet<void>;
template class detail::Driver<void>;
template class detail::Replacement<void>;
template const Kernels& Kernels::standard<void>();

}  // namespace graft::inline v1

#pragma pop_macro("GRAFT_SEPARATE")
