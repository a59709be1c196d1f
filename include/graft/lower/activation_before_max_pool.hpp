#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(MaxPool(x))         f: Relu or Clip, which keep the order of numbers
// After:   MaxPool(f(x))
//
// A node makes x, and MaxPool alone reads it: f may then become part of that node. Indices are not asked for. No window
// lies in padding only, which is less than any number: pads are less than the kernel, which is not dilated, and
// ceil_mode is 0.

namespace graft::inline v1 {

extern const RuleView activation_before_max_pool;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/activation_before_max_pool.ipp>
#endif
