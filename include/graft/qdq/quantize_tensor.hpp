#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/clipping.hpp>
#include <graft/qdq/qparams.hpp>

namespace graft::inline v1 {

/// A quantized tensor with its q-params: scale and zero point are scalars, or have one element for each index of the
/// axis.
struct QuantizedTensor {
  Tensor data, scale, zero_point;
  std::optional<std::size_t> axis;

  /// The dequantized elements.
  std::vector<float> values() const;
};

namespace detail {

/// A tensor as rows of contiguous values with common q-params: row r belongs to channel r % channels.
struct Rows {
  std::size_t channels = 1, count = 1, length = 0;

  Rows(const Dims& dims, std::optional<std::size_t> axis);
  /// Whether the channels are side by side, as those of a MatMul.
  bool are_single_values() const { return length == 1 && channels > 1; }
};

}  // namespace detail

/// Quantizes a float32 tensor symmetrically to `bits` bits of int8 or uint8, or to f8e4m3fn, as a whole or along an
/// axis. Throws Error
/// for other dtypes, an axis out of range, a value that is not finite, and as symmetric_qparams() does.
QuantizedTensor quantize_tensor(const Tensor& tensor, DType dtype, std::optional<std::size_t> axis,
                                int bits = 8, Clipping clipping = Clipping::none);

/// Quantizes a whole float32 tensor with these q-params, to 8 or 16 bits. Throws Error if they have another dtype.
QuantizedTensor quantize_tensor(const Tensor& tensor, const QParams& q);

}  // namespace graft::inline v1
