#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <graft/pattern/attr_kind.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/ints.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// One entry of .with(...).
template <std::size_t W, class C>
struct AttrSpec {
  using captures = C;
  PatternAttr row{};
  std::array<std::int64_t, W> words{};
};

/// The attribute Name, captured as Capture. Write it into .with(...):
///   axis        bound, or compared with its earlier binding; if absent, the operator's default
///   axis == 1   required
///   opt(axis)   bound if the operator has it or a default
///   axis = 1, axis = other, axis = call<f>(...)    written, in a replacement; plain axis writes its binding
template <FixedString Name, Kind K, FixedString Capture, bool Param>
struct AttrCapture {
  static constexpr CaptureId id = capture_id(Capture.view(), K);

  /// The same attribute, captured under another name: two perms of one pattern are two captures.
  template <FixedString Other>
  constexpr auto named() const {
    return AttrCapture<Name, K, Other, Param>{};
  }

  template <class T>
  constexpr auto operator==(const T& wanted) const {
    return literal<AttrMode::equals, detail::only_looked_for>(wanted);
  }

  constexpr AttrCapture() = default;
  constexpr AttrCapture(const AttrCapture&) = default;

  template <class T>
  constexpr auto operator=(const T& wanted) const {
    return literal<AttrMode::assign, detail::only_built>(wanted);
  }
  template <FixedString Other, Kind K2, FixedString Source, bool Param2>
  constexpr auto operator=(const AttrCapture<Other, K2, Source, Param2>&) const {
    static_assert(K2 == K, "graft: an attribute is set to a capture of another type than its declaration");
    using Same = AttrCapture<Name, K, Source, Param>;
    return Same::template spec<Captures<Same::id, detail::only_built>>(AttrMode::capture, Same::id);
  }
  template <std::size_t N, class C, class Result>
  constexpr auto operator=(const Call<N, C, Result>& c) const {
    static_assert(detail::result_fits<K, Result>(),
                  "graft: an attribute is set to what a function gives of another type than its declaration");
    auto result = spec<detail::Join<C, Captures<detail::only_built>>, N>(AttrMode::computed);
    result.row.compute = c.compute;
    result.row.word_count = N;
    result.row.arguments = c.arguments;
    result.words = c.words;
    return result;
  }

  template <class C, std::size_t W = 0>
  static constexpr AttrSpec<W, C> spec(AttrMode mode, CaptureId capture = 0) {
    AttrSpec<W, C> result;
    result.row.mode = mode;
    result.row.type = K;
    result.row.param = Param;
    result.row.name = Name.view();
    if (capture != 0 && Capture.view() != Name.view()) result.row.capture = Capture.view();
    result.row.id = capture;
    return result;
  }
  static constexpr auto spec() { return spec<Captures<id>>(AttrMode::capture, id); }

 private:
  template <AttrMode Mode, CaptureId Mark, class T>
  static constexpr auto literal(const T& wanted) {
    static_assert(detail::literal_fits<K, std::decay_t<T>>(),
                  "graft: an attribute is compared with, or set to, a value of another type than its declaration");
    auto result = spec<Captures<Mark>>(Mode);
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      result.row.literal.s = wanted;
    } else if constexpr (K == Kind::f32 && std::is_arithmetic_v<T>) {
      result.row.literal.f = static_cast<double>(wanted);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      result.row.literal.i = static_cast<std::int64_t>(wanted);
    }
    return result;
  }
  template <AttrMode Mode, CaptureId Mark, std::size_t N>
  static constexpr auto literal(const IntList<N>& wanted) {
    static_assert(K == Kind::ints || K == Kind::axes,
                  "graft: an attribute is compared with, or set to, a value of another type than its declaration");
    auto result = spec<Captures<Mark>, N>(Mode);
    result.row.word_count = N;
    result.words = wanted.words;
    return result;
  }
};

/// An attribute of type T: int64_t, float, bool, std::string_view, DType, Ints, Floats, Tensor, Axis or Axes.
template <FixedString Name, class T>
inline constexpr AttrCapture<Name, detail::attr_kind<T>(), Name, false> attr{};

/// A parameter that is an attribute in some operator versions and a constant input in others, such as Squeeze's axes.
/// The pattern finds it in either form, and an input for it needs no operand.
template <FixedString Name, class T>
inline constexpr AttrCapture<Name, detail::attr_kind<T>(), Name, true> param{};

struct AnyAttributes {
  using captures = Captures<detail::only_looked_for>;
};

/// Allows any other attributes with any values, for where(...) to check:
///   op<"Conv">(x, w).with(group == 1, any_attributes).as(conv), where(predicate<is_plain>("...")(conv))
inline constexpr AnyAttributes any_attributes{};

namespace detail {

constexpr const AnyAttributes& attr_spec(const AnyAttributes& others) { return others; }

template <std::size_t W, class C>
constexpr const AttrSpec<W, C>& attr_spec(const AttrSpec<W, C>& spec) {
  return spec;
}
template <FixedString Name, Kind K, FixedString Capture, bool Param>
constexpr auto attr_spec(const AttrCapture<Name, K, Capture, Param>& capture) {
  return capture.spec();
}
template <class T>
constexpr auto attr_spec(const T&) {
  static_assert(sizeof(T) == 0,
                "graft: .with(...) takes attributes: attr<>, param<>, a comparison, an assignment or opt(...) of one, "
                "or any_attributes");
  return AttrSpec<0, Captures<>>{};
}

}  // namespace detail
}  // namespace graft::inline v1
