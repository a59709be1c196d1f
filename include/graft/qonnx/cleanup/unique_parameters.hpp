#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  f(x, w), g(y, w)          w: an initializer
// After:   f(x, w), g(y, w')         w': a copy of w
//
// w is constant. The first use in the order of nodes keeps it; a use as an output of a graph does, too. Values, shapes
// and signature stay.

namespace graft::inline v1::qonnx {

/// The pass after which each initializer is read once, so that whoever changes what a node reads changes that node
/// alone.
Pass unique_parameters();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/unique_parameters.ipp>
#endif
