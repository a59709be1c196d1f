#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <graft/graph/dtype.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

// Constants that a replacement makes; ints(...) is in ints.hpp.

namespace graft::inline v1 {

template <auto F>
struct TensorOf {
  template <class... X>
  constexpr auto operator()(const X&... captures) const {
    const auto c = call<F>(captures...);
    using C = typename decltype(c)::captures;
    Pattern<1, 1, sizeof...(X), detail::Join<C, Captures<detail::only_built>>> p;
    p.nodes[0].step = Step::computed;
    p.nodes[0].attr_count = 1;
    p.attrs[0].mode = AttrMode::computed;
    p.attrs[0].type = Kind::tensor;
    p.attrs[0].word_count = sizeof...(X);
    p.attrs[0].compute = c.compute;
    p.attrs[0].arguments = c.arguments;
    p.words = c.words;
    return p;
  }
};

/// tensor<f>(captures...): a new constant with the Tensor from f. If f returns an empty optional, the rule declines.
template <auto F>
inline constexpr TensorOf<F> tensor{};

/// A new constant: the evaluated pattern. All its inputs must be constant.
template <pattern P>
constexpr auto folded(const P& p) {
  PatternNode row;
  row.step = Step::folded;
  return detail::wrap<detail::Join<typename P::captures, Captures<detail::only_built>>>(row, p);
}

/// A new constant of rank 0.
template <std::size_t W, class C>
struct Scalar : Pattern<1, 1, W, C> {
  /// With the element type of a captured value.
  template <class Leaf>
  constexpr auto like(const Leaf&) const {
    static_assert(is_value(kind_of(Leaf::id)), "graft: scalar(...).like(...) takes a val<> or a cst<>");
    Scalar<W, detail::Join<C, Captures<Leaf::id>>> p;
    p.nodes = this->nodes;
    p.attrs = this->attrs;
    p.words = this->words;
    p.nodes[0].like_id = Leaf::id;
    return p;
  }
};

namespace detail {

template <class C, std::size_t W = 0>
constexpr auto make_scalar(DType dtype, const PatternAttr& row, const std::array<std::int64_t, W>& words = {}) {
  Scalar<W, C> p;
  p.nodes[0].step = Step::scalar;
  p.nodes[0].out = static_cast<std::uint8_t>(dtype);
  p.nodes[0].attr_count = 1;
  p.attrs[0] = row;
  p.words = words;
  return p;
}

}  // namespace detail

/// A number. Without like(...): f32, or i64 for an integer.
template <class T>
  requires std::is_arithmetic_v<T>
constexpr auto scalar(T value) {
  constexpr bool real = std::floating_point<T>;
  PatternAttr row;
  row.mode = AttrMode::assign;
  row.type = real ? Kind::f32 : Kind::i64;
  row.literal.i = static_cast<std::int64_t>(real ? T{} : value);
  row.literal.f = static_cast<double>(value);
  return detail::make_scalar<Captures<detail::only_built>>(real ? DType::f32 : DType::i64, row);
}
/// The value of a bound attribute.
template <FixedString Name, Kind K, FixedString Capture, bool Param>
constexpr auto scalar(const AttrCapture<Name, K, Capture, Param>& capture) {
  static_assert(K == Kind::f32 || K == Kind::i64 || K == Kind::axis, "graft: scalar(...) takes a number");
  using C = Captures<AttrCapture<Name, K, Capture, Param>::id, detail::only_built>;
  return detail::make_scalar<C>(K == Kind::f32 ? DType::f32 : DType::i64, capture.spec().row);
}
/// The result of a function of captures: scalar(call<f>(...)).
template <std::size_t N, class C, class Result>
constexpr auto scalar(const Call<N, C, Result>& c) {
  PatternAttr row;
  row.mode = AttrMode::computed;
  row.type = Kind::f32;
  row.compute = c.compute;
  row.word_count = N;
  row.arguments = c.arguments;
  return detail::make_scalar<detail::Join<C, Captures<detail::only_built>>>(DType::f32, row, c.words);
}

}  // namespace graft::inline v1
