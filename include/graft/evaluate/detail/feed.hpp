#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::kernels::detail {

/// Throws Error unless a tensor is of the type that the value is known to have.
inline void check_feed(const Value& value, const Tensor& tensor) {
  bool fits = value.dtype() == DType::undefined || value.dtype() == tensor.dtype();
  if (const Shape shape = value.shape(); shape.known()) {
    fits = fits && shape.rank() == tensor.rank();
    for (std::size_t axis = 0; fits && axis < shape.rank(); ++axis) {
      fits = !shape[axis].known() || shape[axis].value() == tensor.dims()[axis];
    }
  }
  if (fits) return;
  const std::string wanted = std::string(to_string(value.dtype())) + to_string(value.shape());
  throw failure({"fed with ", tensor, ", wanted ", std::string_view(wanted)}).field(value.name());
}

}  // namespace graft::inline v1::kernels::detail
