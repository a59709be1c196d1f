#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/detail/read_constant.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/table.hpp>

// The value of an attribute or parameter of a node, as a slot.

namespace graft::inline v1::detail {

/// Why::none: the slot is filled. Why::attribute_absent: the node has neither the attribute nor a default.
struct AttributeValue {
  Why why = Why::none;
  Slot slot{};

  static AttributeValue fails(Why why) { return {why, {}}; }
  static AttributeValue number(std::int64_t i) {
    AttributeValue value;
    value.slot.state = Slot::State::bound;
    value.slot.i = i;
    return value;
  }
  static AttributeValue real(float f) {
    AttributeValue value = number(0);
    value.slot.f = f;
    return value;
  }
  template <class T>
  static AttributeValue over(const T* data, std::size_t size) {
    AttributeValue value = number(0);
    value.slot.data = data;
    value.slot.size = size;
    return value;
  }
  static AttributeValue list(const auto& elements) {
    return over(elements.data(), static_cast<std::size_t>(elements.size()));
  }
};

inline bool is_axis(Kind kind) { return kind == Kind::axis || kind == Kind::axes; }
inline bool is_int_list(Kind kind) { return kind == Kind::ints || kind == Kind::axes; }

inline AttributeValue from_tensor_attribute(const onnx::TensorProto& given, Arena& arena) {
  try {
    return AttributeValue::over(&arena.keep(read_tensor(given)), 1);
  } catch (const Error&) {
    return AttributeValue::fails(Why::attribute_unreadable);
  }
}

inline AttributeValue from_proto(Kind wanted, const onnx::AttributeProto& given, Arena& arena) {
  using A = onnx::AttributeProto;
  if (is_reference(given)) return AttributeValue::fails(Why::attribute_type);
  const AttributeKind has = kind(given);
  const bool empty_list = has == A::UNDEFINED;
  switch (wanted) {
    case Kind::i64:
    case Kind::boolean:
    case Kind::dtype:
    case Kind::axis:
      if (has == A::INT) return AttributeValue::number(given.i());
      break;
    case Kind::f32:
      if (has == A::FLOAT) return AttributeValue::real(given.f());
      break;
    case Kind::str:
      if (has == A::STRING) return AttributeValue::list(given.s());
      break;
    case Kind::ints:
    case Kind::axes:
      if (has == A::INTS || empty_list) return AttributeValue::list(given.ints());
      break;
    case Kind::floats:
      if (has == A::FLOATS || empty_list) return AttributeValue::list(given.floats());
      break;
    case Kind::tensor:
      if (has == A::TENSOR) return from_tensor_attribute(given.t(), arena);
      break;
    default: break;
  }
  return AttributeValue::fails(Why::attribute_type);
}

/// A constant input instead of an attribute.
inline AttributeValue from_tensor(Kind wanted, Tensor given, Arena& arena) {
  const bool whole = is_integer(given.dtype()), real = is_float(given.dtype()), one = given.size() == 1;
  const bool flag = given.dtype() == DType::boolean;
  switch (wanted) {
    case Kind::boolean:
      if (flag && one) return AttributeValue::number(given.item<bool>());
      break;
    case Kind::i64:
    case Kind::dtype:
    case Kind::axis:
      if (whole && one) return AttributeValue::number(given.item<std::int64_t>());
      break;
    case Kind::f32:
      if (real && one) return AttributeValue::real(given.item<float>());
      break;
    case Kind::ints:
    case Kind::axes:
      if (whole) return AttributeValue::list(arena.keep(given.to<std::int64_t>()));
      break;
    case Kind::floats:
      if (real) return AttributeValue::list(arena.keep(given.to<float>()));
      break;
    case Kind::tensor: return AttributeValue::over(&arena.keep(std::move(given)), 1);
    default: break;
  }
  return AttributeValue::fails(Why::attribute_type);
}

/// A list with one value for each spatial axis of the first input, as strides, or for each of its two ends, as pads.
inline AttributeValue from_filled_default(const schema::Attribute& facts, const Node& node, Arena& arena) {
  const bool is_list = facts.type == schema::AttributeType::ints;
  if (!is_list || node.input(0) == nullptr) return AttributeValue::fails(Why::attribute_absent);
  const Shape shape = node.input(0)->shape();
  if (!shape.known() || shape.rank() < 2) return AttributeValue::fails(Why::attribute_rank_unknown);
  const std::size_t spatial = shape.rank() - 2;
  return AttributeValue::list(
      arena.keep(Ints(facts.name() == "pads" ? 2 * spatial : spatial, facts.fill())));
}

inline AttributeValue from_default(Kind wanted, const schema::Attribute& facts, const Node& node, Arena& arena) {
  if (facts.kind == schema::Default::filled && is_int_list(wanted)) return from_filled_default(facts, node, arena);
  if (facts.kind != schema::Default::value) return AttributeValue::fails(Why::attribute_absent);
  switch (wanted) {
    case Kind::i64:
    case Kind::boolean:
    case Kind::dtype:
    case Kind::axis:
      if (const auto i = facts.default_as<std::int64_t>()) return AttributeValue::number(*i);
      break;
    case Kind::f32:
      if (const auto f = facts.default_as<float>()) return AttributeValue::real(*f);
      break;
    case Kind::str:
      if (const auto s = facts.default_as<std::string_view>()) return AttributeValue::list(*s);
      break;
    case Kind::ints:
    case Kind::axes:
      if (const auto list = facts.default_as<std::span<const std::int64_t>>()) return AttributeValue::list(*list);
      break;
    default: break;
  }
  return AttributeValue::fails(Why::attribute_type);
}

/// The attribute's value or default; axes keep their signs. `position`: the input of a param.
inline AttributeValue raw_attribute(const PatternAttr& wanted, const Node& node, Arena& arena, std::size_t& position) {
  std::string_view name = wanted.name;
  const schema::Operator* facts = nullptr;
  if (wanted.param && (facts = node.schema()) != nullptr) {
    const schema::Place place = schema::parameter(*facts, name);
    if (place.kind == schema::Place::Kind::input) {
      position = place.index;
      const Value* const value = node.input(place.index);
      if (value == nullptr) return AttributeValue::fails(Why::attribute_absent);
      auto [tensor, why_not] = read_constant(*value);
      if (!why_not.empty()) return AttributeValue::fails(Why::attribute_unreadable);
      if (!tensor) return AttributeValue::fails(Why::attribute_not_constant);
      return from_tensor(wanted.type, *std::move(tensor), arena);
    }
    if (place.kind == schema::Place::Kind::attribute) name = facts->attributes()[place.index].name();
  }
  if (const onnx::AttributeProto* const given = node.attribute(name)) return from_proto(wanted.type, *given, arena);
  if (facts == nullptr) facts = node.schema();
  const schema::Attribute* const known = facts == nullptr ? nullptr : facts->attribute(name);
  if (known == nullptr) return AttributeValue::fails(Why::attribute_absent);
  return from_default(wanted.type, *known, node, arena);
}

/// The rank for an operator's axes: that of its first input, plus the axes that the operator adds.
inline std::optional<std::int64_t> axis_rank(const Node& node, std::size_t axes) {
  if (node.input(0) == nullptr) return std::nullopt;
  const Shape shape = node.input(0)->shape();
  if (!shape.known()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape.rank());
  if (node.is("Unsqueeze")) return rank + static_cast<std::int64_t>(axes);
  return node.is("OneHot") ? rank + 1 : rank;
}

/// Makes Axis and Axes non-negative. An axis out of range stays, because per-tensor QuantizeLinear ignores its axis.
inline void normalize_axes(Kind kind, const Node& node, Arena& arena, AttributeValue& value) {
  const bool one = kind == Kind::axis;
  const auto negative = [](std::int64_t axis) { return axis < 0; };
  const std::span<const std::int64_t> given =
      one ? std::span(&value.slot.i, 1) : std::span(static_cast<const std::int64_t*>(value.slot.data), value.slot.size);
  if (std::none_of(given.begin(), given.end(), negative)) return;
  const std::optional<std::int64_t> rank = axis_rank(node, given.size());
  Ints axes(given.begin(), given.end());
  for (std::int64_t& axis : axes) {
    if (rank && axis < 0) axis += *rank;
  }
  if (std::any_of(axes.begin(), axes.end(), negative)) {
    value = AttributeValue::fails(rank ? Why::attribute_value : Why::attribute_rank_unknown);
  } else if (one) {
    value.slot.i = axes[0];
  } else {
    value = AttributeValue::list(arena.keep(std::move(axes)));
  }
}

template <class T>
bool same_elements(const Slot& a, const Slot& b) {
  const auto* const first = static_cast<const T*>(a.data);
  return a.size == b.size && std::equal(first, first + a.size, static_cast<const T*>(b.data));
}

inline bool same_attribute(Kind kind, const Slot& a, const Slot& b) {
  switch (kind) {
    case Kind::f32: return std::memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case Kind::str: return same_elements<char>(a, b);
    case Kind::ints:
    case Kind::axes: return same_elements<std::int64_t>(a, b);
    case Kind::floats:
      return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size * sizeof(float)) == 0);
    case Kind::tensor: return static_cast<const Tensor*>(a.data)->same_bytes(*static_cast<const Tensor*>(b.data));
    default: return a.i == b.i;
  }
}

/// The literal of a comparison as a slot.
inline Slot literal_slot(const PatternAttr& attr, std::span<const std::int64_t> words) {
  switch (attr.type) {
    case Kind::f32: return AttributeValue::real(static_cast<float>(attr.literal.f)).slot;
    case Kind::str: return AttributeValue::list(attr.literal.s).slot;
    case Kind::ints:
    case Kind::axes: return AttributeValue::list(words.subspan(attr.word0, attr.word_count)).slot;
    default: return AttributeValue::number(attr.literal.i).slot;
  }
}

}  // namespace graft::inline v1::detail
