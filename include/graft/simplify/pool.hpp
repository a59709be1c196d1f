#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  AveragePool(Pad(x, p)) {pads, count_include_pad}
// After:   AveragePool(x) {pads + p, count_include_pad=1}
//
// Before:  MaxPool(Pad(x, p)) {pads}
// After:   MaxPool(x) {pads + p}
//
// p is constant, pads spatial axes only, and crops none. The pool's auto_pad is NOTSET or VALID, its ceil_mode and
// dilations are the default, and pads + p is less than the kernel: runtimes refuse more, and each window reads x.
// Before an AveragePool the Pad fills with 0, and what the pool pads itself counts already, or is nothing. Before a
// MaxPool, which ignores what it pads itself, the Pad fills with what is never the largest: -infinity, the lowest of
// the dtype, or nothing above 0 where no element of x is below 0, which follows from the operator that makes x. The
// indices are not used.
extern const RuleView pad_into_average_pool;
extern const RuleView pad_into_max_pool;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/pool.ipp>
#endif
