#pragma once
#include <cstddef>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  own::F(a) = Neg(a), own::G(a) = ..., h = own::F(x), y = own::G(h)
// After:   own::G(a) = ..., h = Neg(x), y = own::G(h)
//
// inline_functions() for some of the functions. In the others their calls are replaced, too, and they are taken away. A
// function stays, with a note, if one that stays calls it, directly or by way of others that are written out, and
// imports another version of a domain, or none: the nodes of the one would mean something else in the other. With
// training_info, which may call functions too, none is taken away.

/// Writes out the functions of at most so many nodes, bodies included; the small functions that they call are written
/// out first. One that calls itself is not small.
Pass inline_small_functions(std::size_t most_nodes = 2);

/// Writes out each function of which some call uses fewer outputs than it has, so that what makes the others can go.
Pass inline_functions_with_unused_outputs();

// Before:  own::F(a) = Neg(a), own::G(a) = Abs(a), y = own::F(x)
// After:   own::F(a) = Neg(a), y = own::F(x)
//
// Nothing calls own::G: neither the main graph nor, directly or not, a function that it calls.

/// Takes away local functions that nothing calls, and imports of their domains that nothing needs any more. A function
/// is known by domain, name and overload. With training_info, which may call functions too, all stay.
Pass remove_unused_functions();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/functions.ipp>
#endif
