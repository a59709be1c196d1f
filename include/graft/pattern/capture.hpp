#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace graft::inline v1 {

/// A string literal as a template argument.
template <std::size_t N>
struct FixedString {
  char text[N]{};

  consteval FixedString(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// What a capture holds. Values, nodes, attributes and arguments have separate name spaces.
enum class Kind : std::uint8_t {
  none,
  value,     // val
  constant,  // cst
  operands,  // rest
  node,
  i64,
  f32,
  boolean,
  str,
  dtype,
  ints,
  floats,
  tensor,
  axis,
  axes,
  arg,
  marker,  // no capture: says on which side of a rule a pattern may stand
};

/// How many of it.
enum class Form : std::uint8_t {
  one,
  maybe,      // below opt(...), or in one branch of either(...)
  list,       // below each(...); the nodes of a chain(...)
  ref,        // a node that another place binds
  maybe_ref,  // the same below opt(...)
};

constexpr bool refers(Form form) { return form == Form::ref || form == Form::maybe_ref; }
constexpr bool is_value(Kind kind) { return kind == Kind::value || kind == Kind::constant; }
constexpr bool is_attribute(Kind kind) { return kind >= Kind::i64 && kind <= Kind::axes; }

/// A capture's name (hashed), kind and form in one number, so that a pattern's type carries nothing longer. 0 is no
/// capture.
using CaptureId = std::uint64_t;

namespace detail {

constexpr std::uint64_t name_space(Kind kind) {
  if (is_value(kind) || kind == Kind::operands) return 1;
  if (is_attribute(kind)) return 2;
  return static_cast<std::uint64_t>(kind) + 2;
}

}  // namespace detail

consteval CaptureId capture_id(std::string_view name, Kind kind, Form form = Form::one) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  hash = (hash ^ detail::name_space(kind)) * 0x100000001b3u;
  for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  return (hash << 8) | (static_cast<std::uint64_t>(form) << 5) | static_cast<std::uint64_t>(kind);
}

constexpr Kind kind_of(CaptureId id) { return static_cast<Kind>(id & 31); }
constexpr Form form_of(CaptureId id) { return static_cast<Form>((id >> 5) & 7); }
constexpr CaptureId name_of(CaptureId id) { return id >> 8; }
constexpr CaptureId with_form(CaptureId id, Form form) {
  return (id & ~CaptureId{0xe0}) | (static_cast<CaptureId>(form) << 5);
}

}  // namespace graft::inline v1
