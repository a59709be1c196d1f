#pragma once
// Header-only by default: each header includes its bodies, the .ipp beside it, which are inline. With GRAFT_COMPILED,
// which the target graft::compiled defines, headers only declare, and the bodies are compiled once, in its library.
#ifdef GRAFT_COMPILED
#define GRAFT_INLINE
#else
#define GRAFT_INLINE inline
#endif
