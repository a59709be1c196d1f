#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/product.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/kernels/gemm.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Numbers of `Bits` bits from a byte on, the lowest bits first. `sign` is the highest bit of signed ones, else 0.
template <unsigned Bits>
void unpack(const std::uint8_t* bytes, int sign, std::span<float> numbers) {
  constexpr std::size_t in_byte = 8 / Bits;
  const auto number = [&](std::uint8_t byte, std::size_t i) {
    const int code = byte >> i * Bits & ((1 << Bits) - 1);
    return static_cast<float>((code ^ sign) - sign);
  };
  const std::size_t whole = numbers.size() / in_byte * in_byte;
  for (std::size_t at = 0; at < whole; at += in_byte, ++bytes)
    for (std::size_t i = 0; i < in_byte; ++i) numbers[at + i] = number(*bytes, i);
  for (std::size_t i = whole; i < numbers.size(); ++i) numbers[i] = number(*bytes, i - whole);
}

/// Numbers [rows, width] of a tensor, which must outlive them: floats, elements of an integer dtype, or u8 of packed
/// numbers, where each row starts a new byte.
class BlockNumbers {
 public:
  BlockNumbers(const Tensor& tensor, std::size_t rows, std::size_t width, int packed_bits)
      : tensor_(&tensor), width_(width) {
    constexpr std::size_t widest = std::size_t{1} << 48;  // bits of no more can be counted
    const DType dtype = tensor.dtype();
    const bool is_small = is_integer(dtype) && bits(dtype) <= 8, is_packed = dtype == DType::u8;
    if (is_small) bits_ = is_packed ? to_size(packed_bits) : bits(dtype);
    if (is_small && is_signed(dtype)) sign_ = 1 << (bits_ - 1);
    const std::size_t row = is_packed ? (std::min(width, widest) * bits_ + 7) / 8 : width;  // elements
    stride_ = row * bits(dtype);
    const std::size_t size = to_size(tensor.size());
    const bool fits = row == 0 ? size == 0 : size % row == 0 && size / row == rows;
    if (!fits || width > widest || bits(dtype) == 0)
      throw failure({tensor, " for ", rows, " rows of ", width, " numbers of ", packed_bits, " bits"});
  }

  /// The first numbers of a row.
  void read(std::size_t row, std::span<float> numbers) const {
    const std::size_t first = row * stride_;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(tensor_->bytes().data());
    if (tensor_->dtype() == DType::f32) {
      std::copy_n(tensor_->data<float>().data() + row * width_, numbers.size(), numbers.data());
    } else if (bits_ == 0) {
      const Tensor part = Tensor::borrow(tensor_->dtype(), {to_int(numbers.size())}, bytes + first / 8);
      std::ranges::copy(part.to<float>(), numbers.data());
    } else if (bits_ == 8) {
      unpack<8>(bytes + first / 8, sign_, numbers);
    } else if (bits_ == 4 && first % 8 == 0) {
      unpack<4>(bytes + first / 8, sign_, numbers);
    } else {
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_at(bytes, first + i * bits_);
    }
  }

 private:
  float number_at(const std::uint8_t* bytes, std::size_t bit) const {
    unsigned pair = bytes[bit / 8];
    if (bit % 8 + bits_ > 8) pair |= static_cast<unsigned>(bytes[bit / 8 + 1]) << 8;
    const int code = static_cast<int>(pair >> bit % 8 & ((1U << bits_) - 1));
    return static_cast<float>((code ^ sign_) - sign_);
  }

  const Tensor* tensor_;
  std::size_t width_, bits_ = 0, stride_ = 0;  // bits of small integers, 0 for others, and from row to row
  int sign_ = 0;
};

inline std::vector<float> block_numbers(const Tensor& tensor, std::size_t rows, std::size_t width, int bits) {
  const BlockNumbers all(tensor, rows, width, bits);
  std::vector<float> numbers(rows * width);
  for (std::size_t row = 0; row < rows; ++row) all.read(row, std::span(numbers).subspan(row * width, width));
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
  std::size_t block_size, blocks;  // blocks of a row
  BlockNumbers codes;              // of parts of rows, the last of which may be padded
  std::size_t parts, part_size;
  BlockNumbers scales;
  std::optional<BlockNumbers> zero_points;
  float zero_point;  // if there are no others

  /// y is [last - first, width], and has a row.
  void dequantize(std::size_t first, std::size_t last, std::span<float> y) const {
    const std::size_t width = y.size() / (last - first);
    std::vector<float> scale(blocks), zero(blocks, zero_point);
    for (std::size_t row = first; row < last; ++row) {
      const std::span<float> out = y.subspan((row - first) * width, width);
      for (std::size_t i = 0; i < parts; ++i)
        codes.read(row * parts + i, out.subspan(i * part_size, std::min(part_size, width - i * part_size)));
      scales.read(row, scale);
      if (zero_points) zero_points->read(row, zero);
      for (std::size_t block = 0; block < blocks; ++block) {
        const float factor = scale[block], less = zero[block];
        const std::size_t end = std::min(width, (block + 1) * block_size);
        for (std::size_t i = block * block_size; i < end; ++i) out[i] = (out[i] - less) * factor;
      }
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
  byte_count(DType::f32, Dims{n, k});  // throws for more than can be counted
  const std::size_t rows = detail::to_size(n), size = detail::read_block_size(ctx);
  const std::size_t blocks = (detail::to_size(k) + size - 1) / size;
  if (a.rank() == 0 || a.dims().back() != k) throw detail::failure({a, " for a weight of ", k, " rows"});
  detail::BlockRows weight{size,
                           blocks,
                           {ctx.input(1), rows * blocks, size, bits},
                           blocks,
                           size,
                           {ctx.input(2), rows, blocks, bits},
                           {},
                           static_cast<float>(1 << (bits - 1))};
  if (const Tensor* const zeros = ctx.optional_input(3)) weight.zero_points.emplace(*zeros, rows, blocks, bits);
  const bool rounds = ctx.attr_or<std::int64_t>("accuracy_level", 0) == 4 && (bits == 4 || bits == 8);
  const Tensor x = rounds ? detail::rounded_in_blocks(a, size) : a;
  Dims dims = a.dims();
  dims.back() = n;
  Tensor y(DType::f32, std::move(dims));
  const float* const left = x.data<float>().data();
  float* const out = y.mutable_data<float>().data();
  constexpr std::int64_t at_once = 48;  // rows of the weight, whose floats stay in the cache until they are multiplied
  for_each_range(ctx.parallel(), n, at_once, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> floats = detail::scratch<float>(last - first, k);
    weight.dequantize(detail::to_size(first), detail::to_size(last), floats);
    detail::add_product<float>({a.size() / k, k, last - first, true, n}, left, floats.data(), out + first);
  });
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
  detail::BlockRows table{size,
                          blocks,
                          {data, rows, width, bits},
                          1,
                          width,
                          {scales, rows, blocks, bits},
                          {},
                          is_packed ? static_cast<float>(1 << (bits - 1)) : 0.0F};
  if (const Tensor* const zeros = ctx.optional_input(3)) table.zero_points.emplace(*zeros, rows, blocks, bits);
  Dims dims = indices.dims();
  dims.push_back(detail::to_int(width));
  Tensor y(DType::f32, std::move(dims));
  const std::span<float> values = y.mutable_data<float>();
  std::size_t at = 0;
  for (std::int64_t index : indices.to<std::int64_t>()) {
    if (index < 0) index += data.dims()[0];
    if (index < 0 || index >= data.dims()[0]) throw detail::failure({"index ", index, " into ", rows, " rows"});
    const std::size_t row = detail::to_size(index);
    table.dequantize(row, row + 1, values.subspan(at, width));
    at += width;
  }
  ctx.set_output(0, std::move(y));
}

inline void add_block_quantized(Kernels& kernels) {
  kernels.add("com.microsoft::MatMulNBits", matmul_nbits)
      .add("com.microsoft::GatherBlockQuantized", gather_block_quantized);
}

}  // namespace graft::inline v1::standard_kernels
