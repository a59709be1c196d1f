#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

namespace detail {

template <CaptureId Id, std::size_t A>
using LeafCaptures = typename Concatenated<std::conditional_t<Id == 0, Captures<>, Captures<Id>>,
                                           std::conditional_t<A == 0, Captures<>, Captures<only_looked_for>>>::type;

}  // namespace detail

/// An operand that is not an operator, and its constraints. They are checked when the capture is bound.
template <CaptureId Id, std::size_t A = 0, std::size_t W = 0>
struct Leaf : Pattern<1, A, W, detail::LeafCaptures<Id, A>> {
  static constexpr CaptureId id = Id;

  constexpr auto rank(std::int64_t wanted) const { return constrained(AttrMode::rank, {wanted}); }

  /// One of these element types.
  template <std::same_as<DType>... T>
  constexpr auto dtype(T... wanted) const {
    static_assert(sizeof...(T) > 0, "graft: .dtype(...) needs at least one element type");
    return constrained(AttrMode::dtype, {((std::int64_t{1} << static_cast<int>(wanted)) | ...)});
  }

  /// One element, in a tensor of rank 0 or 1: it broadcasts and adds a dimension to nothing except a scalar.
  constexpr auto scalar() const { return constrained(AttrMode::scalar); }

  /// A constant with all elements greater than 0.
  constexpr auto positive() const { return constrained(AttrMode::positive); }

  /// A constant with all elements equal to this number.
  constexpr auto all_equal(double wanted) const { return constrained(AttrMode::all_equal, {0, wanted}); }

  /// Integers that are constant, or known to shape inference.
  template <KnownInts Ask = known_ints>
  constexpr auto known() const {
    auto p = constrained(AttrMode::known);
    p.attrs[A].known = Ask;
    return p;
  }

  /// These dims; -1 means any.
  template <std::integral... T>
  constexpr auto shape(T... dims) const {
    return constrained(AttrMode::shape, {}, static_cast<std::int64_t>(dims)...);
  }

 private:
  template <std::same_as<std::int64_t>... T>
  constexpr auto constrained(AttrMode mode, Literal literal = {}, T... more) const {
    detail::Builder<Leaf<Id, A + 1, W + sizeof...(T)>> b;
    b.add(this->nodes[0]);
    ++b.result.nodes[0].attr_count;
    b.append_attrs(this->attrs, this->words);
    PatternAttr row;
    row.mode = mode;
    row.literal = literal;
    row.word_count = sizeof...(T);
    b.append_attrs(std::array{row}, std::array<std::int64_t, sizeof...(T)>{more...});
    return b.finish();
  }
};

namespace detail {

template <class P>
inline constexpr bool is_leaf = false;
template <CaptureId Id, std::size_t A, std::size_t W>
inline constexpr bool is_leaf<Leaf<Id, A, W>> = true;

template <CaptureId Id>
constexpr auto leaf(Step step, std::string_view name) {
  Leaf<Id> p;
  p.nodes[0].step = step;
  p.nodes[0].name = name;
  p.nodes[0].id = Id;
  return p;
}

template <FixedString Name>
consteval CaptureId rest_id() {
  return Name.view().empty() ? 0 : capture_id(Name.view(), Kind::operands);
}

}  // namespace detail

/// Any value: Value&.
template <FixedString Name>
inline constexpr auto val = detail::leaf<capture_id(Name.view(), Kind::value)>(Step::value, Name.view());

/// A constant: Value&, Tensor. If it is bound twice, dtype, shape and bytes must be equal.
template <FixedString Name>
inline constexpr auto cst = detail::leaf<capture_id(Name.view(), Kind::constant)>(Step::constant, Name.view());

/// The remaining inputs, or those between two operands: span of Value*. rest<> captures nothing.
template <FixedString Name = "">
inline constexpr auto rest = detail::leaf<detail::rest_id<Name>()>(Step::rest, Name.view());

// In a separate namespace: else enumerators and local variables of these names in graft would shadow them.
inline namespace words {

/// Any value, not captured.
inline constexpr auto any = detail::leaf<0>(Step::value, {});

/// An input that must be absent, or an output without replacement.
inline constexpr auto none = detail::leaf<0>(Step::none, {});

}  // namespace words

}  // namespace graft::inline v1
