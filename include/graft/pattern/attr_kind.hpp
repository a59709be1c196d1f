#pragma once
#include <concepts>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/pattern/capture.hpp>

namespace graft::inline v1 {

/// Declares an attribute as a dimension of its operator's input: bound as int64_t in [0, rank), for either sign in the
/// model. A negative one of unknown rank does not match.
struct Axis {};
/// A list of dimensions, in the model's order.
struct Axes {};

namespace detail {

/// The kind of an attribute that is declared as T.
template <class T>
consteval Kind attr_kind() {
  if constexpr (std::same_as<T, Axis>) return Kind::axis;
  else if constexpr (std::same_as<T, Axes>) return Kind::axes;
  else if constexpr (std::same_as<T, bool>) return Kind::boolean;
  else if constexpr (std::same_as<T, DType>) return Kind::dtype;
  else if constexpr (std::integral<T>) return Kind::i64;
  else if constexpr (std::same_as<T, float>) return Kind::f32;
  else if constexpr (std::same_as<T, Ints>) return Kind::ints;
  else if constexpr (std::same_as<T, Floats>) return Kind::floats;
  else if constexpr (std::same_as<T, Tensor>) return Kind::tensor;
  else if constexpr (std::convertible_to<T, std::string_view>) return Kind::str;
  else static_assert(sizeof(T) == 0, "graft: an attribute is declared as int64_t, float, bool, std::string_view, "
                                     "DType, Ints, Floats, Tensor, Axis or Axes");
}

/// Whether an attribute of that kind may be compared with, or set to, a T.
template <Kind K, class T>
consteval bool literal_fits() {
  if constexpr (K == Kind::i64 || K == Kind::axis) return std::integral<T> && !std::same_as<T, bool>;
  else if constexpr (K == Kind::f32) return std::floating_point<T> || (std::integral<T> && !std::same_as<T, bool>);
  else if constexpr (K == Kind::boolean) return std::same_as<T, bool>;
  else if constexpr (K == Kind::dtype) return std::same_as<T, DType>;
  else if constexpr (K == Kind::str) return std::convertible_to<T, std::string_view>;
  else return false;
}

}  // namespace detail
}  // namespace graft::inline v1
