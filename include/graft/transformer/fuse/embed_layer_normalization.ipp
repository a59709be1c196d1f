#pragma once
#include <graft/transformer/fuse/embed_layer_normalization.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/transformer/detail/counted_indices.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// A summand: rows of a table. Without indices, the first rows in order.
struct EmbeddedRows {
  Value* table = nullptr;
  Value* indices = nullptr;

  std::int64_t count() const { return table->shape()[0].value(); }
};

/// The operands of an EmbedLayerNormalization.
class Embedding {
 public:
  Verdict read(const Node& sum, const Node& normalization);

  EmbeddedRows words, places, segments;  // segments may be absent
  bool counts = false;                   // positions are 0, 1 ... S-1

 private:
  static std::optional<std::vector<Value*>> summands(const Node& sum);
  static std::optional<EmbeddedRows> rows_of(Value& summand);
  bool assign(std::vector<EmbeddedRows> all, std::size_t reference);
};

/// The two or three summands.
inline std::optional<std::vector<Value*>> Embedding::summands(const Node& sum) {
  std::vector<Value*> all{sum.input(0), sum.input(1)};
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* const inner = all[i]->producer();
    if (inner == nullptr || !inner->is("Add") || inner->input(0) == nullptr || inner->input(1) == nullptr) continue;
    if (all.size() == 3) return std::nullopt;
    all[i] = inner->input(0);
    all.push_back(inner->input(1));
  }
  return all;
}

inline std::optional<EmbeddedRows> Embedding::rows_of(Value& summand) {
  if (summand.is_constant()) return EmbeddedRows{&summand, nullptr};
  const Node* const gather = summand.producer();
  if (gather == nullptr || !gather->is("Gather") || gather->attr<std::int64_t>("axis").value_or(0) != 0)
    return std::nullopt;
  Value *const table = gather->input(0), *const indices = gather->input(1);
  if (table == nullptr || indices == nullptr) return std::nullopt;
  const bool is_table = table->is_constant() && table->shape().rank() == 2 && table->shape().dims();
  const DType dtype = indices->dtype();
  return is_table && (dtype == DType::i64 || dtype == DType::i32) ? std::optional(EmbeddedRows{table, indices})
                                                                  : std::nullopt;
}

inline bool Embedding::assign(std::vector<EmbeddedRows> all, std::size_t reference) {
  std::swap(all[0], all[reference]);
  words = all[0];
  if (words.indices == nullptr || words.indices->shape().rank() != 2) return false;
  const Dim b = words.indices->shape()[0], s = words.indices->shape()[1];
  if (!same_size(b, b) || !same_size(s, s)) return false;
  KnownContents known;
  std::vector<EmbeddedRows> batches;
  places = segments = {};
  counts = false;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const EmbeddedRows& rows = all[i];
    const bool is_counted = rows.indices == nullptr ? s.known() : counts_up_to(*rows.indices, b, s, known);
    const bool is_row = rows.indices != nullptr && rows.indices->shape().rank() == 2 &&
                        same_size(rows.indices->shape()[0], Dim(1)) && same_size(rows.indices->shape()[1], s);
    if (places.table == nullptr && (is_counted || is_row)) {
      places = rows;
      counts = is_counted;
    } else if (rows.indices != nullptr && is_batch(*rows.indices, b, s, known)) {
      batches.push_back(rows);
    } else {
      return false;
    }
  }
  std::sort(batches.begin(), batches.end(),
            [](const EmbeddedRows& a, const EmbeddedRows& c) { return a.count() > c.count(); });
  if (places.table == nullptr) {
    places = batches.front();
    batches.erase(batches.begin());
  }
  if (!batches.empty()) segments = batches.front();
  if (places.indices != nullptr) return true;
  const Shape rows = places.table->shape();  // a constant [1, S, H] or [S, H]
  const bool is_matrix = rows.rank() == 2 || (rows.rank() == 3 && same_size(rows[0], Dim(1)));
  return is_matrix && same_size(rows[rows.rank() - 2], s);
}

inline Verdict Embedding::read(const Node& sum, const Node& normalization) {
  const DType dtype = sum.output(0)->dtype();
  if (dtype != DType::f32 && dtype != DType::f16) return Verdict::no("it is neither f32 nor f16");
  const std::optional<std::vector<Value*>> all = summands(sum);
  if (!all) return Verdict::no("there are more than three summands");
  std::vector<EmbeddedRows> rows;
  for (Value* const summand : *all) {
    const std::optional<EmbeddedRows> one = rows_of(*summand);
    if (!one) return Verdict::no("a summand is not a Gather from a constant table");
    rows.push_back(*one);
  }
  if (&sum.graph() != &normalization.graph()) return Verdict::no("the sum is computed in another scope");
  const Shape table = rows[0].table->shape();
  const Dim width = table[table.rank() - 1];
  for (const EmbeddedRows& one : rows) {
    const Shape extents = one.table->shape();
    if (extents.rank() == 0 || !same_size(extents[extents.rank() - 1], width))
      return Verdict::no("the tables have different widths");
  }
  for (std::size_t i = 1; i < normalization.input_count(); ++i) {
    const Value* const factor = normalization.input(i);
    if (factor != nullptr && (factor->shape().rank() != 1 || !same_size(factor->shape()[0], width)))
      return Verdict::no("its scale or bias does not have the width of the tables");
  }
  const auto first = normalization.attr<std::int64_t>("axis").value_or(-1);
  if (first != -1 && first != 2) return Verdict::no("it normalizes more than the last axis");
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].indices != nullptr) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t c) { return rows[a].count() > rows[c].count(); });
  const bool fits = std::any_of(order.begin(), order.end(), [&](std::size_t i) { return assign(rows, i); });
  return fits ? Verdict::yes() : Verdict::no("the indices are not known to have one batch");
}

inline Verdict fuse_embedding(Rewriter& rewriter, Node& sum, Node& normalization) {
  Embedding found;
  if (Verdict read = found.read(sum, normalization); !read) return read;
  const bool is_read = !sum.output(0)->has_one_use();
  const auto as_i32 = [&](Value* indices) -> Value* {
    if (indices == nullptr || indices->dtype() == DType::i32) return indices;
    return &rewriter.op("Cast", {indices}, {{"to", static_cast<std::int64_t>(DType::i32)}});
  };
  Value* places = found.places.table;
  if (found.places.indices == nullptr) {
    const Tensor rows = *places->constant();
    if (rows.rank() == 3) places = &rewriter.constant(rows.reshaped({rows.dims()[1], rows.dims()[2]}), places->name());
  }
  Value* const scales = normalization.input(1);
  Value* biases = normalization.input_count() > 2 ? normalization.input(2) : nullptr;
  if (biases == nullptr) {
    const Shape table = found.words.table->shape();
    biases = &rewriter.constant(filled(scales->dtype(), {table[1].value()}, 0), "bias");
  }
  std::vector<Value*> inputs{as_i32(found.words.indices),
                             as_i32(found.segments.indices),
                             found.words.table,
                             places,
                             found.segments.table,
                             scales,
                             biases};
  if (!found.counts) inputs.insert(inputs.end(), {nullptr, as_i32(found.places.indices)});
  const auto least = static_cast<double>(normalization.attr<float>("epsilon").value_or(1e-5F));
  Node& fused = rewriter.node("com.microsoft::EmbedLayerNormalization", inputs, is_read ? 3 : 2, {{"epsilon", least}});
  if (is_read)
    if (Verdict done = rewriter.replace(*sum.output(0), *fused.output(2)); !done) return done;
  std::vector<Value*> successors(normalization.output_count());
  successors[0] = fused.output(0);
  return rewriter.replace(normalization, successors);
}

}  // namespace detail

namespace rules {

inline Verdict is_embedding(const Node& sum, const Node& normalization) {
  return detail::Embedding().read(sum, normalization);
}

inline constexpr auto normalized_sum =
    op<"LayerNormalization">(op<"Add">(any, any).as(inner).shared(), any, opt(any)).with(first_axis, epsilon).as(norm);

inline constexpr auto is_embedding_sum = where(predicate<is_embedding>("")(inner, norm));

inline constexpr auto embed_layer_normalization =
    rule<"embed-layer-normalization">(normalized_sum, is_embedding_sum, [](const auto& m, Rewriter& rewriter) {
      return detail::fuse_embedding(rewriter, m[inner], m[norm]);
    }).changes_values("indices that count from the back become an error");

}  // namespace rules

GRAFT_INLINE constinit const RuleView embed_layer_normalization = rules::embed_layer_normalization.view();

GRAFT_INLINE Pass fuse_embed_layer_normalizations(const FusedOperators& runtime) {
  return detail::fusions("fuse_embed_layer_normalizations", runtime,
                         {{"com.microsoft::EmbedLayerNormalization", embed_layer_normalization}});
}

}  // namespace graft::inline v1
