#pragma once
#include <graft/transformer/detail/rotation.hpp>

#include <array>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/vocabulary/slice_range.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Verdict Rotation::read() {
  const Shape whole = x_->shape(), angles = cosines_->shape(), others = sines_->shape();
  if (whole.rank() != 4) return Verdict::no("the rotated value is not known to have rank 4");
  if (!angles.known() || angles.rank() < 2 || angles.rank() > 4 || !same_size(angles, others))
    return Verdict::no("cosines and sines are not known to have one shape");
  const Dim width = angles[angles.rank() - 1];
  if (!width.known() || !whole[3].known() || whole[3].value() != 2 * width.value() || width.value() == 0)
    return Verdict::no("the number of angles is not that of pairs");
  half_ = width.value();
  std::array<Dim, 4> dims{Dim(1), Dim(1), Dim(1), Dim(1)};
  if (has_heads_axis_) {
    for (std::size_t axis = 0; axis < angles.rank(); ++axis) dims[axis + 4 - angles.rank()] = angles[axis];
  } else {
    if (angles.rank() != 3) return Verdict::no("its angles are not known to be of rank 3");
    dims = {angles[0], Dim(1), angles[1], angles[2]};
  }
  if (dims[1] == Dim(1) && same_size(dims[2], whole[2])) {
    heads_axis_ = 1;
  } else if (dims[2] == Dim(1) && same_size(dims[1], whole[1])) {
    heads_axis_ = 2;
  } else {
    return Verdict::no("the number of angles is not that of steps");
  }
  one_batch_ = dims[0] == Dim(1);
  if (!one_batch_ && !same_size(dims[0], whole[0])) return Verdict::no("the angles may have another batch");
  if (!whole[heads_axis_].known()) return Verdict::no("the number of heads is not known");
  if (x_->dtype() != cosines_->dtype() || x_->dtype() != sines_->dtype())
    return Verdict::no("the angles have another type");
  return Verdict::yes();
}

/// A table with a row for each step of each batch.
GRAFT_INLINE Value& Rotation::table(Rewriter& rewriter, Value& angles) const {
  if (angles.shape().rank() == 2) return angles;
  return rewriter.op("Reshape", {&angles, &rewriter.ints({-1, half_})});
}

/// The row of each step, counted through all batches, or from the first one if batches share the rows.
GRAFT_INLINE Value& Rotation::positions(Rewriter& rewriter) const {
  if (one_batch_) return rewriter.ints({0});
  const auto number = [&](std::int64_t value) { return &rewriter.constant(Tensor::scalar(value), "number"); };
  const std::size_t rank = cosines_->shape().rank();
  const std::int64_t steps = rank == 3 ? 1 : heads_axis_ == 1 ? 2 : 1;
  Value& dims =
      rewriter.op("Gather", {&rewriter.op("Shape", {cosines_}), &rewriter.ints({0, steps})}, {{"axis", 0}});
  Value& count = rewriter.op("ReduceProd", {&dims}, {{"keepdims", 0}});
  // There may be no step, and 0 would copy another extent.
  const Attributes as_given = cosines_->graph().opset() < 14 ? Attributes() : Attributes{{"allowzero", 1}};
  return rewriter.op("Reshape", {&rewriter.op("Range", {number(0), &count, number(1)}), &dims}, as_given);
}

GRAFT_INLINE Value& Rotation::contrib(Rewriter& rewriter) const {
  Value& rows = positions(rewriter);
  Value &cosine = table(rewriter, *cosines_), &sine = table(rewriter, *sines_);
  Attributes attributes;
  if (interleaved_) attributes.emplace_back("interleaved", 1);
  const auto turned = [&](Value& heads) -> Value& {
    Value& made = rewriter.op("com.microsoft::RotaryEmbedding", {&heads, &rows, &cosine, &sine}, attributes);
    if (heads.type() != nullptr) made.graph().declare_type(made, *heads.type());
    return made;
  };
  const Dim heads = x_->shape()[heads_axis_];
  if (heads_axis_ == 2) {
    Value& flat = rewriter.op("Reshape", {x_, &rewriter.ints({0, 0, heads.value() * 2 * half_})});
    return rewriter.op("Reshape", {&turned(flat), &rewriter.ints({0, 0, heads.value(), 2 * half_})});
  }
  // Before the Transpose of the heads, where attention looks for its inputs.
  const HeadView view = head_view(*x_, false);
  if (view.flat == nullptr || view.steps_first || view.factor != 1) return turned(*x_);
  return split_heads(rewriter, turned(*view.flat), heads.value(), 2 * half_);
}

/// [batch, steps, half]
GRAFT_INLINE Value& Rotation::by_step(Rewriter& rewriter, Value& angles) const {
  const std::size_t rank = angles.shape().rank();
  if (rank == 3) return angles;
  // An Unsqueeze may have added an axis for the heads.
  const Node* const added = made_by(angles, "Unsqueeze");
  if (rank == 4 && added != nullptr) {
    const Shape whole = x_->shape(), given = added->input(0)->shape();
    const std::size_t steps_axis = heads_axis_ == 1 ? 2 : 1;
    const bool fits = given.rank() == 3 && same_size(given[0], angles.shape()[0]) &&
                      same_size(given[1], whole[steps_axis]) && given[2] == Dim(half_);
    if (fits) return *added->input(0);
  }
  Value& axes = rewriter.ints({rank == 2 ? 0 : static_cast<std::int64_t>(heads_axis_)});
  return rewriter.op(rank == 2 ? "Unsqueeze" : "Squeeze", {&angles, &axes});
}

GRAFT_INLINE Value& Rotation::standard(Rewriter& rewriter) const {
  Value &cosine = by_step(rewriter, *cosines_), &sine = by_step(rewriter, *sines_);
  const std::int64_t heads = x_->shape()[heads_axis_].value();
  Attributes attributes;
  if (interleaved_) attributes.emplace_back("interleaved", 1);
  if (heads_axis_ == 1) return rewriter.op("RotaryEmbedding", {x_, &cosine, &sine}, attributes);
  attributes.emplace_back("num_heads", heads);
  Value& flat = rewriter.op("Reshape", {x_, &rewriter.ints({0, 0, heads * 2 * half_})});
  Value& turned = rewriter.op("RotaryEmbedding", {&flat, &cosine, &sine}, attributes);
  return rewriter.op("Reshape", {&turned, &rewriter.ints({0, 0, heads, 2 * half_})});
}

GRAFT_INLINE Verdict Rotation::replace(Rewriter& rewriter, Value& result) {
  if (Verdict fits = read(); !fits) return fits;
  const FusedOperators& runtime = rules::operators_given(rewriter.context());
  const DType dtype = x_->dtype();
  if (runtime.contains("com.microsoft::RotaryEmbedding") && (dtype == DType::f32 || dtype == DType::f16)) {
    if (result.graph().opset() < 13) return Verdict::no("it needs opset 13");
    return rewriter.replace(result, contrib(rewriter));
  }
  if (!runtime.contains("RotaryEmbedding") || result.graph().opset() < 23)
    return Verdict::no("the runtime has no operator for this dtype and opset");
  if (has_heads_axis_ && heads_axis_ == 2 && cosines_->shape().rank() == 3)
    return Verdict::no("the angles have no axis for batches");
  if (one_batch_ && x_->shape()[0] != Dim(1)) return Verdict::no("the operator requires angles for each batch");
  return rewriter.replace(result, standard(rewriter));
}

/// The elements of x's last axis that a Slice or Split of x takes: start, step and number.
inline std::optional<vocabulary::SliceElements> taken_directly(KnownContents& known, const Value& part,
                                                               const Value& x) {
  const Node* const node = part.producer();
  const Shape whole = x.shape();
  if (node == nullptr || node->input(0) != &x || whole.rank() == 0 || !whole[whole.rank() - 1].known())
    return std::nullopt;
  const auto last = static_cast<std::int64_t>(whole.rank()) - 1;
  const std::int64_t extent = whole[whole.rank() - 1].value();
  if (node->is("Split")) {
    const auto axis = node->attr<std::int64_t>("axis").value_or(0);
    if (axis != last && axis != -1) return std::nullopt;
    std::int64_t start = 0;
    for (std::size_t i = 0; i < part.index(); ++i) {
      const Shape before = node->output(i)->shape();
      if (before.rank() != whole.rank() || !before[whole.rank() - 1].known()) return std::nullopt;
      start += before[whole.rank() - 1].value();
    }
    const Shape taken = part.shape();
    if (taken.rank() != whole.rank() || !taken[whole.rank() - 1].known()) return std::nullopt;
    return vocabulary::SliceElements{start, 1, taken[whole.rank() - 1].value()};
  }
  if (!node->is("Slice") || node->opset() < 10) return std::nullopt;
  const auto number = [&](std::size_t i, std::int64_t absent) -> std::optional<std::int64_t> {
    if (node->input(i) == nullptr) return absent;
    const auto all = known.ints(*node->input(i));
    return all && all->size() == 1 ? std::optional(all->front()) : std::nullopt;
  };
  const auto start = number(1, 0), end = number(2, 0), axis = number(3, 0), step = number(4, 1);
  if (!start || !end || !axis || !step || *step == 0 || (*axis != last && *axis != -1)) return std::nullopt;
  return vocabulary::elements_of({*start, *end, *step}, extent);
}

/// The same, if x and the part may both be taken from one value: a Slice of a Slice is simplified to one.
inline std::optional<vocabulary::SliceElements> elements_taken(KnownContents& known, const Value& part,
                                                               const Value& x) {
  if (auto direct = taken_directly(known, part, x)) return direct;
  const Node* const taking = x.producer();
  if (taking == nullptr || taking->input_count() == 0 || taking->input(0) == nullptr) return std::nullopt;
  const auto outer = taken_directly(known, x, *taking->input(0));
  auto within = taken_directly(known, part, *taking->input(0));
  if (!outer || !within || outer->step != 1 || within->start < outer->start) return std::nullopt;
  within->start -= outer->start;
  return within;
}

GRAFT_INLINE Verdict are_pairs(KnownContents& known, const Value& x, const Value& a, const Value& b, bool interleaved) {
  const auto first = elements_taken(known, a, x), second = elements_taken(known, b, x);
  if (!first || !second) return Verdict::no("the elements of the pairs are not known");
  const std::int64_t half = x.shape()[x.shape().rank() - 1].value() / 2;
  const auto takes = [&](const vocabulary::SliceElements& part, std::int64_t start, std::int64_t step) {
    return part.start == start && (part.step == step || half == 1) && part.count == half;
  };
  const bool paired =
      interleaved ? takes(*first, 0, 2) && takes(*second, 1, 2) : takes(*first, 0, 1) && takes(*second, half, 1);
  return paired ? Verdict::yes() : Verdict::no("the pairs have other elements");
}

GRAFT_INLINE Verdict are_start_and_rest(KnownContents& known, const Value& x, const Value& start, const Value& rest) {
  const auto first = elements_taken(known, start, x), second = elements_taken(known, rest, x);
  if (!first || !second) return Verdict::no("the rotated elements are not known");
  const std::int64_t size = x.shape()[x.shape().rank() - 1].value();
  const bool parted = first->start == 0 && first->step == 1 && second->step == 1 && second->start == first->count &&
                      first->count + second->count == size && first->count > 0;
  return parted ? Verdict::yes() : Verdict::no("the parts are not the start and the rest");
}

}  // namespace graft::inline v1::detail
