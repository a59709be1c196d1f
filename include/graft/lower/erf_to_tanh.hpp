#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Erf(x)
// After:   Tanh(x * 605/503)
//
// x is of floats. Values change, by less than 0.02 (most where |x| is about 1.4). For accelerators that have Tanh,
// but not Erf.

namespace graft::inline v1 {

extern const RuleView erf_to_tanh;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass erfs_to_tanhs();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/erf_to_tanh.ipp>
#endif
