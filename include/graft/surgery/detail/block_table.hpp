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

/// A matrix [rows, columns] in blocks along its rows, with codes packed in bytes: the table of GatherBlockQuantized, or
/// the weight of MatMulNBits. All parts are initializers, and rows have whole blocks.
struct BlockTable {
  Node* node = nullptr;
  Value* codes = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;  ///< nullptr: 2^(bits-1)
  std::int64_t rows = 0, columns = 0, bits = 0, block_size = 0;

  /// nullopt if the node is not a GatherBlockQuantized of such a matrix.
  static std::optional<BlockTable> gathered_by(Node& node);
  /// nullopt if the node is not a MatMulNBits of such a matrix, or if it permutes the rows.
  static std::optional<BlockTable> multiplied_by(Node& node);

  /// Whether extents and the dtype of scales are equal.
  bool is_like(const BlockTable& other) const {
    return rows == other.rows && columns == other.columns && scales->dtype() == other.scales->dtype();
  }
  /// Whether both have the same bytes, for any ranks.
  bool same_contents(const BlockTable& other) const;
  /// Evenly spaced rows as float32, from the first one on: at least `count`, and less than twice as many.
  std::vector<float> values_of_rows(std::int64_t count) const;
};

/// Makes MatMulNBits read the table of GatherBlockQuantized, in the main graph, for each product with a true
/// serves(table, product). A Reshape of the table gives the rows.
Report share_tables(Graph& graph, Context& context, bool (*serves)(const BlockTable& table, const BlockTable& product));

}  // namespace graft::inline v1::detail
