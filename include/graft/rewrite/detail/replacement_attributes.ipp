#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include <graft/config.hpp>
#include <graft/rewrite/detail/kept_text.hpp>
#include <graft/rewrite/detail/replacement.hpp>

// Attributes of a replacement, and parameters that are attributes in some versions of an operator and inputs in others.

namespace graft::inline v1::detail {

/// The content that an attribute row writes; empty if its function declines.
GRAFT_INLINE Computed Replacement::content(const PatternAttr& attr) const {
  if (attr.mode == AttrMode::computed) return attr.compute(slots_.data(), after_.words.data() + attr.word0);
  if (attr.mode == AttrMode::assign) {
    switch (attr.type) {
      case Kind::f32: return static_cast<float>(attr.literal.f);
      case Kind::str: return std::string(attr.literal.s);
      case Kind::ints:
      case Kind::axes: {
        const auto words = after_.words.subspan(attr.word0, attr.word_count);
        return Ints(words.begin(), words.end());
      }
      default: return attr.literal.i;
    }
  }
  const Slot& held = slot(attr.slot);
  const auto list = [&](const auto* first) { return std::vector(first, first + held.size); };
  switch (attr.type) {
    case Kind::f32: return attr.listed ? static_cast<const float*>(held.data)[round_] : held.f;
    case Kind::str: return std::string(static_cast<const char*>(held.data), held.size);
    case Kind::ints:
    case Kind::axes: return list(static_cast<const std::int64_t*>(held.data));
    case Kind::floats: return list(static_cast<const float*>(held.data));
    case Kind::tensor: return *static_cast<const Tensor*>(held.data);
    default: return attr.listed ? static_cast<const std::int64_t*>(held.data)[round_] : held.i;
  }
}

/// The name in the rule of a slot's capture.
GRAFT_INLINE std::string_view Replacement::name_of(std::int64_t slot) const {
  for (const RulePattern* const table : {&before_, &after_}) {
    for (const PatternNode& node : table->nodes) {
      if (node.slot == slot && !node.name.empty()) return node.name;
      if (node.like == slot && node.op.empty() && !node.name.empty()) return node.name;
    }
    for (const PatternAttr& attr : table->attrs)
      if (attr.slot == slot) return attr.capture.empty() ? attr.name : attr.capture;
  }
  return "a capture";
}

/// Declines because a function in the replacement returned nothing.
GRAFT_INLINE std::nullptr_t Replacement::decline(const PatternAttr& attr) {
  std::string over;
  for (const std::int64_t slot : after_.words.subspan(attr.word0, attr.word_count))
    over += (over.empty() ? " over '" : ", '") + std::string(name_of(slot)) + "'";
  return fail(Reason{kept_text("a function of the replacement" + over + " declines"), attr.name, {}, 0});
}

/// A computed value as an attribute of the declared kind.
inline Attribute as_attribute(std::string_view name, Kind kind, Computed content) {
  if (kind == Kind::f32 && std::holds_alternative<std::int64_t>(content))
    content = static_cast<float>(std::get<std::int64_t>(content));
  return std::visit(
      [&](auto& value) -> Attribute {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) return {name, 0};
        else return {name, std::move(value)};
      },
      content);
}

/// A computed value as a tensor: numbers have rank 0, lists rank 1. A string gives an undefined tensor.
GRAFT_INLINE Tensor as_tensor(const Computed& content) {
  if (const auto* const tensor = std::get_if<Tensor>(&content)) return *tensor;
  if (const auto* const i = std::get_if<std::int64_t>(&content)) return Tensor::scalar(*i);
  if (const auto* const f = std::get_if<float>(&content)) return Tensor::scalar(*f);
  const auto length = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  if (const auto* const ints = std::get_if<Ints>(&content)) return Tensor::of<std::int64_t>({length(*ints)}, *ints);
  if (const auto* const floats = std::get_if<Floats>(&content)) return Tensor::of<float>({length(*floats)}, *floats);
  return {};
}

GRAFT_INLINE void Replacement::write(onnx::NodeProto& payload, std::vector<Value*>& inputs, std::size_t at) {
  if (attrs(at).empty()) return;
  const int version = std::max(1, rewriter_.graph().opset(payload.domain()));
  const schema::Operator* const facts =
      rewriter_.graph().model().find_schema(payload.domain(), payload.op_type(), version);
  for (const PatternAttr& attr : attrs(at)) {
    if (attr.mode == AttrMode::capture && !slot(attr.slot).bound()) continue;
    Computed wanted = content(attr);
    if (std::holds_alternative<std::monostate>(wanted)) {
      decline(attr);
      return;
    }
    std::string_view name = attr.name;
    if (attr.param && facts != nullptr) {
      const schema::Place place = schema::parameter(*facts, attr.name);
      if (place.kind == schema::Place::Kind::input) {
        Tensor tensor = as_tensor(wanted);
        const schema::Parameter& wants = *facts->input(place.index);
        const auto only = facts->type(wants).only();
        const bool is_like_first = wants.type == facts->inputs()[0].type && !inputs.empty() && inputs[0] != nullptr;
        const DType dtype = only ? *only : is_like_first ? inputs[0]->dtype() : tensor.dtype();
        if (dtype != tensor.dtype() && dtype != DType::undefined)
          tensor = Tensor::of(dtype, tensor.dims(), tensor.to<double>());
        if (inputs.size() <= place.index) inputs.resize(place.index + 1);
        inputs[place.index] = &rewriter_.constant(std::move(tensor), attr.name);
        continue;
      }
      if (place.kind == schema::Place::Kind::attribute) name = facts->attributes()[place.index].name();
    }
    const Attribute attribute = as_attribute(name, attr.type, std::move(wanted));
    auto& present = *payload.mutable_attribute();
    const auto is_same = [&](const onnx::AttributeProto& other) { return other.name() == name; };
    const auto same = std::find_if(present.begin(), present.end(), is_same);
    (same == present.end() ? *present.Add() : *same) = attribute.proto();
  }
}

/// Keeps the parameters of a clone that the pattern matched by name, as inputs or as attributes.
GRAFT_INLINE void Replacement::keep_parameters(const Node& original, std::vector<Value*>& inputs, std::size_t at) {
  const schema::Operator* const facts = original.schema();
  if (facts == nullptr) return;
  const auto is_written = [&](std::string_view name) {
    const auto rows = attrs(at);
    return std::any_of(rows.begin(), rows.end(), [&](const PatternAttr& attr) { return attr.name == name; });
  };
  for (const PatternNode& matched : before_.nodes) {
    if (matched.step != Step::op || matched.slot < 0 || matched.slot != row(at).like) continue;
    for (const PatternAttr& attr : before_.attrs.subspan(matched.attr0, matched.attr_count)) {
      if (!attr.param || is_written(attr.name)) continue;
      const schema::Place place = schema::parameter(*facts, attr.name);
      if (place.kind != schema::Place::Kind::input || original.input(place.index) == nullptr) continue;
      if (inputs.size() <= place.index) inputs.resize(place.index + 1);
      if (inputs[place.index] == nullptr) inputs[place.index] = original.input(place.index);
    }
  }
}

}  // namespace graft::inline v1::detail
