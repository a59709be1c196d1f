#pragma once
#include <graft/quantize/tune/detail/block_weight.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/kernels/block_quantized.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/channel_bias.hpp>

namespace graft::inline v1::detail {

/// Whether the dequantized weight of a MatMul or Gemm has a row for each output.
inline bool has_output_rows(const Node& node) {
  return node.is("Gemm") && node.attr<std::int64_t>("transB").value_or(0) != 0;
}

/// Elements [rows, columns] as [columns, rows].
template <class T>
std::vector<T> transposed(const std::vector<T>& elements, std::size_t columns) {
  std::vector<T> result;
  result.reserve(elements.size());
  for (std::size_t column = 0; column < columns; ++column)
    for (std::size_t i = column; i < elements.size(); i += columns) result.push_back(elements[i]);
  return result;
}

/// The number that makes integers of this dtype unsigned.
inline std::int32_t unsigned_offset(DType dtype) { return is_unsigned_integer(dtype) ? 0 : 1 << (bits(dtype) - 1); }

inline std::optional<BlockMatrix> read_nbits(const Node& node) {
  const std::optional<Tensor> codes = constant_input(node, 1), scales = constant_input(node, 2),
                              zeros = constant_input(node, 3);
  const auto number = [&](const char* name, std::int64_t other) {
    return node.attr<std::int64_t>(name).value_or(other);
  };
  const std::int64_t k = number("K", 0), n = number("N", 0), size = number("block_size", 128), bits = number("bits", 4);
  if (!codes || !scales || scales->dtype() != DType::f32 || codes->dtype() != DType::u8) return std::nullopt;
  if ((node.input(3) != nullptr && (!zeros || zeros->dtype() != DType::u8)) || node.input(4) != nullptr ||
      node.input(5) != nullptr || k < 1 || n < 1 || size < 1 || bits < 2 || bits > 8)
    return std::nullopt;
  BlockMatrix weight(static_cast<std::size_t>(n), static_cast<std::size_t>(k),
                     {.bits = static_cast<int>(bits), .block_size = size, .symmetric = !zeros});
  if (static_cast<std::size_t>(scales->size()) != weight.scales.size()) return std::nullopt;
  const auto unpacked = [&](const Tensor& tensor, std::size_t rows, std::size_t width) {
    return standard_kernels::detail::block_numbers(tensor, rows, width, weight.form.bits);
  };
  const std::vector<float> all = unpacked(*codes, weight.rows * weight.blocks(), weight.block_size());
  for (std::size_t row = 0; row < weight.rows; ++row)
    for (std::size_t i = 0; i < weight.columns; ++i)
      weight.codes[row * weight.columns + i] =
          static_cast<std::uint8_t>(all[row * weight.blocks() * weight.block_size() + i]);
  weight.scales = scales->to<float>();
  weight.zero_points.assign(weight.scales.size(), static_cast<std::uint8_t>(weight.form.middle()));
  if (zeros) {
    const std::vector<float> points = unpacked(*zeros, weight.rows, weight.blocks());
    for (std::size_t i = 0; i < points.size(); ++i) weight.zero_points[i] = static_cast<std::uint8_t>(points[i]);
  }
  return weight;
}

inline std::optional<BlockMatrix> read_dequantized_blocks(const Node& node) {
  const Node* const dequantize = node.input(1) != nullptr ? node.input(1)->producer() : nullptr;
  if (dequantize == nullptr || !is_dequantize(*dequantize)) return std::nullopt;
  const std::int64_t size = dequantize->attr<std::int64_t>("block_size").value_or(0);
  const std::optional<Tensor> codes = constant_input(*dequantize, 0), scales = constant_input(*dequantize, 1),
                              zeros = constant_input(*dequantize, 2);
  if (size < 1 || !codes || codes->rank() != 2 || codes->size() == 0 || !is_integer(codes->dtype()) ||
      bits(codes->dtype()) > 8 || !scales || scales->dtype() != DType::f32)
    return std::nullopt;
  const std::int64_t axis = dequantize->attr<std::int64_t>("axis").value_or(1);
  const std::size_t inputs_at = has_output_rows(node) ? 1 : 0;
  if (static_cast<std::size_t>(axis < 0 ? axis + 2 : axis) != inputs_at) return std::nullopt;
  if (dequantize->input(2) != nullptr && (!zeros || zeros->dims() != scales->dims())) return std::nullopt;
  BlockMatrix weight(static_cast<std::size_t>(codes->dims()[1 - inputs_at]),
                     static_cast<std::size_t>(codes->dims()[inputs_at]),
                     {.bits = static_cast<int>(bits(codes->dtype())), .block_size = size, .symmetric = !zeros});
  if (static_cast<std::size_t>(scales->size()) != weight.scales.size()) return std::nullopt;
  const auto in_rows = [&](auto elements) { return inputs_at == 1 ? elements : transposed(elements, weight.rows); };
  const std::int32_t offset = unsigned_offset(codes->dtype());
  const auto moved = [&](const Tensor& tensor) {
    std::vector<std::uint8_t> result;
    for (const std::int32_t one : in_rows(tensor.to<std::int32_t>()))
      result.push_back(static_cast<std::uint8_t>(one + offset));
    return result;
  };
  weight.codes = moved(*codes);
  weight.scales = in_rows(scales->to<float>());
  if (zeros) weight.zero_points = moved(*zeros);
  else weight.zero_points.assign(weight.scales.size(), static_cast<std::uint8_t>(offset));
  return weight;
}

GRAFT_INLINE std::optional<BlockMatrix> read_block_weight(const Node& node) {
  if (is_nbits(node)) return read_nbits(node);
  return node.is("MatMul") || node.is("Gemm") ? read_dequantized_blocks(node) : std::nullopt;
}

GRAFT_INLINE Tensor float_matrix(const BlockMatrix& weight) {
  return Tensor::of<float>({static_cast<std::int64_t>(weight.columns), static_cast<std::int64_t>(weight.rows)},
                           transposed(weight.values(), weight.columns));
}

GRAFT_INLINE void store_block_weight(Node& node, const BlockMatrix& weight) {
  Node& holder = is_nbits(node) ? node : *node.input(1)->producer();
  const std::size_t codes = is_nbits(node) ? 1 : 0, scales = codes + 1;
  const auto replace = [&](std::size_t input, Tensor by) {
    replace_constant(holder, input, std::move(by), std::string(holder.input(input)->name()));
  };
  const Dims dims = holder.input(codes)->constant()->dims(), of_scales = holder.input(scales)->constant()->dims();
  if (is_nbits(node)) {
    replace(codes, weight.packed_codes());
    replace(scales, Tensor::of<float>(of_scales, weight.scales));
    return;
  }
  const auto in_order = [&](auto elements, std::size_t columns) {
    return has_output_rows(node) ? elements : transposed(elements, columns);
  };
  const DType dtype = holder.input(codes)->constant()->dtype();
  std::vector<std::int32_t> integers(weight.codes.begin(), weight.codes.end());
  for (std::int32_t& integer : integers) integer -= unsigned_offset(dtype);
  replace(codes, Tensor::of<std::int32_t>(dtype, dims, in_order(std::move(integers), weight.columns)));
  replace(scales, Tensor::of<float>(of_scales, in_order(weight.scales, weight.blocks())));
}

}  // namespace graft::inline v1::detail
