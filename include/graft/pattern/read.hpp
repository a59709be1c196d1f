#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/slot.hpp>

// Conversions of a slot to a C++ object: for m[capture], and for parameters of functions over captures.

namespace graft::inline v1::detail {

template <class T>
std::span<const T> list(const Slot& slot) {
  return {static_cast<const T*>(slot.data), slot.size};
}
template <class T>
T* pointer(const Slot& slot) {
  return static_cast<T*>(const_cast<void*>(slot.data));
}

/// The element as stored for the kind.
template <Kind K>
decltype(auto) read_one(const Slot& slot) {
  if constexpr (is_value(K)) return *pointer<Value>(slot);
  else if constexpr (K == Kind::operands) return list<Value*>(slot);
  else if constexpr (K == Kind::node) return *pointer<Node>(slot);
  else if constexpr (K == Kind::boolean) return slot.i != 0;
  else if constexpr (K == Kind::dtype) return static_cast<DType>(slot.i);
  else if constexpr (K == Kind::f32) return float{slot.f};
  else if constexpr (K == Kind::str) return std::string_view(static_cast<const char*>(slot.data), slot.size);
  else if constexpr (K == Kind::ints || K == Kind::axes) return list<std::int64_t>(slot);
  else if constexpr (K == Kind::floats) return list<float>(slot);
  else if constexpr (K == Kind::tensor) return *static_cast<const Tensor*>(slot.data);
  else return std::int64_t{slot.i};
}

template <Kind K, Form F>
decltype(auto) read(const Slot& slot) {
  if constexpr (F == Form::list) {
    if constexpr (is_value(K)) return list<Value*>(slot);
    else if constexpr (K == Kind::node) return list<Node*>(slot);
    else if constexpr (K == Kind::f32) return list<float>(slot);
    else return list<std::int64_t>(slot);
  } else if constexpr (F == Form::maybe) {
    if constexpr (is_value(K)) return slot.bound() ? pointer<Value>(slot) : nullptr;
    else if constexpr (K == Kind::node) return slot.bound() ? pointer<Node>(slot) : nullptr;
    else return slot.bound() ? std::optional(read_one<K>(slot)) : std::nullopt;
  } else {
    return read_one<K>(slot);
  }
}

template <class T>
struct Unwrapped {
  using type = T;
  static constexpr bool optional = false;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
  static constexpr bool optional = true;
};

/// The tensor of a constant, for a function; nullopt for strings.
inline std::optional<Tensor> tensor_of(const Slot& slot) {
  return slot.bound() ? pointer<Value>(slot)->constant() : std::nullopt;
}

/// The form in which a parameter of type P takes a capture of kind K; nullopt if it cannot.
template <class P, Kind K>
consteval std::optional<Form> form_taken() {
  using T = std::remove_cvref_t<P>;
  using Inner = typename Unwrapped<T>::type;
  constexpr Form form = Unwrapped<T>::optional ? Form::maybe : Form::one;
  if constexpr (is_value(K)) {
    if (std::same_as<T, Value>) return Form::one;
    if (std::same_as<T, Value*> || std::same_as<T, const Value*>) return Form::maybe;
    if (std::same_as<T, std::span<Value* const>>) return Form::list;
    if (K == Kind::constant && std::same_as<Inner, Tensor>) return form;
  } else if constexpr (K == Kind::operands) {
    if (std::same_as<T, std::span<Value* const>>) return Form::one;
  } else if constexpr (K == Kind::node) {
    if (std::same_as<T, Node>) return Form::ref;
    if (std::same_as<T, Node*> || std::same_as<T, const Node*>) return Form::maybe_ref;
    if (std::same_as<T, std::span<Node* const>>) return Form::list;
  } else {
    using Element = std::remove_cvref_t<decltype(read_one<K>(std::declval<const Slot&>()))>;
    constexpr bool list = K == Kind::i64 || K == Kind::axis || K == Kind::f32;
    if (std::same_as<Inner, Element>) return form;
    if (K == Kind::str && std::same_as<Inner, std::string>) return form;
    if ((K == Kind::ints || K == Kind::axes) && std::same_as<Inner, Ints>) return form;
    if (K == Kind::floats && std::same_as<Inner, Floats>) return form;
    if (list && std::same_as<T, std::span<const Element>>) return Form::list;
  }
  return std::nullopt;
}

/// The capture as a parameter of type P.
template <class P, Kind K>
decltype(auto) read_as(const Slot& slot) {
  using T = std::remove_cvref_t<P>;
  using Inner = typename Unwrapped<T>::type;
  if constexpr (is_value(K) && std::same_as<Inner, Tensor>) {
    if constexpr (Unwrapped<T>::optional) return tensor_of(slot);
    else return tensor_of(slot).value_or(Tensor());
  } else if constexpr (K == Kind::node || is_value(K)) {
    constexpr Form form = *form_taken<P, K>();
    return read<K, form == Form::ref ? Form::one : form == Form::maybe_ref ? Form::maybe : form>(slot);
  } else if constexpr (!Unwrapped<T>::optional) {
    constexpr Form form = *form_taken<P, K>();
    if constexpr (std::same_as<Inner, Ints> || std::same_as<Inner, Floats>) {
      const auto elements = read<K, form>(slot);
      return Inner(elements.begin(), elements.end());
    } else if constexpr (std::same_as<Inner, std::string>) {
      return std::string(read<K, form>(slot));
    } else {
      return read<K, form>(slot);
    }
  } else {
    return slot.bound() ? T(read_as<Inner, K>(slot)) : T();
  }
}

}  // namespace graft::inline v1::detail
