#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

// Aggregates of plain members, so that the table compiles fast. Members with a trailing _ have accessors. schema.hpp
// defines the functions that read the table or compare payloads.
namespace schema {

/// The kind of an attribute, with the numbers of AttributeProto.AttributeType.
enum class AttributeType : std::uint8_t {
  float_ = 1,
  int_,
  string,
  tensor,
  graph,
  floats,
  ints,
  strings,
  tensors,
  graphs,
  sparse_tensor,
  sparse_tensors,
  type_proto,
  type_protos,
};

/// The meaning of an absent attribute: none; an error; a value; or a list of any length, filled with one value.
enum class Default : std::uint8_t { none, required, value, filled };

struct Attribute {
  constexpr std::string_view name() const { return name_; }
  constexpr bool required() const { return kind == Default::required; }

  /// The default as an integer, a floating-point number, a string or a list of int64. nullopt if there is none, or if
  /// it has another type. Also nullopt for a list whose length depends on the node (`filled`).
  template <class T>
  constexpr std::optional<T> default_as() const;

  /// The element of a `filled` list of integers.
  constexpr std::int64_t fill() const { return static_cast<std::int64_t>(number_); }

  /// Whether this AttributeProto equals the default.
  template <class AttributeProto>
  bool is_default(const AttributeProto& given) const;
  /// Whether both attributes have the same default.
  constexpr bool same_default(const Attribute& other) const;

  const char* name_;
  AttributeType type;
  Default kind = Default::none;
  double number_ = 0;  // the value, or the length of the list
  const char* text_ = "";
  const std::int64_t* list_ = nullptr;

 private:
  constexpr std::span<const std::int64_t> list() const {
    return {list_, list_ == nullptr ? 0 : static_cast<std::size_t>(number_)};
  }
};

/// A set of value types: dtypes of tensors, and optionally all sequences and all optionals.
struct TypeSet {
  std::uint32_t bits;

  constexpr bool contains(DType dtype) const {
    const auto number = static_cast<std::uint32_t>(dtype);
    return number < 30 && (bits >> number & 1) != 0;
  }
  constexpr bool sequences() const { return (bits >> 30 & 1) != 0; }
  constexpr bool optionals() const { return bits >> 31 != 0; }
  /// The only dtype of the set; nullopt if there is a choice.
  constexpr std::optional<DType> only() const {
    if (!std::has_single_bit(bits) || sequences() || optionals()) return std::nullopt;
    return static_cast<DType>(std::countr_zero(bits));
  }
};

/// The number of occurrences of an input or output. Occurrences of `heterogeneous`, which is variadic too, may differ
/// in type.
enum class Option : std::uint8_t { single, optional, variadic, heterogeneous };

/// An input or output.
struct Parameter {
  constexpr std::string_view name() const { return name_; }
  constexpr bool variadic() const { return option >= Option::variadic; }

  const char* name_;
  /// Index in Operator::types(). Parameters of one type group have the same type, unless they are heterogeneous.
  std::uint8_t type;
  Option option = Option::single;
};

struct Operator {
  static constexpr std::uint8_t unbounded = 255;

  constexpr std::string_view domain() const { return domain_; }
  constexpr std::string_view op_type() const { return op_type_; }
  constexpr std::span<const Parameter> inputs() const;
  constexpr std::span<const Parameter> outputs() const;
  /// Sorted by name.
  constexpr std::span<const Attribute> attributes() const;
  /// The types that each type group accepts. A group is a type variable of the definition, or a fixed type.
  constexpr std::span<const TypeSet> types() const;

  constexpr const Attribute* attribute(std::string_view name) const;
  constexpr std::optional<std::size_t> input_index(std::string_view name) const;
  /// The parameter at a position. Beyond the end, the last parameter if it is variadic, else nullptr.
  constexpr const Parameter* input(std::size_t position) const;
  constexpr const Parameter* output(std::size_t position) const;
  constexpr const TypeSet& type(const Parameter& parameter) const;
  /// Whether the operator accepts that many inputs. Absent inputs before the last present one count.
  constexpr bool accepts_inputs(std::size_t count) const { return within(count, min_inputs, max_inputs); }
  constexpr bool accepts_outputs(std::size_t count) const { return within(count, min_outputs, max_outputs); }

  /// Whether any two operands may be exchanged. (With more than two, rounding of a sum depends on their order.)
  constexpr bool commutative() const;
  /// Whether equal inputs give equal outputs. False for random operators, and for Dropout, which may be training. A
  /// node with bodies is deterministic if all nodes in them are.
  constexpr bool deterministic() const;
  /// Whether the operator must not be used from this version on.
  constexpr bool deprecated() const;
  /// Whether the operator has attributes that hold graphs.
  constexpr bool has_bodies() const;

  const char* domain_;
  const char* op_type_;
  std::uint8_t since_version, flags_, min_inputs, max_inputs, min_outputs, max_outputs;
  struct Slice {
    std::uint16_t first = 0;
    std::uint8_t count = 0;
  } inputs_, outputs_, attributes_, types_;
  /// The arrays that the slices refer to; nullptr: those of the table.
  struct Rows {
    const Parameter* parameters;
    const Attribute* attributes;
    const TypeSet* types;
  };
  const Rows* rows_ = nullptr;

 private:
  constexpr Rows rows() const;
  static constexpr bool within(std::size_t count, std::uint8_t least, std::uint8_t most) {
    return count >= least && (count <= most || most == unbounded);
  }
};

}  // namespace schema
}  // namespace graft::inline v1
