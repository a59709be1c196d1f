#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y = f(x), with y used by nothing; an initializer that nothing reads
// After:   nothing
//
// y is no output of its graph; the initializer is no graph input and named by no quantization_annotation.

namespace graft::inline v1 {

/// Erases nodes whose outputs nothing uses, and initializers that nothing reads, in the main graph, bodies and
/// functions. Graph inputs stay: they are the signature.
Pass eliminate_dead_code();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/eliminate_dead_code.ipp>
#endif
