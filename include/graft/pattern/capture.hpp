#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace graft::inline v1 {

/// A string literal as a template argument.
template <std::size_t N>
struct FixedString {
  char text[N]{};

  consteval FixedString(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// The kind of a capture. Values, nodes, attributes and arguments have separate name spaces.
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
  marker,  // no capture: the valid side of a rule
};

/// How often a capture is bound.
enum class Form : std::uint8_t {
  one,
  maybe,      // below opt(...), or in one branch of either(...)
  list,       // below each(...); the nodes of a chain(...)
  ref,        // a node bound at another place
  maybe_ref,  // the same below opt(...)
};

constexpr bool refers(Form form) { return form == Form::ref || form == Form::maybe_ref; }
constexpr bool is_value(Kind kind) { return kind == Kind::value || kind == Kind::constant; }
constexpr bool is_attribute(Kind kind) { return kind >= Kind::i64 && kind <= Kind::axes; }

/// A capture's name, kind and form in one number, which keeps the types of patterns short. 0 means no capture. A name
/// of up to nine letters, digits and underscores is stored exactly, a longer one as four letters and a hash.
using CaptureId = std::uint64_t;

namespace detail {

inline constexpr int letter_bits = 6, short_name = 9, long_prefix = 4;
inline constexpr std::uint64_t is_long = std::uint64_t{1} << 55;
inline constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// The letter's place in `letters`, from 1; 0 for other characters.
constexpr std::uint64_t letter_code(char c) {
  const std::size_t at = letters.find(c);
  return at == letters.npos ? 0 : at + 1;
}

constexpr std::uint64_t spell(std::string_view name) {
  std::uint64_t code = 0;
  for (std::size_t i = name.size(); i-- > 0;) code = (code << letter_bits) | letter_code(name[i]);
  return code;
}

constexpr std::uint64_t name_code(std::string_view name) {
  if (name.size() <= short_name && name.find_first_not_of(letters) == name.npos) return spell(name);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  const int prefix = letter_bits * long_prefix;
  return is_long | (hash >> (64 - 55 + prefix) << prefix) | spell(name.substr(0, long_prefix));
}

constexpr std::uint64_t name_space(Kind kind) {
  if (is_value(kind) || kind == Kind::operands) return 0;
  if (is_attribute(kind)) return 1;
  return kind == Kind::node ? 2 : kind == Kind::arg ? 3 : 4;
}

}  // namespace detail

consteval CaptureId capture_id(std::string_view name, Kind kind, Form form = Form::one) {
  return (detail::name_code(name) << 8) | (static_cast<std::uint64_t>(form) << 5) | static_cast<std::uint64_t>(kind);
}

constexpr Kind kind_of(CaptureId id) { return static_cast<Kind>(id & 31); }
constexpr Form form_of(CaptureId id) { return static_cast<Form>((id >> 5) & 7); }
/// Equal for captures with one name in one name space.
constexpr std::uint64_t name_of(CaptureId id) { return (id >> 8 << 3) | detail::name_space(kind_of(id)); }
constexpr CaptureId with_form(CaptureId id, Form form) {
  return (id & ~CaptureId{0xe0}) | (static_cast<CaptureId>(form) << 5);
}

namespace detail {

/// A capture's name as the compiler prints it.
template <char... Letter>
struct Capture {};

constexpr std::size_t spelled_size(CaptureId id) {
  const std::uint64_t name = id >> 8;
  if (name & is_long) return long_prefix + 3;
  std::size_t size = 0;
  while (size < short_name && name >> (letter_bits * size)) ++size;
  return size;
}

constexpr char spelled_letter(CaptureId id, std::size_t i) {
  const std::uint64_t name = id >> 8;
  if ((name & is_long) && i >= long_prefix) return '.';
  const std::uint64_t code = (name >> (letter_bits * i)) & 63;
  return code ? letters[code - 1] : '?';
}

template <CaptureId Id>
consteval auto spelled() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return Capture<spelled_letter(Id, I)...>{};
  }(std::make_index_sequence<spelled_size(Id)>{});
}

/// Capture<'w'> for the capture named w.
template <CaptureId Id>
using Spelling = decltype(spelled<Id>());

}  // namespace detail
}  // namespace graft::inline v1
