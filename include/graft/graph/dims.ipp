#pragma once
#include <graft/graph/dims.hpp>

#include <algorithm>
#include <limits>

#include <graft/config.hpp>
#include <graft/graph/builtins.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(std::span<const std::int64_t> dims) {
  std::string text = "[";
  for (const std::int64_t dim : dims) text.append(text.size() > 1 ? "," : "").append(std::to_string(dim));
  return text.append("]");
}

namespace detail {

/// The product of the dims, with 0 counted as 1. Strides and extents are products of some of the dims: if this product
/// fits, they fit too.
inline std::int64_t product_of_dims(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0) throw Error("negative dim in " + to_string(dims));
    if (dim != 0 && builtins::multiply_overflows(product, dim, product))
      throw Error("the product of dims " + to_string(dims) + " overflows");
  }
  return product;
}

}  // namespace detail

GRAFT_INLINE std::int64_t element_count(std::span<const std::int64_t> dims) {
  const std::int64_t product = detail::product_of_dims(dims);
  return std::find(dims.begin(), dims.end(), 0) != dims.end() ? 0 : product;
}

GRAFT_INLINE std::size_t byte_count(DType dtype, std::span<const std::int64_t> dims) {
  const std::size_t width = bits(dtype);
  if (width == 0) {
    throw Error(is_known(dtype) ? std::string(to_string(dtype)) + " tensors are not dense"
                                : "unknown dtype " + std::to_string(static_cast<std::int32_t>(dtype)));
  }
  if (static_cast<std::size_t>(detail::product_of_dims(dims)) > std::numeric_limits<std::size_t>::max() / 2 / width)
    throw Error("the size of " + to_string(dtype, dims) + " overflows");
  return (static_cast<std::size_t>(element_count(dims)) * width + 7) / 8;
}

}  // namespace graft::inline v1
