#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  own::F(a) = Neg(a), own::G(a) = Abs(a), y = own::F(x)
// After:   own::F(a) = Neg(a), y = own::F(x)
//
// Nothing calls own::G: neither the main graph nor, directly or not, a function that it calls.

namespace graft::inline v1 {

/// Takes away local functions that nothing calls, and imports of their domains that nothing needs any more. A function
/// is known by domain, name and overload. With training_info, which may call functions too, all stay.
Pass remove_unused_functions();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/remove_unused_functions.ipp>
#endif
