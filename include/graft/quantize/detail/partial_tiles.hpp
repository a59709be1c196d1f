#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::detail {

/// The index of the second factor of a product, of floats or of integers; nullopt for other operators.
inline std::optional<std::size_t> second_factor(const Node& node) {
  for (const char* const op : {"Conv", "Gemm", "MatMul", "ConvInteger", "MatMulInteger",
                               "com.microsoft::DynamicQuantizeMatMul", "com.microsoft::MatMulIntegerToFloat"})
    if (node.is(op)) return 1;
  for (const char* const op : {"QLinearConv", "QLinearMatMul", "com.microsoft::QGemm"})
    if (node.is(op)) return 3;
  return std::nullopt;
}

/// The shape of the value; for a dequantized value without an inferred type, that of its integers.
inline Shape known_shape(const Value& value) {
  const Shape shape = value.shape();
  const Node* const producer = value.producer();
  if (shape.known() || producer == nullptr || !is_dequantize(*producer)) return shape;
  return producer->input(0) != nullptr ? producer->input(0)->shape() : shape;
}

inline std::int64_t next_full_tiles(std::int64_t columns) { return (columns + 31) / 32 * 32; }

inline bool leaves_partial_tiles(std::int64_t columns) { return columns % 32 > 16; }

inline bool convolves(const Node& node) { return node.op_type().find("Conv") != std::string_view::npos; }

inline std::int64_t groups_of(const Node& node) {
  return convolves(node) ? std::max<std::int64_t>(node.attr<std::int64_t>("group").value_or(1), 1) : 1;
}

/// The number of columns of a product's second factor; for a convolution, of each group.
inline std::optional<std::int64_t> product_columns(const Node& node) {
  const std::optional<std::size_t> factor = second_factor(node);
  const Value* const value = factor ? node.input(*factor) : nullptr;
  const Shape shape = value != nullptr ? known_shape(*value) : Shape();
  if (!shape.known() || shape.rank() == 0) return std::nullopt;
  const bool is_turned = node.op_type().find("Gemm") != std::string_view::npos &&
                         node.attr<std::int64_t>("transB").value_or(0) != 0;
  const Dim dim = convolves(node) || is_turned ? shape[0] : shape[shape.rank() - 1];
  return dim.known() ? std::optional(dim.value() / groups_of(node)) : std::nullopt;
}

/// Whether the first factor has fewer rows than the kernels of AMX need, as far as this is known.
inline bool has_few_rows(const Node& node) {
  const Shape y = node.output(0) != nullptr ? node.output(0)->shape() : Shape();
  if (!y.known()) return false;
  const std::size_t first = convolves(node) ? 2 : 0, behind = y.rank() + first / 2;
  std::int64_t rows = 1;
  for (std::size_t i = first; i + 1 < behind; ++i) {
    if (!y[i].known()) return false;
    rows *= y[i].value();
  }
  return rows < 32;
}

/// Whether the target computes a product in integers wrongly, because its columns do not fill tiles.
inline bool has_partial_tiles(const Node& node, const Target& target) {
  if (!target.has(Fault::partial_tiles)) return false;
  const std::optional<std::int64_t> columns = product_columns(node);
  return columns && leaves_partial_tiles(*columns) && !has_few_rows(node);
}

/// Whether it does, or may, and zeros cannot fill the tiles: the second factor is not constant, or has groups.
inline bool lacks_full_tiles(const Node& node, const Target& target) {
  if (!target.has(Fault::partial_tiles) || has_few_rows(node)) return false;
  const std::optional<std::int64_t> columns = product_columns(node);
  if (columns && !leaves_partial_tiles(*columns)) return false;
  if (node.input(1) == nullptr) return false;
  const Value& factor = *node.input(1);
  const Node* const producer = factor.producer();
  const bool is_dequantized = producer != nullptr && is_dequantize(*producer) && producer->input(0) != nullptr;
  return groups_of(node) != 1 || !(is_dequantized ? *producer->input(0) : factor).is_constant();
}

}  // namespace graft::inline v1::detail
