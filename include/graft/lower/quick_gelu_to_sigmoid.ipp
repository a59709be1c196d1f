#pragma once
#include <graft/lower/quick_gelu_to_sigmoid.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/hard_swish.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Verdict takes_scalar(const Value& input) {
  if (input.dtype() == DType::undefined) return Verdict::no("the dtype is not known");
  return input.graph().opset() >= 7 ? Verdict::yes() : Verdict::no("Mul does not broadcast before opset 7");
}

inline constexpr auto quick_gelu_to_sigmoid =
    rule<"quick-gelu-to-sigmoid">(op<"com.microsoft::QuickGelu">(x).with(alpha), where(predicate<takes_scalar>("")(x)),
                                  op<"Mul">(x, op<"Sigmoid">(op<"Mul">(scalar(alpha).like(x), x))));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView quick_gelu_to_sigmoid = vocabulary::quick_gelu_to_sigmoid.view();

GRAFT_INLINE Pass decompose_quick_gelus() {
  return on_typed_graph("decompose_quick_gelus", sweep(quick_gelu_to_sigmoid));
}

}  // namespace graft::inline v1
