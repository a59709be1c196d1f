#pragma once
#include <optional>
#include <string>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  past_key, past_value: float32 or float16 [batch, heads, steps, size]
//          com.microsoft::GroupQueryAttention(q, k?, v?, past_key, past_value, lengths, total, ...)
// After:   past_key, past_value: int8, or uint8 [batch, heads, steps, size / 2] that holds two values of 4 bits
//          com.microsoft::GroupQueryAttention(..., k_scale, v_scale) {k_quant_type = v_quant_type = PER_CHANNEL,
//            kv_cache_bit_width}
//
// past_key and past_value are inputs of the graph, of which other nodes read extents alone, with 4 bits not the last
// one. present_key and present_value are outputs of the graph, which nothing reads. The pass removes Casts between
// float16 of the graph and float32 of the node.

namespace graft::inline v1 {

/// The pass that stores the key-value caches of com.microsoft::GroupQueryAttention in 8 or 4 bits, with a scale for
/// each feature of each head. It changes the signature: inputs and outputs of the model become integers, and the notes
/// list them. A first run takes caches of 0 steps; each later run takes those that the run before returned. Passes that
/// run samples stand before this one, because the samples have float caches.
///
/// The greatest magnitude of a feature on samples has the greatest code, and q = saturate(round_half_even(x / scale)).
/// Where rotary embedding turns keys, both features of a pair have the magnitude of the pair, so that positions beyond
/// those of the samples fit as well. That needs the operator's do_rotary, or a RotaryEmbedding in front of its keys;
/// between them may be nodes that move whole heads or convert them: Reshape, Transpose, Cast and the like.
///
/// Nodes whose cache cannot be changed stay in float; the first notes give the reason by node. Throws Error as
/// check_cache() does, if no sample can be read, and as calibrate() does.
Pass quantize_cache(const Target& target, int bits, SampleSource samples, ExecutorFactory make_executor = {});

/// Throws Error if the target has no kernel for key-value caches of these bits, Target::cache_bits. It names the
/// release that has one.
void check_cache(const Target& target, int bits);

/// The first release of the runtime that has such a kernel, and that adds a mask to its scores; nullopt if none is
/// known.
std::optional<Release> first_release_with_cache(const Target& target, int bits);

/// Why quantize_cache() would leave each cache of the graph in float; empty if it would change one.
std::string why_caches_stay(const Graph& graph, const Target& target, int bits);

}  // namespace graft::inline v1
