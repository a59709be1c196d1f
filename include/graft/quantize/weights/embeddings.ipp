#pragma once
#include <graft/quantize/weights/embeddings.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/weight_form.hpp>
#include <graft/quantize/weights/detail/lookup_tables.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

inline bool gathers_integers(const Target& target) {
  return !target.has(Quirk::keeps_tables_in_float) &&
         std::any_of(target.integer_operators.begin(), target.integer_operators.end(),
                     [](const IntegerOperator& entry) {
                       return entry.op == "Gather" && std::find(entry.dtypes.begin(), entry.dtypes.end(), DType::i8) !=
                                                          entry.dtypes.end();
                     });
}

class EmbeddingQuantizer {
 public:
  EmbeddingQuantizer(const WeightForms& forms, const EmbeddingOptions& options, const KeptInFloat& kept)
      : forms_(forms), options_(options), kept_(kept) {}

  Report run(Graph& graph) {
    Report report;
    Transaction transaction(graph);
    for (Value* const table : lookup_tables(graph, options_.least_elements)) {
      if (const std::string why = why_table_in_float(*table, kept_); !why.empty()) {
        report.notes.push_back("'" + std::string(table->name()) + "' stays in float: " + why);
        continue;
      }
      quantize(*table);
      ++report.changes;
    }
    transaction.keep();
    return report;
  }

 private:
  void quantize(Value& table) {
    std::vector<std::pair<WeightForm, QuantizedConstant>> stored;
    for (Use& use : table.uses()) {
      const WeightForm& form = forms_.of(*use.user());
      auto entry = std::find_if(stored.begin(), stored.end(), [&](const auto& one) { return one.first == form; });
      if (entry == stored.end()) entry = stored.insert(entry, {form, add(table, form)});
      dequantize(*use.user(), entry->second, table.name());
    }
    drop_unused(&table);
  }

  QuantizedConstant add(Value& table, const WeightForm& form) const {
    const Tensor tensor = table.constant().value();
    std::optional<std::size_t> axis;
    if (form.granularity == Granularity::per_channel && tensor.rank() > 1) axis = tensor.rank() - 1;
    QuantizedTensor quantized = quantize_tensor(tensor, DType::i8, axis, form.bits.value_or(8), form.clipping);
    quantized.zero_point = Tensor();  // Cast and Mul take none
    return add_quantized(table.graph(), std::move(quantized), table.name());
  }

  /// The readers of the float output read the scaled integers instead, under the same name.
  static void dequantize(Node& gather, const QuantizedConstant& constant, std::string_view hint) {
    Graph& graph = gather.graph();
    Value& y = *gather.output(0);
    const Shape shape = y.shape();
    const std::string name(y.name());
    rewire(gather, 0, *constant.data);
    Node* const next = gather.next();
    Node& cast = graph.insert("Cast", {&y}, 1, {{"to", DType::f32}}, next, std::string(hint) + "_cast");
    Value& result = *graph.insert("Mul", {cast.output(0), constant.scale}, 1, {}, next,
                                  std::string(hint) + "_dequantized").output(0);
    graph.set_type(*cast.output(0), tensor_type(DType::f32, shape));
    graph.set_type(result, tensor_type(DType::f32, shape));
    for (Use& use : y.uses()) {
      if (use.user() == &cast) continue;
      if (use.is_graph_output())
        use.graph().set_output(use.index(), result);
      else
        rewire(use, result);
    }
    graph.declare_type(y, tensor_type(constant.data->dtype(), shape));
    graph.rename(y, graph.fresh_name(name + "_quantized"));
    graph.rename(result, name);
  }

  const WeightForms& forms_;
  const EmbeddingOptions& options_;
  const KeptInFloat& kept_;
};

}  // namespace detail

GRAFT_INLINE Pass quantize_embeddings(const WeightForms& forms, const Target& target, EmbeddingOptions options) {
  return pass("quantize_embeddings",
              [forms, target, options](Graph& graph, Context& context) {
                Report report;
                if (detail::gathers_integers(target))
                  report = detail::EmbeddingQuantizer(forms, options, context.facts.value_or_default<KeptInFloat>())
                               .run(graph);
                context.facts.edit_or_provide<IntegerCounts>().tables = report.changes;
                return report;
              })
      .needs(needs_opset(7))  // the first in which Mul broadcasts
      .provides<IntegerCounts>()
      .preserves_all();
}

}  // namespace graft::inline v1
