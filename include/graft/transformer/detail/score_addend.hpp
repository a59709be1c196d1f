#pragma once
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// The addend of scores: the sum of their biases and their mask. Attentions with the same addends share it.
class ScoreAddend {
 public:
  ScoreAddend(Rewriter& rewriter, const Node& root, DType dtype) : rewriter_(rewriter), root_(root), dtype_(dtype) {}

  void add(Value* more);
  /// Hides scores, with their biases, where a condition is false (`keeps`) or true.
  void hide(Value& condition, const Tensor& low, bool keeps);

  /// nullptr without addends.
  Value* sum() const { return sum_; }
  /// Whether the sum may be infinite while the scores are not.
  bool may_overflow() const { return may_overflow_; }

 private:
  Rewriter& rewriter_;
  const Node& root_;
  DType dtype_;
  Value* sum_ = nullptr;
  bool may_overflow_ = false;
};

}  // namespace graft::inline v1::detail
