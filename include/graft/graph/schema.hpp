#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <graft/graph/detail/schema_facts.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/schema_types.hpp>

namespace graft::inline v1::detail {

constexpr const schema::Parameter* parameter_at(std::span<const schema::Parameter> list, std::size_t position) {
  if (position < list.size()) return &list[position];
  return !list.empty() && list.back().variadic() ? &list.back() : nullptr;
}

}  // namespace graft::inline v1::detail

/// The schemas of operators, version by version: the main domain up to newest_opset, the operators of com.microsoft
/// that graft uses, and those of QONNX. All data is constant: nothing is allocated, and nothing runs at startup.
namespace graft::inline v1::schema {

/// The newest opset of the main domain in the table.
inline constexpr int newest_opset = detail::schema_facts::newest_opset;

/// All versions of an operator in ascending order; empty for an unknown operator. "ai.onnx" means the main domain.
/// O(log operators).
constexpr std::span<const Operator> versions(std::string_view domain, std::string_view op_type) {
  const std::span<const Operator> operators = detail::schema_facts::operators;
  domain = canonical_domain(domain);
  // Compares as string_view::compare does, but without a search for the end of each row's name.
  const auto compare = [](const char* row, std::string_view wanted) {
    for (const char letter : wanted) {
      const auto here = static_cast<unsigned char>(*row), there = static_cast<unsigned char>(letter);
      if (here != there || here == 0) return here > there ? 1 : -1;
      ++row;
    }
    return *row == 0 ? 0 : 1;
  };
  const auto order = [&](const Operator& row) {
    const int by_domain = compare(row.domain_, domain);
    return by_domain != 0 ? by_domain : compare(row.op_type_, op_type);
  };
  std::size_t first = 0;
  for (std::size_t high = operators.size(); first < high;) {
    const std::size_t middle = (first + high) / 2;
    if (order(operators[middle]) < 0) {
      first = middle + 1;
    } else {
      high = middle;
    }
  }
  std::size_t end = first;
  while (end < operators.size() && order(operators[end]) == 0) ++end;
  return operators.subspan(first, end - first);
}

/// The version of an operator at an opset; nullptr if all versions are newer.
constexpr const Operator* version_at(std::span<const Operator> versions, int opset) {
  const Operator* found = nullptr;
  for (const Operator& version : versions)
    if (version.since_version <= opset) found = &version;
  return found;
}

/// The version of an operator at an opset; nullptr for an operator that is unknown or newer than the opset. Deprecated
/// versions are found, too; see deprecated(). "ai.onnx" means the main domain. O(log operators).
constexpr const Operator* find(std::string_view domain, std::string_view op_type, int opset) {
  return version_at(versions(domain, op_type), opset);
}

/// The source of an operator's parameter: an attribute (its index in attributes()), an input, or nowhere.
struct Place {
  enum class Kind : std::uint8_t { nowhere, attribute, input };
  Kind kind = Kind::nowhere;
  std::size_t index = 0;

  constexpr explicit operator bool() const { return kind != Kind::nowhere; }
  constexpr bool operator==(const Place&) const = default;
};

/// The source of a parameter in this version. If a parameter was renamed when it became an input (Pad's value,
/// constant_value), every version accepts both names.
constexpr Place parameter(const Operator& op, std::string_view name) {
  const auto place = [&op](std::string_view spelling) -> Place {
    if (const Attribute* const found = op.attribute(spelling)) {
      return {Place::Kind::attribute, static_cast<std::size_t>(found - op.attributes().data())};
    }
    if (const std::optional<std::size_t> index = op.input_index(spelling)) return {Place::Kind::input, *index};
    return {};
  };
  if (const Place found = place(name)) return found;
  for (const auto& [op_type, attribute, input] : detail::schema_facts::renamed) {
    if (!op.domain().empty() || op.op_type() != op_type || (name != attribute && name != input)) continue;
    if (const Place found = place(name == input ? attribute : input)) return found;
  }
  return {};
}

constexpr Operator::Rows Operator::rows() const {
  if (rows_ != nullptr) return *rows_;
  return {detail::schema_facts::parameters, detail::schema_facts::attributes, detail::schema_facts::types};
}
constexpr std::span<const Parameter> Operator::inputs() const {
  return {rows().parameters + inputs_.first, inputs_.count};
}
constexpr std::span<const Parameter> Operator::outputs() const {
  return {rows().parameters + outputs_.first, outputs_.count};
}
constexpr std::span<const Attribute> Operator::attributes() const {
  return {rows().attributes + attributes_.first, attributes_.count};
}
constexpr std::span<const TypeSet> Operator::types() const { return {rows().types + types_.first, types_.count}; }

constexpr const Attribute* Operator::attribute(std::string_view name) const {
  for (const Attribute& candidate : attributes())
    if (candidate.name() == name) return &candidate;
  return nullptr;
}
constexpr std::optional<std::size_t> Operator::input_index(std::string_view name) const {
  const std::span<const Parameter> candidates = inputs();
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].name() == name) return i;
  return std::nullopt;
}

constexpr const Parameter* Operator::input(std::size_t position) const {
  return detail::parameter_at(inputs(), position);
}
constexpr const Parameter* Operator::output(std::size_t position) const {
  return detail::parameter_at(outputs(), position);
}
constexpr const TypeSet& Operator::type(const Parameter& parameter) const { return types()[parameter.type]; }

constexpr bool Operator::commutative() const { return (flags_ & detail::schema_facts::commutative) != 0; }
constexpr bool Operator::deterministic() const { return (flags_ & detail::schema_facts::random) == 0; }
constexpr bool Operator::deprecated() const { return (flags_ & detail::schema_facts::deprecated) != 0; }
constexpr bool Operator::has_bodies() const { return (flags_ & detail::schema_facts::bodies) != 0; }

template <class T>
constexpr std::optional<T> Attribute::default_as() const {
  if (kind != Default::value) return std::nullopt;
  if constexpr (std::is_integral_v<T>) {
    if (type == AttributeType::int_) return static_cast<T>(number_);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (type == AttributeType::float_) return static_cast<T>(number_);
  } else if constexpr (std::is_constructible_v<T, std::string_view>) {
    if (type == AttributeType::string) return T(std::string_view(text_));
  } else if constexpr (requires { requires std::is_same_v<typename T::value_type, std::int64_t>; }) {
    if (type == AttributeType::ints) return T(list().begin(), list().end());
  }
  return std::nullopt;
}

constexpr bool Attribute::same_default(const Attribute& other) const {
  if (kind != other.kind || type != other.type || number_ != other.number_) return false;
  for (std::size_t i = 0; i < list().size(); ++i)
    if (list_[i] != other.list_[i]) return false;
  return std::string_view(text_) == other.text_;
}

template <class AttributeProto>
bool Attribute::is_default(const AttributeProto& given) const {
  if (kind == Default::none || kind == Default::required) return false;
  if (static_cast<int>(given.type()) != static_cast<int>(type)) return false;
  const auto all = [](const auto& elements, auto same) {
    for (const auto& element : elements)
      if (!same(element)) return false;
    return true;
  };
  const auto same_text = [this](const auto& x) { return x == text_; };
  const auto same_int = [this](std::int64_t x) { return x == fill(); };
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };  // -0 differs from 0
  switch (type) {
    case AttributeType::float_: return bits(given.f()) == bits(static_cast<float>(number_));
    case AttributeType::int_: return same_int(given.i());
    case AttributeType::string: return same_text(given.s());
    case AttributeType::strings: return all(given.strings(), same_text);
    case AttributeType::ints: {
      if (kind == Default::filled) return all(given.ints(), same_int);
      return static_cast<std::size_t>(given.ints_size()) == list().size() &&
             all(given.ints(), [next = list_](std::int64_t x) mutable { return x == *next++; });
    }
    default: return false;
  }
}

}  // namespace graft::inline v1::schema
