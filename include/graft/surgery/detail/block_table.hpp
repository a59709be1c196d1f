#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// A matrix [rows, columns] in blocks along its rows, its codes packed in bytes: what GatherBlockQuantized reads rows
/// of, and MatMulNBits multiplies by. All are initializers, and the blocks of a row are whole.
struct BlockTable {
  Node* node = nullptr;
  Value* codes = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;  ///< nullptr: 2^(bits-1)
  std::int64_t rows = 0, columns = 0, bits = 0, block_size = 0;

  /// nullopt if the node is no GatherBlockQuantized of such a matrix.
  static std::optional<BlockTable> gathered_by(Node& node);
  /// nullopt if the node is no MatMulNBits of such a matrix, or if it permutes its rows.
  static std::optional<BlockTable> multiplied_by(Node& node);

  /// Of the same extents, and with scales of the same dtype.
  bool is_like(const BlockTable& other) const {
    return rows == other.rows && columns == other.columns && scales->dtype() == other.scales->dtype();
  }
  /// Whether both are stored in the same bytes, whatever the ranks.
  bool same_contents(const BlockTable& other) const;
  /// float32 of evenly spaced rows, from the first on: `count` or more, but less than twice as many.
  std::vector<float> values_of_rows(std::int64_t count) const;
};

/// Makes MatMulNBits multiply by what GatherBlockQuantized reads, in the main graph, for each product of which
/// serves(table, product) is true. Rows are those of the table behind a Reshape.
Report share_tables(Graph& graph, Context& context, bool (*serves)(const BlockTable& table, const BlockTable& product));

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/surgery/detail/block_table.ipp>
#endif
