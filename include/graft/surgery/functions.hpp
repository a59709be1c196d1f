#pragma once
#include <cstddef>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  own::F(a) = Neg(a), own::G(a) = ..., h = own::F(x), y = own::G(h)
// After:   own::G(a) = ..., h = Neg(x), y = own::G(h)
//
// The passes below inline some of the functions, and remove them. They replace calls in other functions, too. A
// function stays, with a note, if a remaining function calls it, directly or through inlined ones, and imports another
// version of a domain, or does not import it: its nodes would change their meaning there. If the model has
// training_info, no function is removed, because training_info may call functions.

/// Inlines functions of at most this many nodes, bodies included, after inlining the small functions that they call. A
/// function that calls itself stays.
Pass inline_small_functions(std::size_t max_nodes = 2);

/// Inlines each function with a call that leaves some outputs unused, so that the nodes of these outputs become dead
/// code.
Pass inline_functions_with_unused_outputs();

// Before:  own::F(a) = Neg(a), own::G(a) = Abs(a), y = own::F(x)
// After:   own::F(a) = Neg(a), y = own::F(x)
//
// The main graph does not call own::G, directly or through other functions.

/// Removes uncalled local functions, and imports of their domains that are then unused. A call identifies a function by
/// domain, name and overload. If the model has training_info, all stay, because it may call functions.
Pass remove_unused_functions();

}  // namespace graft::inline v1
