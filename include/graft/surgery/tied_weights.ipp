#pragma once
#include <graft/surgery/tied_weights.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/surgery/detail/block_table.hpp>

namespace graft::inline v1 {
namespace detail {

/// Independent matrices differ by more than each of them. A matrix and its 2-bit form differ by less than half of it.
inline bool is_same_matrix(const BlockTable& table, const BlockTable& product) {
  if (table.bits != 8 || table.codes == product.codes || table.scales == product.scales) return false;
  const std::vector<float> a = table.values_of_rows(256), b = product.values_of_rows(256);
  double difference = 0, whole = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    whole += double{a[i]} * a[i];
  }
  return difference <= whole / 4;
}

}  // namespace detail

GRAFT_INLINE Pass share_embedding_lm_head() {
  return pass("share_embedding_lm_head", [](Graph& graph, Context& context) {
    return detail::share_tables(graph, context, detail::is_same_matrix);
  });
}

namespace detail {

/// Whether b [K, N] is the transpose of a [N, K], bit for bit.
inline bool are_transposes(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.rank() != 2 || b.rank() != 2 || a.dims()[0] != b.dims()[1] ||
      a.dims()[1] != b.dims()[0] || a.size() == 0)
    return false;
  const auto rows = static_cast<std::size_t>(a.dims()[0]), columns = static_cast<std::size_t>(a.dims()[1]);
  const std::size_t size = a.bytes().size() / (rows * columns);
  constexpr std::size_t tile = 64;  // rows and columns, so that reads share cache lines
  for (std::size_t first = 0; first < rows; first += tile)
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t row = first; row < std::min(first + tile, rows); ++row)
        if (std::memcmp(a.bytes().data() + (row * columns + column) * size,
                        b.bytes().data() + (column * rows + row) * size, size) != 0)
          return false;
  return true;
}

/// Replaces a MatMul by a product with the rows of a table.
class ProductByRows {
 public:
  ProductByRows(Rewriter& rewriter, Node& product, Value& table)
      : rewriter_(rewriter), product_(product), table_(table) {}

  Verdict put() {
    rewriter_.at(product_);
    Value& x = *product_.input(0);
    const bool is_matrix = x.shape().rank() == 2, is_computed = !is_matrix && !dims(x);
    // In a computed target, the 0 of an empty axis must not copy a dim.
    if (is_computed && product_.opset() < 14) return Verdict::no("its dims are not known, which needs opset 14");
    const Attributes zeros = is_computed ? Attributes{{"allowzero", 1}} : Attributes{};
    Value& rows = is_matrix ? x : op("Reshape", {&x, &rewriter_.ints({-1, table_.initializer()->dims(1)})});
    Value& y = op("Gemm", {&rows, &table_}, {{"transB", 1}});
    static_cast<void>(rewriter_.replace(*product_.output(0), is_matrix ? y : op("Reshape", {&y, &shape(x)}, zeros)));
    return rewriter_.accept();
  }

 private:
  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return rewriter_.op(name, inputs, attributes);
  }
  std::int64_t width() const { return table_.initializer()->dims(0); }
  /// The dims of the product, with -1 for an unknown one. nullopt if two are unknown, or one is 0.
  std::optional<Ints> dims(const Value& x) const {
    if (!x.shape().known()) return std::nullopt;
    Ints dims;
    for (std::size_t i = 0; i + 1 < x.shape().rank(); ++i)
      dims.push_back(x.shape()[i].known() ? x.shape()[i].value() : -1);
    dims.push_back(width());
    if (std::ranges::count(dims, -1) > 1 || std::ranges::count(dims, 0) != 0) return std::nullopt;
    return dims;
  }
  /// The shape of the product, constant if possible.
  Value& shape(Value& x) {
    if (const std::optional<Ints> known = dims(x)) return rewriter_.ints(*known);
    Value& zero = rewriter_.ints({0});
    Value& leading = op("Slice", {&op("Shape", {&x}), &zero, &rewriter_.ints({-1}), &zero});
    return op("Concat", {&leading, &rewriter_.ints({width()})}, {{"axis", 0}});
  }

  Rewriter& rewriter_;
  Node& product_;
  Value& table_;
};

inline bool is_plain_initializer(const Value* value) {
  return value != nullptr && value->initializer() != nullptr && value->is_constant() &&
         value->initializer()->dims_size() == 2;
}

inline bool gathers_rows(const Node& node) {
  if (!node.is("Gather") || !is_plain_initializer(node.input(0)) || !is_float(node.input(0)->dtype())) return false;
  const std::int64_t axis = node.attr<std::int64_t>("axis").value_or(0);
  return axis == 0 || axis == -2;
}

inline std::size_t tie_float_tables(Graph& graph, Context& context) {
  std::vector<Value*> tables;
  std::vector<Node*> products;
  for (Node& node : graph.nodes()) {
    if (gathers_rows(node) && std::ranges::find(tables, node.input(0)) == tables.end()) tables.push_back(node.input(0));
    if (node.is("MatMul") && node.input(0) != nullptr && is_plain_initializer(node.input(1))) products.push_back(&node);
  }
  std::size_t changes = 0;
  Rewriter rewriter(graph, context, {.values = "rounding"});
  for (Node* const product : products) {
    const auto table = std::ranges::find_if(tables, [&](const Value* one) {
      return are_transposes(one->constant().value(), product->input(1)->constant().value());
    });
    if (table != tables.end() && ProductByRows(rewriter, *product, **table).put()) ++changes;
  }
  return changes;
}

}  // namespace detail

GRAFT_INLINE Pass tie_word_embeddings() {
  return on_typed_graph("tie_word_embeddings", pass("tie", [](Graph& graph, Context& context) {
                          Report report = detail::share_tables(
                              graph, context, [](const detail::BlockTable& table, const detail::BlockTable& product) {
                                return table.codes != product.codes && table.same_contents(product);
                              });
                          if (graph.opset() >= 11) report.changes += detail::tie_float_tables(graph, context);
                          return report;
                        }));
}

}  // namespace graft::inline v1
