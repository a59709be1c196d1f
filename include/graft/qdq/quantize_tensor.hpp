#pragma once
#include <cstddef>
#include <optional>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/clipping.hpp>
#include <graft/qdq/qparams.hpp>

namespace graft::inline v1 {

/// A tensor in integers, and what it takes to get it back: scale and zero point are scalars, or one for each index of
/// the axis.
struct QuantizedTensor {
  Tensor data, scale, zero_point;
  std::optional<std::size_t> axis;
};

namespace detail {

/// A tensor as rows of contiguous values that share their q-params: row r belongs to channel r % channels.
struct Rows {
  std::size_t channels = 1, count = 1, length = 0;

  Rows(const Dims& dims, std::optional<std::size_t> axis);
  /// The channels lie side by side, as those of a MatMul do.
  bool are_single_values() const { return length == 1 && channels > 1; }
};

}  // namespace detail

/// Quantizes a float32 tensor symmetrically to so many bits of int8 or uint8, as a whole or along an axis. Throws Error
/// for other dtypes, an axis that is not there, a value that is not finite, or as symmetric_qparams() does.
QuantizedTensor quantize_tensor(const Tensor& tensor, DType dtype, std::optional<std::size_t> axis,
                                int bits = 8, Clipping clipping = Clipping::none);

/// Quantizes a float32 tensor as a whole with these q-params, to 8 or 16 bits. Throws Error if they are of another
/// dtype.
QuantizedTensor quantize_tensor(const Tensor& tensor, const QParams& q);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/qdq/quantize_tensor.ipp>
#endif
