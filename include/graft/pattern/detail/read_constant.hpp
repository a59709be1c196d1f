#pragma once
#include <optional>
#include <string>

#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The result of reading a constant. A model may be rewritten without its weights at hand, so an unreadable constant
/// does not match, and is not an error.
struct ConstantRead {
  std::optional<Tensor> tensor{};  // nullopt also without a constant, and for strings
  std::string why_not{};           // the reason why a constant cannot be read
};

/// Most unreadable constants have an unknown dtype, which is checked first. Other reasons, from dims that overflow to
/// missing files, come from the reader.
inline ConstantRead read_constant(const Value& value) {
  const onnx::TensorProto* const initializer = value.initializer();
  if (initializer != nullptr && !is_known(static_cast<DType>(initializer->data_type())))
    return {std::nullopt, "its dtype is " + std::to_string(initializer->data_type()) + ", which is none"};
  try {
    return {value.constant(), {}};
  } catch (const Error& error) {
    return {std::nullopt, error.message()};
  }
}

}  // namespace graft::inline v1::detail
