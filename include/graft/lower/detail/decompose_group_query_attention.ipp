#pragma once
#include <graft/lower/detail/decompose_group_query_attention.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/lower/detail/attention_node.hpp>
#include <graft/lower/detail/attention_primitives.hpp>

namespace graft::inline v1::detail {

class GroupQueryDecomposition {
 public:
  GroupQueryDecomposition(Rewriter& rewriter, Node& node)
      : rewriter_(rewriter), node_(node), build_(rewriter, node.input(0)->dtype()) {}

  Verdict read();
  Verdict replace();

 private:
  Value& turned(Value& heads);
  Value& present(Value* past, Value& fresh);
  Value& keep();

  Rewriter& rewriter_;
  Node& node_;
  AttentionPrimitives build_;
  std::int64_t heads_ = 0, groups_ = 0, size_ = 0;
  double scale_ = 1;
  Value *ends_ = nullptr, *past_ = nullptr;     // [batch, 1]: valid steps, and those before the new ones
  Value *steps_ = nullptr, *keys_ = nullptr;    // numbers of rank 0
  Value *at_ = nullptr, *positions_ = nullptr;  // of keys, [keys]; of queries, [batch, steps]
};

GRAFT_INLINE Verdict GroupQueryDecomposition::read() {
  constexpr std::array<std::string_view, 8> covered{
      "num_heads",          "kv_num_heads",     "scale", "softcap", "local_window_size", "do_rotary",
      "rotary_interleaved", "mask_filter_value"};
  for (const onnx::AttributeProto& attribute : node_.proto().attribute()) {
    const bool known = std::find(covered.begin(), covered.end(), attribute.name()) != covered.end();
    if (!known && attribute.i() > 0) return Verdict::no("one of its attributes is not supported");
  }
  for (std::size_t i = 11; i < node_.input_count(); ++i)
    if (node_.input(i) != nullptr) return Verdict::no("it has head sinks or later inputs");
  heads_ = integer_of(node_, "num_heads");
  groups_ = integer_of(node_, "kv_num_heads");
  if (heads_ < 1 || groups_ < 1 || heads_ % groups_ != 0)
    return Verdict::no("its number of heads is not a multiple of that of keys");
  const bool packed = node_.input(1) == nullptr;
  const Dim size = size_of(dim_of(*node_.input(0), 2), packed ? heads_ + 2 * groups_ : heads_);
  const auto scale = scale_of(node_, size);
  if (!scale || !size.known()) return Verdict::no("the size of its heads is not known");
  if (!packed && node_.input(2) == nullptr) return Verdict::no("it has no values");
  if (node_.input(5) == nullptr || node_.input(6) == nullptr) return Verdict::no("it has no lengths");
  if (integer_of(node_, "do_rotary") != 0) {
    if (node_.input(7) == nullptr || node_.input(8) == nullptr || dim_of(*node_.input(7), 1) != Dim(size.value() / 2))
      return Verdict::no("it rotates a part of its heads, or its angles are not known");
  }
  size_ = size.value();
  scale_ = *scale;
  return Verdict::yes();
}

/// Rotates pairs of elements of heads [batch, heads, steps, size] by the angles of their positions.
GRAFT_INLINE Value& GroupQueryDecomposition::turned(Value& heads) {
  const auto angles = [&](std::size_t i) -> Value& {
    return build_.unsqueeze(build_.op("Gather", {node_.input(i), positions_}, {{"axis", 0}}), {1});
  };
  const bool interleaved = integer_of(node_, "rotary_interleaved") != 0;
  const std::int64_t half = size_ / 2;
  const auto part = [&](std::int64_t first, std::int64_t end, std::int64_t step) -> Value& {
    return build_.op("Slice",
                     {&heads, &build_.ints({first}), &build_.ints({end}), &build_.ints({-1}), &build_.ints({step})});
  };
  Value& a = interleaved ? part(0, size_, 2) : part(0, half, 1);
  Value& b = interleaved ? part(1, size_, 2) : part(half, size_, 1);
  Value &cosine = angles(7), &sine = angles(8);
  Value& real = build_.op("Sub", {&build_.op("Mul", {&a, &cosine}), &build_.op("Mul", {&b, &sine})});
  Value& imaginary = build_.op("Add", {&build_.op("Mul", {&a, &sine}), &build_.op("Mul", {&b, &cosine})});
  if (!interleaved) return build_.op("Concat", {&real, &imaginary}, {{"axis", -1}});
  Value& pairs =
      build_.op("Concat", {&build_.unsqueeze(real, {-1}), &build_.unsqueeze(imaginary, {-1})}, {{"axis", -1}});
  return build_.op("Reshape", {&pairs, &build_.ints({0, 0, 0, size_})});
}

/// The past of each batch, then the new steps, then zeros: [batch, groups, keys, size].
GRAFT_INLINE Value& GroupQueryDecomposition::present(Value* past, Value& fresh) {
  Value& all = build_.behind(past, fresh);
  Value& held = past == nullptr ? build_.integer(0) : build_.extent(*past, 2);
  Value& is_past = build_.op("Less", {at_, past_});
  Value& moved = build_.op("Add", {&build_.op("Sub", {at_, past_}), &held});
  Value& is_there = build_.op("Less", {at_, &build_.op("Add", {past_, steps_})});
  Value& from = build_.op("Where", {&is_there, &build_.op("Where", {&is_past, at_, &moved}), &build_.integer(0)});
  Value& rows = build_.op("Expand", {&build_.unsqueeze(from, {1, 3}), &build_.ints({1, groups_, 1, size_})});
  Value& taken = build_.op("GatherElements", {&all, &rows}, {{"axis", 2}});
  return build_.op("Where", {&build_.unsqueeze(is_there, {1, 3}), &taken, &build_.number(0)});
}

/// The keys that each query sees: [batch, 1, steps, keys].
GRAFT_INLINE Value& GroupQueryDecomposition::keep() {
  Value& last = build_.unsqueeze(*positions_, {2});
  Value* seen = &build_.op(
      "And", {&build_.op("LessOrEqual", {at_, &last}), &build_.op("Less", {at_, &build_.unsqueeze(*ends_, {2})})});
  if (const std::int64_t window = integer_of(node_, "local_window_size", -1); window >= 0) {
    Value& first = build_.op("Sub", {&last, &build_.integer(window)});
    seen = &build_.op("And", {seen, &build_.op("Greater", {at_, &first})});
  }
  return build_.unsqueeze(*seen, {1});
}

GRAFT_INLINE Verdict GroupQueryDecomposition::replace() {
  const auto as_i64 = [&](Value& value) -> Value& { return build_.op("Cast", {&value}, {{"to", DType::i64}}); };
  Value *q = node_.input(0), *k = node_.input(1), *v = node_.input(2);
  if (k == nullptr) {
    k = &build_.columns(*node_.input(0), heads_ * size_, groups_ * size_);
    v = &build_.columns(*node_.input(0), (heads_ + groups_) * size_, groups_ * size_);
    q = &build_.columns(*node_.input(0), 0, heads_ * size_);
  }
  steps_ = &build_.extent(*node_.input(0), 1);
  Value& total = build_.op("Reshape", {&as_i64(*node_.input(6)), &build_.ints({})});
  ends_ =
      &build_.op("Reshape", {&build_.op("Add", {&as_i64(*node_.input(5)), &build_.integer(1)}), &build_.ints({-1, 1})});
  // If all steps are new, a padded batch has no past either.
  past_ = &build_.op("Where",
                     {&build_.op("Equal", {&total, steps_}), &build_.integer(0), &build_.op("Sub", {ends_, steps_})});
  Value* const past_key = node_.input(3);
  keys_ = past_key == nullptr ? &total : &build_.op("Max", {&build_.extent(*past_key, 2), &total});
  at_ = &build_.range(*keys_);
  Value& given = build_.op("Add", {past_, &build_.range(*steps_)});
  positions_ = &given;
  Value &q_heads = build_.split_heads(*q, heads_), &k_heads = build_.split_heads(*k, groups_);
  Value *query = &q_heads, *fresh = &k_heads;
  if (integer_of(node_, "do_rotary") != 0) {
    if (node_.input(9) != nullptr) positions_ = node_.input(9);
    query = &turned(q_heads);
    fresh = &turned(k_heads);
    positions_ = &given;
  }
  Value& keys = present(past_key, *fresh);
  Value& values = present(node_.input(4), build_.split_heads(*v, groups_));
  const std::int64_t times = heads_ / groups_;
  Value* scores = &build_.scores(*query, build_.repeat_heads(keys, groups_, times), scale_);
  scores = &build_.capped(*scores, static_cast<double>(node_.attr<float>("softcap").value_or(0)));
  if (node_.input(10) != nullptr) scores = &build_.op("Add", {scores, node_.input(10)});
  scores = &build_.op("Where", {&keep(), scores, &build_.number(minus_infinity)});
  Value& result = build_.weighted(*scores, build_.repeat_heads(values, groups_, times));
  return replace_attention(rewriter_, node_, build_.join_heads(result, heads_), &keys, &values);
}

GRAFT_INLINE Verdict decompose_group_query(Rewriter& rewriter, Node& node) {
  if (Verdict fits = is_computable(node, 3); !fits) return fits;
  GroupQueryDecomposition decomposition(rewriter, node);
  if (Verdict fits = decomposition.read(); !fits) return fits;
  return decomposition.replace();
}

}  // namespace graft::inline v1::detail
