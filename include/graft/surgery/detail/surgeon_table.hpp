#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/surgery/surgeon.hpp>

namespace graft::inline v1::detail {

/// Surgeries on the names, types, inputs and outputs of a graph.
std::vector<Surgeon> signature_surgeons();

/// Surgeries that replace operators by others.
std::vector<Surgeon> operator_surgeons();

/// Surgeries for accelerators that take tensors of rank 4 only.
std::vector<Surgeon> rank_surgeons();

/// Surgeries without a name in other tools.
std::vector<Surgeon> own_surgeons();

/// The argument of a parameter that is required or has a fallback.
template <class T>
const T& given(const SurgeonArguments& arguments, std::string_view parameter) {
  return std::get<T>(arguments.find(parameter)->second);
}

inline const std::string& given_text(const SurgeonArguments& arguments, std::string_view parameter) {
  return given<std::string>(arguments, parameter);
}

inline const std::vector<std::string>& given_texts(const SurgeonArguments& arguments, std::string_view parameter) {
  return given<std::vector<std::string>>(arguments, parameter);
}

/// Throws Error if both of two exclusive parameters are given.
inline void refuse_both(const SurgeonArguments& arguments, std::string_view one, std::string_view other) {
  if (arguments.find(one) != arguments.end() && arguments.find(other) != arguments.end())
    throw Error("parameters '" + std::string(one) + "' and '" + std::string(other) + "' exclude each other");
}

/// Throws Error for a negative number.
inline std::size_t as_position(std::int64_t number, std::string_view parameter) {
  if (number < 0) throw Error("parameter '" + std::string(parameter) + "' is negative: " + std::to_string(number));
  return static_cast<std::size_t>(number);
}

inline std::size_t given_position(const SurgeonArguments& arguments, std::string_view parameter) {
  return as_position(given<std::int64_t>(arguments, parameter), parameter);
}

/// Throws Error if the number is out of the range of float32.
inline float given_float(const SurgeonArguments& arguments, std::string_view parameter) {
  const auto number = given<double>(arguments, parameter);
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max())
    throw Error("parameter '" + std::string(parameter) + "' is out of the range of float32");
  return static_cast<float>(number);
}

}  // namespace graft::inline v1::detail
