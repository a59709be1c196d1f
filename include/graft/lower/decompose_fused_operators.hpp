#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The fused operators of transformers become primitives of the main domain, for runtimes without them: embeddings,
/// attention, normalizations, Gelus, rotary embeddings. What transformer_fusions() makes, this takes apart. Types are
/// inferred first. Values stay, to rounding. What a rule refuses stays; the header of each says what that is.
Pass decompose_fused_operators();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_fused_operators.ipp>
#endif
