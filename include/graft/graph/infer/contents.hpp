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

/// An element of an integer or bool tensor (0 or 1): a number, the symbol of a size, or unknown.
class Integer {
 public:
  /// An unknown element.
  constexpr Integer() = default;
  constexpr Integer(std::int64_t value) : value_(value), known_(true) {}
  constexpr explicit Integer(const Dim& dim)
      : value_(dim.known() ? dim.value() : 0), known_(dim.known()), symbol_(dim.symbol()) {}

  constexpr bool known() const { return known_; }
  constexpr bool symbolic() const { return !symbol_.empty(); }
  /// Precondition: known().
  constexpr std::int64_t value() const { return value_; }
  /// The symbol, which refers to the memory of its type; empty unless symbolic().
  constexpr std::string_view symbol() const { return symbol_; }
  constexpr bool is(std::int64_t value) const { return known_ && value_ == value; }
  /// The element as an extent; unknown if negative.
  constexpr Dim dim() const { return known_ ? Dim(value_) : Dim(symbol_); }

  friend constexpr bool operator==(const Integer&, const Integer&) = default;

 private:
  std::int64_t value_ = 0;
  bool known_ = false;
  std::string_view symbol_{};
};

/// Whether two integers are certainly equal.
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

  /// The elements; nullopt unless all are numbers.
  std::optional<Ints> ints() const;
};

/// The greatest number of elements that inference follows. Larger tensors are not shapes.
inline constexpr std::int64_t contents_limit = 1024;

/// The greatest number of elements that are kept for all values together, 64 MiB. Beyond it, inference only follows
/// contents of at most small_contents elements.
inline constexpr std::size_t kept_contents_limit = std::size_t{1} << 21, small_contents = 16;

}  // namespace graft::inline v1
