#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/evaluate/parallel.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/weights/detail/gptq_factor.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// A weight or a table in blocks. No zero points are written if all are the middle value.
struct StoredBlocks {
  Value* codes = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;
  std::int64_t rows = 0, columns = 0;
  BlockForm form{};
};

/// The products of one run of quantize_weights_blockwise().
class BlockQuantizer {
 public:
  /// chosen: if given, its weight-only products are quantized, and no other product, unless options have
  /// bits_per_weight; if not, all products are. Without Gram matrices all columns count the same.
  BlockQuantizer(const Target& target, const BlockwiseOptions& options, const KeptInFloat& kept,
                 const ProductForms* chosen, const Statistics<GramMatrix>* inputs, const ParallelFor* parallel)
      : target_(target), options_(options), kept_(kept), chosen_(chosen), inputs_(inputs), parallel_(parallel) {}

  /// Replaces the Gram matrices; nullptr: none.
  void learn_from(const Statistics<GramMatrix>* inputs) {
    inputs_ = inputs;
    factored_ = {};
  }

  /// Quantizes all products.
  Report run(Graph& graph, Facts& facts);

  using Form = StoredForm;
  /// Whether the product takes part, in what form.
  Verdict read(const Node& node, ConstantProduct& product, Form& form) const;
  bool is_candidate(const Node& node) const;
  /// Those of forms_within_budget().
  std::vector<Form> forms(const Node& node, const ConstantProduct& product) const;

  /// Rounds the weights of these products, and returns them as bytes.
  std::string round(std::span<Node* const> products);
  /// Takes the weights that round() of another rank returned. Throws Error if they are not those of this graph.
  void take(const std::string& rounded, const Graph& graph);
  /// Quantizes these products, from the last to the first.
  void run(std::span<Node* const> products, Facts& facts, Report& report);

  /// The blocks of a table that a quantized product reads too; nullptr if there are none.
  const StoredBlocks* tied(const Value& table) const;

 private:
  using Key = std::tuple<const Value*, bool, float>;
  static Key key_of(const ConstantProduct& product) { return {product.w, product.transposes_w, product.alpha}; }

  Form form_of(const Node& node, const ConstantProduct& product) const;
  /// Those that were chosen for the product, or those in which another scope has stored the weight.
  std::optional<int> chosen_bits(const Node& node, const ConstantProduct& product) const;
  /// Whether the product, which is to be quantized, multiplies by the rows of the table, in its scope.
  bool multiplies_rows(const Node& node, const Value& table) const;
  /// Whether Gather and such products read the table, and nothing else does.
  bool is_shared_table(const Value& table) const;
  /// Whether the product and the tables of Gather share the weight, if there is a form that both read.
  bool shares_table(const Node& node, const ConstantProduct& product) const;
  Verdict quantize(Node& node);
  /// Whether the node is to be quantized, with the product's weight. Reads it.
  bool shares_weight(const Node& node, const ConstantProduct& product, ConstantProduct& other) const;
  /// Rounds the weight for this scope, or takes what was rounded before, and keeps it as long as other scopes need it.
  BlockMatrix take_rounded(const ConstantProduct& product, const BlockForm& form, const Graph& scope);
  BlockMatrix rounded(const ConstantProduct& product, const BlockForm& form);
  /// The sum over all products that share the weight; nullptr if none has a Gram matrix.
  const GramMatrix* inputs_of(const ConstantProduct& product);
  const GptqFactor& factor_of(const GramMatrix& inputs, const BlockForm& form);
  const StoredBlocks& stored(const Node& node, const ConstantProduct& product, const Form& form);

  const Target& target_;
  const BlockwiseOptions& options_;
  const KeptInFloat& kept_;
  const ProductForms* chosen_;
  const Statistics<GramMatrix>* inputs_;
  const ParallelFor* parallel_;
  // By weight, bits and scope: ONNX Runtime packs and fuses only weights in the scope of their product.
  std::map<std::tuple<Key, int, const Graph*>, StoredBlocks> stored_{};
  std::map<std::pair<Key, int>, BlockMatrix> rounded_{};          // by weight and bits
  std::unordered_map<const Value*, const StoredBlocks*> tied_{};  // by table
  GramMatrix joint_{};  // that of the present weight, if several products share it
  GptqFactor factor_{};
  // Of factor_: its matrix and block size. Consecutive products mostly read the same tensor.
  std::pair<const GramMatrix*, std::int64_t> factored_{};
};

/// The tables of one run.
Report quantize_tables_blockwise(Graph& graph, const Target& target, const BlockwiseOptions& options,
                                 const KeptInFloat& kept, const BlockQuantizer& products, const ParallelFor* parallel);

}  // namespace graft::inline v1::detail
