#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gemm.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Number i of this many bits, the lowest bits first.
inline int packed_number(std::span<const std::uint8_t> bytes, std::size_t i, int bits) {
  const std::size_t bit = i * to_size(bits), at = bit / 8;
  unsigned pair = bytes[at];
  if (bit % 8 + to_size(bits) > 8) pair |= static_cast<unsigned>(bytes[at + 1]) << 8;
  return static_cast<int>(pair >> bit % 8 & ((1U << bits) - 1));
}

/// Numbers [rows, width]: floats, elements of an integer dtype, or packed in bytes, where each row starts a new byte.
inline std::vector<float> block_numbers(const Tensor& tensor, std::size_t rows, std::size_t width, int bits) {
  if (to_size(tensor.size()) == rows * width && (tensor.dtype() != DType::u8 || bits == 8)) return tensor.to<float>();
  const std::size_t stride = (width * to_size(bits) + 7) / 8;
  if (tensor.dtype() != DType::u8 || to_size(tensor.size()) != rows * stride)
    throw failure({tensor, " for ", rows, " rows of ", width, " numbers of ", bits, " bits"});
  const std::span<const std::uint8_t> bytes = tensor.data<std::uint8_t>();
  std::vector<float> numbers;
  numbers.reserve(rows * width);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < width; ++i)
      numbers.push_back(static_cast<float>(packed_number(bytes.subspan(row * stride, stride), i, bits)));
  return numbers;
}

inline int read_bits(const KernelContext& ctx) {
  const auto bits = ctx.attr_or<std::int64_t>("bits", 4);
  if (bits < 2 || bits > 8) throw Error("2 to 8 are supported").field("bits");
  return static_cast<int>(bits);
}
inline std::size_t read_block_size(const KernelContext& ctx) {
  const auto size = ctx.attr_or<std::int64_t>("block_size", 128);
  if (size < 1) throw Error("must be positive").field("block_size");
  return to_size(size);
}

/// Codes in blocks along rows: y = (code - zero point) * scale.
struct BlockRows {
  std::size_t block_size, blocks;
  std::vector<float> codes;
  std::size_t stride;  // between rows
  std::vector<float> scales, zero_points;

  void dequantize(std::size_t row, std::span<float> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t block = row * blocks + i / block_size;
      y[i] = (codes[row * stride + i] - zero_points[block]) * scales[block];
    }
  }
};

/// Rows [..., K] for the integer product: each block quantized to int8 with a greatest magnitude of 127.
inline Tensor rounded_in_blocks(const Tensor& x, std::size_t block_size) {
  std::vector<float> values = x.to<float>();
  const std::size_t width = to_size(x.dims().back());
  for (std::size_t i = 0; i < values.size();) {
    const std::size_t count = std::min(block_size, width - i % width);
    const std::span<float> block(values.data() + i, count);
    float greatest = 0;
    for (const float value : block) greatest = std::max(greatest, std::abs(value));
    const float scale = greatest / 127, inverse = scale == 0 ? 0 : 1 / scale;
    for (float& value : block) value = std::nearbyint(value * inverse) * scale;
    i += count;
  }
  return Tensor::of<float>(x.dims(), values);
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// com.microsoft MatMulNBits: A [..., K], B [N, blocks, block_size * bits / 8], scales, zero_points, g_idx, bias. For
/// accuracy_level 4, ONNX Runtime 1.24 quantizes A if weights have 4 or 8 bits.
inline void matmul_nbits(KernelContext& ctx) {
  const Tensor& a = ctx.input(0);
  if (a.dtype() != DType::f32) throw Error("A is not of float32");
  if (ctx.has_input(4)) throw Error("group indices are not supported").field("g_idx");
  const int bits = detail::read_bits(ctx);
  const std::int64_t k = ctx.attr<std::int64_t>("K"), n = ctx.attr<std::int64_t>("N");
  if (k < 1 || n < 1) throw Error("K and N must be positive");
  const std::size_t rows = detail::to_size(n), size = detail::read_block_size(ctx);
  const std::size_t blocks = (detail::to_size(k) + size - 1) / size;
  if (a.rank() == 0 || a.dims().back() != k) throw detail::failure({a, " for a weight of ", k, " rows"});
  detail::BlockRows weight{size, blocks, detail::block_numbers(ctx.input(1), rows * blocks, size, bits), blocks * size,
                           detail::block_numbers(ctx.input(2), rows, blocks, bits),
                           std::vector<float>(rows * blocks, static_cast<float>(1 << (bits - 1)))};
  if (const Tensor* const zeros = ctx.optional_input(3))
    weight.zero_points = detail::block_numbers(*zeros, rows, blocks, bits);
  Tensor b(DType::f32, {n, k});
  const std::span<float> values = b.mutable_data<float>();
  for (std::size_t row = 0; row < rows; ++row)
    weight.dequantize(row, values.subspan(row * detail::to_size(k), detail::to_size(k)));
  const bool rounds = ctx.attr_or<std::int64_t>("accuracy_level", 0) == 4 && (bits == 4 || bits == 8);
  Tensor x = rounds ? detail::rounded_in_blocks(a, size) : a;
  Dims dims = a.dims();
  dims.back() = n;
  x = x.reshaped({a.size() / k, k});
  Tensor y = detail::multiply(x, b, true, ctx.parallel()).reshaped(std::move(dims));
  if (const Tensor* const bias = ctx.optional_input(5))
    y = detail::arithmetic<detail::Add>(std::move(y), *bias, {}, ctx.parallel());
  ctx.set_output(0, std::move(y));
}

/// com.microsoft GatherBlockQuantized of rows: data [V, D], or packed bytes, indices, scales [V, blocks], zero_points.
inline void gather_block_quantized(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  const Tensor& scales = ctx.input(2);
  const int bits = detail::read_bits(ctx);
  if (data.rank() != 2 || scales.rank() != 2 || ctx.attr_or<std::int64_t>("gather_axis", 0) != 0 ||
      detail::normalized_axis(ctx.attr_or<std::int64_t>("quantize_axis", 1), 2) != 1)
    throw Error("only rows of a matrix, with blocks along rows, are supported");
  const bool is_packed = data.dtype() == DType::u8;
  if (is_packed && 8 % bits != 0) throw Error("bytes hold numbers of 2, 4 or 8 bits").field("bits");
  const std::size_t rows = detail::to_size(data.dims()[0]), blocks = detail::to_size(scales.dims()[1]);
  const std::size_t width = detail::to_size(data.dims()[1]) * (is_packed ? 8 / detail::to_size(bits) : 1);
  const std::size_t size = detail::read_block_size(ctx);
  if (blocks != (width + size - 1) / size || scales.dims()[0] != data.dims()[0])
    throw detail::failure({scales, " as scales of ", data});
  detail::BlockRows table{size, blocks, detail::block_numbers(data, rows, width, bits), width,
                          scales.to<float>(),
                          std::vector<float>(rows * blocks, is_packed ? static_cast<float>(1 << (bits - 1)) : 0.0F)};
  if (const Tensor* const zeros = ctx.optional_input(3))
    table.zero_points = detail::block_numbers(*zeros, rows, blocks, bits);
  Dims dims = indices.dims();
  dims.push_back(detail::to_int(width));
  Tensor y(DType::f32, std::move(dims));
  const std::span<float> values = y.mutable_data<float>();
  std::size_t at = 0;
  for (std::int64_t index : indices.to<std::int64_t>()) {
    if (index < 0) index += data.dims()[0];
    if (index < 0 || index >= data.dims()[0]) throw detail::failure({"index ", index, " into ", rows, " rows"});
    table.dequantize(detail::to_size(index), values.subspan(at, width));
    at += width;
  }
  ctx.set_output(0, std::move(y));
}

inline void add_block_quantized(Kernels& kernels) {
  kernels.add("com.microsoft::MatMulNBits", matmul_nbits)
      .add("com.microsoft::GatherBlockQuantized", gather_block_quantized);
}

}  // namespace graft::inline v1::standard_kernels
