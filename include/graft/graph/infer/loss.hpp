#pragma once
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss. scores: [N, C, ...]; labels: [N, ...]. The output is a scalar,
/// or like the labels with reduction "none". The second output of SoftmaxCrossEntropyLoss is like the scores.
inline Verdict loss(InferContext& c) {
  const Shape scores = c.shape(0), labels = c.shape(1);
  c.set_shape(1, scores);
  if (c.attr<std::string_view>("reduction").value_or("mean") != "none") {
    c.set_shape(0, std::vector<Dim>());
    return Verdict::yes();
  }
  c.set_shape(0, labels);
  if (!scores.known()) return Verdict::yes();
  if (scores.rank() < 2) return Verdict::no("the scores have no classes");
  std::vector<Dim> out = to_dims(scores);
  out.erase(out.begin() + 1);
  if (labels.known()) {
    if (labels.rank() != out.size()) return Verdict::no("scores and labels do not fit in rank");
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
      const auto dim = unify(out[axis], labels[axis]);
      if (!dim) return Verdict::no("scores and labels differ in extent");
      out[axis] = *dim;
    }
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
