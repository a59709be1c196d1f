#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Takes away local functions that nothing calls: neither the main graph nor, directly or not, a function that it
/// calls. A function is known by domain, name and overload. Opset imports stay. With training_info, which may call
/// functions too, all stay.
Pass remove_unused_functions();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/remove_unused_functions.ipp>
#endif
