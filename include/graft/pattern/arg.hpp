#pragma once
#include <memory>
#include <string_view>
#include <utility>

#include <graft/pattern/capture.hpp>

namespace graft::inline v1 {

namespace detail {

/// Distinguishes arguments of one name and different types.
template <class T>
consteval CaptureId type_hash() {
#if defined(__clang__) || defined(__GNUC__)
  return capture_id(__PRETTY_FUNCTION__, Kind::none) & ~CaptureId{0xff};
#else
  return capture_id(__FUNCSIG__, Kind::none) & ~CaptureId{0xff};
#endif
}

}  // namespace detail

/// A value for an arg<>, held for as long as the rules that read it.
struct Argument {
  CaptureId id = 0;
  std::string_view name{};
  std::shared_ptr<const void> value{};
};

/// An argument of a rule: predicates and functions read it; it is bound from outside, by target = value.
template <FixedString Name, class T>
struct ArgCapture {
  using type = T;
  static constexpr CaptureId id = capture_id(Name.view(), Kind::arg) ^ detail::type_hash<T>();
  static constexpr std::string_view name = Name.view();

  constexpr ArgCapture() = default;
  constexpr ArgCapture(const ArgCapture&) = default;
  Argument operator=(T value) const {
    return {id, Name.view(), std::make_shared<const T>(std::move(value))};
  }
};

template <FixedString Name, class T>
inline constexpr ArgCapture<Name, T> arg{};

}  // namespace graft::inline v1
