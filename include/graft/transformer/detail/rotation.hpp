#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Heads x, of rank 4, rotated by angles: pairs (a, b) become (a cos - b sin, a sin + b cos).
class Rotation {
 public:
  /// Cosines and sines have half the width of x. They broadcast to x or, without an axis for heads, are [batch, steps,
  /// half]. Interleaved pairs are neighbours; other pairs have an element of each half.
  Rotation(Value& x, Value& cosines, Value& sines, bool interleaved = false, bool has_heads_axis = true)
      : x_(&x), cosines_(&cosines), sines_(&sines), interleaved_(interleaved), has_heads_axis_(has_heads_axis) {}

  /// Replaces the result by RotaryEmbedding of com.microsoft or the main domain, whichever the runtime has.
  Verdict replace(Rewriter& rewriter, Value& result);

 private:
  /// Whether shapes are known, and each step and pair has an angle, the same for all heads.
  Verdict read();
  Value& contrib(Rewriter& rewriter) const;
  Value& standard(Rewriter& rewriter) const;
  Value& table(Rewriter& rewriter, Value& angles) const;
  Value& by_step(Rewriter& rewriter, Value& angles) const;
  Value& positions(Rewriter& rewriter) const;

  Value *x_, *cosines_, *sines_;
  bool interleaved_, has_heads_axis_;
  std::size_t heads_axis_ = 1;  // 1 or 2; steps are the other of them
  bool one_batch_ = false;      // angles are the same for all batches
  std::int64_t half_ = 0;
};

/// Whether a and b are the halves of the last axis of x or, if interleaved, its even and odd elements.
Verdict are_pairs(KnownContents& known, const Value& x, const Value& a, const Value& b, bool interleaved);

/// Whether two values are the first elements of the last axis of x and the rest.
Verdict are_start_and_rest(KnownContents& known, const Value& x, const Value& start, const Value& rest);

}  // namespace graft::inline v1::detail
