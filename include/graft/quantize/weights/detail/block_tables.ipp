#pragma once
#include <graft/quantize/weights/detail/block_quantizer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/import_contrib.hpp>
#include <graft/quantize/weights/detail/lookup_tables.hpp>

namespace graft::inline v1::detail {

/// The form with the fewest bits, but at least the given ones, for which the target has a kernel.
inline std::optional<BlockForm> table_form(const Target& target, BlockForm form) {
  for (; form.bits <= 8; ++form.bits)
    if (takes_blocks(target, "com.microsoft::GatherBlockQuantized", form)) return form;
  return std::nullopt;
}

/// Elements of 4 bits, or uint8. In packed bytes, the zero points of two rows would share a byte if a row has an odd
/// number of blocks; ONNX Runtime 1.24 reads these wrongly.
inline Tensor table_codes(const std::vector<std::uint8_t>& codes, std::size_t columns, const BlockForm& form) {
  const Dims dims{static_cast<std::int64_t>(codes.size() / columns), static_cast<std::int64_t>(columns)};
  if (form.bits > 4) return Tensor::of<std::uint8_t>(dims, codes);
  const int middle = form.symmetric ? form.middle() : 0;
  std::string packed((codes.size() + 1) / 2, '\0');  // allocated once: a table may fill most of the memory
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const int number = (codes[i] - middle) & 15;
    packed[i / 2] = static_cast<char>(packed[i / 2] | (i % 2 == 0 ? number : number << 4));
  }
  return Tensor::own(form.symmetric ? DType::i4 : DType::u4, dims, std::move(packed));
}

/// The codes are a matrix.
inline StoredBlocks stored_table(Value& table, const BlockForm& form, BlockMethod method, const ParallelFor* parallel) {
  Graph& home = table.graph();
  const std::string name(table.name());
  const Tensor tensor = table.constant().value();
  const auto columns = static_cast<std::size_t>(tensor.dims()[1]);
  const std::span<const float> values = tensor.data<float>();
  const BlockMatrix blocks = method == BlockMethod::nearest ? nearest_blocks(values, columns, form, parallel)
                                                            : searched_blocks(values, columns, form, {}, parallel);
  const auto extent = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  StoredBlocks stored{.rows = extent(blocks.rows), .columns = extent(columns), .form = form};
  stored.codes = &home.add_initializer(table_codes(blocks.codes, columns, form), name + "_quantized");
  stored.scales = &home.add_initializer(Tensor::of<float>({stored.rows, extent(blocks.blocks())}, blocks.scales),
                                        name + "_scale");
  if (!form.symmetric)
    stored.zero_points =
        &home.add_initializer(table_codes(blocks.zero_points, blocks.blocks(), form), name + "_zero_point");
  return stored;
}

/// The blocks of a product, whose codes are a matrix for each row, as those of a table.
inline StoredBlocks tied_table(const Value& table, StoredBlocks product) {
  Graph& home = table.graph();
  Value& dims = home.add_initializer(Tensor::list(Ints{product.rows, product.columns * product.form.bits / 8}),
                                     std::string(table.name()) + "_dims");
  Node& first = *home.nodes().begin();  // bodies may gather too
  Node& rows =
      home.insert("Reshape", {product.codes, &dims}, 1, {}, &first, std::string(product.codes->name()) + "_rows");
  product.codes = rows.output(0);
  return product;
}

inline void gather_from(const StoredBlocks& stored, Value& table) {
  for (Use& use : table.uses()) {
    Node& gather = *use.user();
    Graph& graph = gather.graph();
    import_contrib(graph);
    Value& result = *graph
                         .insert("com.microsoft::GatherBlockQuantized",
                                 {stored.codes, gather.input(1), stored.scales, stored.zero_points}, 1,
                                 {{"bits", stored.form.bits},
                                  {"block_size", stored.form.block_size},
                                  {"gather_axis", 0},
                                  {"quantize_axis", 1}},
                                 &gather, std::string(gather.output(0)->name()) + "_gathered")
                         .output(0);
    replace_product(gather, result);
  }
}

GRAFT_INLINE Report quantize_tables_blockwise(Graph& graph, const Target& target, const BlockwiseOptions& options,
                                              const KeptInFloat& kept, const BlockQuantizer& products,
                                              const ParallelFor* parallel) {
  Report report;
  report.pass = "quantize_tables_blockwise";
  BlockForm wanted = options.weights;
  wanted.bits = options.table_bits.value_or(wanted.bits);
  const std::optional<BlockForm> form = table_form(target, wanted);
  Transaction transaction(graph);
  for (Value* const table : lookup_tables(graph, options.tables->least_elements)) {
    const StoredBlocks* const tied = products.tied(*table);
    std::string why = form || tied != nullptr ? why_table_in_float(*table, kept)
                                              : "the target has no kernel that gathers such blocks";
    if (why.empty() && table->constant()->rank() != 2) why = "it is not a matrix";
    if (why.empty()) {
      gather_from(tied != nullptr ? tied_table(*table, *tied) : stored_table(*table, *form, options.method, parallel),
                  *table);
      ++report.changes;
    } else {
      report.notes.push_back("'" + std::string(table->name()) + "' stays in float: " + why);
    }
  }
  transaction.keep();
  return report;
}

}  // namespace graft::inline v1::detail
