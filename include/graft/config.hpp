#pragma once
// Header-only by default: umbrella headers such as <graft/simplify.hpp> include the bodies, which are inline. With
// GRAFT_COMPILED, headers only declare. Then the library graft::compiled has the bodies, or a source file that includes
// <graft/src.hpp>.
#ifdef GRAFT_COMPILED
#define GRAFT_INLINE
#else
#define GRAFT_INLINE inline
#ifndef GRAFT_UMBRELLA
#error "this header has no bodies: include an umbrella such as <graft/simplify.hpp> first, or define GRAFT_COMPILED"
#endif
#endif
