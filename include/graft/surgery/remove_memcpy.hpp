#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  MemcpyFromHost(x), MemcpyToHost(x)
// After:   x
//
// ONNX Runtime writes them, of the main domain or of com.microsoft, into models that it saves after it placed their
// nodes on devices. Where the result is a graph output, what makes x gets its name; an Identity takes the place of the
// copy where nothing could bear it: x is an input, an initializer, an output already, or of a scope outside. Values,
// shapes and signature do not change.

namespace graft::inline v1 {

/// Takes out copies between devices, in bodies and functions too.
Pass remove_memcpy();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/remove_memcpy.ipp>
#endif
