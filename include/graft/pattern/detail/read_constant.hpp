#pragma once
#include <optional>
#include <string>

#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// What matching reads of a constant. A model may be rewritten without its weights at hand: that one of them cannot be
/// read is a reason not to match, and no error.
struct ConstantRead {
  std::optional<Tensor> tensor{};  // nullopt also for what is no constant, and for strings
  std::string why_not{};           // why a constant cannot be read
};

/// Most that cannot be read is an unknown dtype, and told in advance. For the rest, from dims that overflow to files
/// that are missing, the reader is asked, for it alone knows.
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
