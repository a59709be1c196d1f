#pragma once
#include <graft/surgery/detail/block_table.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/model.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// nullptr unless the input is a constant initializer.
inline Value* initializer_of(const Node& node, std::size_t input) {
  Value* const value = node.input(input);
  return value != nullptr && value->initializer() != nullptr && value->is_constant() ? value : nullptr;
}

/// Reads the parts that both operators share.
inline bool read_block_table(Node& node, std::size_t first, std::size_t scales, std::int64_t default_block_size,
                             BlockTable& table) {
  table.node = &node;
  table.codes = initializer_of(node, first);
  table.scales = initializer_of(node, scales);
  table.zero_points = initializer_of(node, scales + 1);
  if (table.codes == nullptr || table.scales == nullptr || table.codes->dtype() != DType::u8) return false;
  if (node.input(scales + 1) != nullptr && (table.zero_points == nullptr || table.zero_points->dtype() != DType::u8))
    return false;
  table.bits = node.attr<std::int64_t>("bits").value_or(4);
  table.block_size = node.attr<std::int64_t>("block_size").value_or(default_block_size);
  return table.block_size > 0 && (table.bits == 2 || table.bits == 4 || table.bits == 8);
}

/// Whether rows and columns match the stored data, in whole blocks.
inline bool is_whole(const BlockTable& table) {
  if (table.rows < 1 || table.columns < 1 || table.columns % table.block_size != 0) return false;
  const auto elements = [](const Value& value) {
    const auto& dims = value.initializer()->dims();
    return element_count(Dims(dims.begin(), dims.end()));
  };
  const std::int64_t blocks = table.columns / table.block_size, zero_bytes = (blocks * table.bits + 7) / 8;
  return elements(*table.codes) == table.rows * table.columns * table.bits / 8 &&
         elements(*table.scales) == table.rows * blocks &&
         (table.zero_points == nullptr || elements(*table.zero_points) == table.rows * zero_bytes);
}

GRAFT_INLINE std::optional<BlockTable> BlockTable::gathered_by(Node& node) {
  BlockTable table;
  if (!node.is("com.microsoft::GatherBlockQuantized") || !read_block_table(node, 0, 2, 128, table)) return std::nullopt;
  const auto& dims = table.codes->initializer()->dims();
  const std::int64_t axis = node.attr<std::int64_t>("quantize_axis").value_or(1);
  if (dims.size() != 2 || node.attr<std::int64_t>("gather_axis").value_or(0) != 0 || (axis != 1 && axis != -1))
    return std::nullopt;
  table.rows = dims[0];
  table.columns = dims[1] * 8 / table.bits;
  return is_whole(table) ? std::optional(table) : std::nullopt;
}

GRAFT_INLINE std::optional<BlockTable> BlockTable::multiplied_by(Node& node) {
  BlockTable table;
  if (!node.is("com.microsoft::MatMulNBits") || node.input(4) != nullptr || !read_block_table(node, 1, 2, 0, table))
    return std::nullopt;
  table.rows = node.attr<std::int64_t>("N").value_or(0);
  table.columns = node.attr<std::int64_t>("K").value_or(0);
  return is_whole(table) ? std::optional(table) : std::nullopt;
}

GRAFT_INLINE bool BlockTable::same_contents(const BlockTable& other) const {
  const auto same = [](const Value* one, const Value* two) {
    if (one == nullptr || two == nullptr) return one == two;
    if (one == two) return true;
    const Tensor a = one->constant().value(), b = two->constant().value();
    return a.dtype() == b.dtype() && std::ranges::equal(a.bytes(), b.bytes());
  };
  return is_like(other) && bits == other.bits && block_size == other.block_size && same(scales, other.scales) &&
         same(zero_points, other.zero_points) && same(codes, other.codes);
}

/// Every step-th row of a tensor with `rows` rows, side by side.
inline Tensor rows_from(const Value& value, std::int64_t rows, std::int64_t step) {
  const Tensor tensor = value.constant().value();
  const auto bytes = tensor.bytes();
  const std::size_t row_bytes = bytes.size() / static_cast<std::size_t>(rows);
  std::string chosen;
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < rows; row += step, ++count)
    chosen.append(reinterpret_cast<const char*>(bytes.data()) + static_cast<std::size_t>(row) * row_bytes, row_bytes);
  return Tensor::own(tensor.dtype(), {count, tensor.size() / rows}, std::move(chosen));
}

GRAFT_INLINE std::vector<float> BlockTable::values_of_rows(std::int64_t count) const {
  const std::int64_t step = std::max<std::int64_t>(rows / count, 1);
  const Tensor chosen = rows_from(*codes, rows, step);
  std::vector<std::int64_t> all(static_cast<std::size_t>(chosen.dims()[0]));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  const Tensor ids = Tensor::list(all);
  graft::Builder builder(21);
  builder.import("com.microsoft", 1);
  Value &x = builder.input("codes", DType::u8), &i = builder.input("ids", DType::i64),
        &s = builder.input("scales", scales->dtype()), &z = builder.input("zero_points", DType::u8);
  const Node& gather = builder.node("com.microsoft::GatherBlockQuantized", {&x, &i, &s, &z}, 1,
                                    {{"bits", bits}, {"block_size", block_size}});
  return evaluate(gather, {chosen, ids, rows_from(*scales, rows, step),
                           zero_points != nullptr ? rows_from(*zero_points, rows, step) : Tensor()})
      .front()
      .to<float>();
}

inline Verdict multiply_by(Rewriter& rewriter, const BlockTable& table, const BlockTable& product) {
  Node& node = *product.node;
  rewriter.at(node);
  const Ints dims{table.rows, table.columns / table.block_size, table.block_size * table.bits / 8};
  Value& codes = rewriter.op("Reshape", {table.codes, &rewriter.ints(dims, "dims")});
  Node& clone = rewriter.clone(node, {node.input(0), &codes, table.scales, table.zero_points, nullptr, node.input(5)});
  rewriter.set_attribute(clone, {"bits", table.bits});
  rewriter.set_attribute(clone, {"block_size", table.block_size});
  static_cast<void>(rewriter.replace(*node.output(0), *clone.output(0)));
  return rewriter.accept();
}

GRAFT_INLINE Report share_tables(Graph& graph, Context& context,
                                 bool (*serves)(const BlockTable& table, const BlockTable& product)) {
  std::vector<BlockTable> tables, products;
  for (Node& node : graph.nodes()) {
    if (const auto table = BlockTable::gathered_by(node)) tables.push_back(*table);
    if (const auto product = BlockTable::multiplied_by(node)) products.push_back(*product);
  }
  Report report;
  Rewriter rewriter(graph, context, {.values = "the table replaces the weight"});
  for (const BlockTable& product : products) {
    const auto table = std::ranges::find_if(
        tables, [&](const BlockTable& one) { return one.is_like(product) && serves(one, product); });
    if (table != tables.end() && multiply_by(rewriter, *table, product)) ++report.changes;
  }
  return report;
}

}  // namespace graft::inline v1::detail
