#pragma once
#include <graft/simplify/fuse/log_softmax.hpp>

#include <graft/config.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto log_softmax =
    rule<"log-softmax">(op<"Log">(op<"Softmax">(x).as(inner)), op<"LogSoftmax">(x).like(inner));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView log_softmax = vocabulary::log_softmax.view();

}  // namespace graft::inline v1
