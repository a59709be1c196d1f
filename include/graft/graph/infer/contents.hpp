#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1 {

/// An element of an integer or bool tensor (0 or 1): a number, the size that a symbol stands for, or unknown.
class Integer {
 public:
  /// Unknown.
  constexpr Integer() = default;
  constexpr Integer(std::int64_t value) : value_(value), known_(true) {}
  constexpr explicit Integer(const Dim& dim)
      : value_(dim.known() ? dim.value() : 0), known_(dim.known()), symbol_(dim.symbol()) {}

  constexpr bool known() const { return known_; }
  constexpr bool symbolic() const { return !symbol_.empty(); }
  /// Precondition: known().
  constexpr std::int64_t value() const { return value_; }
  /// A view of the type that it came from; empty unless symbolic().
  constexpr std::string_view symbol() const { return symbol_; }
  constexpr bool is(std::int64_t value) const { return known_ && value_ == value; }
  /// As an extent; unknown if negative.
  constexpr Dim dim() const { return known_ ? Dim(value_) : Dim(symbol_); }

  friend constexpr bool operator==(const Integer&, const Integer&) = default;

 private:
  std::int64_t value_ = 0;
  bool known_ = false;
  std::string_view symbol_{};
};

/// Whether two integers are known to be equal.
constexpr bool same_value(const Integer& a, const Integer& b) { return a == b && (a.known() || a.symbolic()); }

/// The known elements of a small integer or bool tensor, row-major.
struct Contents {
  DType dtype = DType::i64;  // i64, i32 or boolean
  Dims dims;
  std::vector<Integer> elements;

  static Contents scalar(Integer value, DType dtype = DType::i64) { return {dtype, {}, {value}}; }
  static Contents list(std::vector<Integer> values, DType dtype = DType::i64) {
    return {dtype, {static_cast<std::int64_t>(values.size())}, std::move(values)};
  }

  /// The elements, if all are numbers.
  std::optional<Ints> ints() const;
};

/// Tensors with more elements than this are no shapes; their contents are not followed.
inline constexpr std::int64_t contents_limit = 1024;

/// As many elements of all values together are kept, 64 MiB of them; beyond that, only contents of at most
/// small_contents elements are followed.
inline constexpr std::size_t kept_contents_limit = std::size_t{1} << 21, small_contents = 16;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/infer/contents.ipp>
#endif
