#pragma once
#include <cstdint>

#include <graft/graph/attribute_proto.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Squeeze(Squeeze(x, p), q)     axes as an attribute (before opset 13) or a constant input
// After:   Squeeze(x, r)                 r: p, and the axes of x that q means
//
// Before:  Squeeze(Squeeze(x, p?))       the outer one takes all axes of extent 1
// After:   Squeeze(x)
//
// The inner Squeeze may have other users. An empty list of axes is declined: runtimes disagree about it.

namespace graft::inline v1 {
namespace vocabulary {

/// The i-th non-negative integer that is not among `taken`.
std::int64_t nth_free(std::int64_t i, const Ints& taken);

}  // namespace vocabulary

extern const RuleView squeeze_squeeze;
extern const RuleView squeeze_squeeze_all;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/squeeze_squeeze.ipp>
#endif
