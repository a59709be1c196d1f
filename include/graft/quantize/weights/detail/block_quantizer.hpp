#pragma once
#include <map>
#include <tuple>
#include <utility>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/weights/detail/gptq_factor.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// The products of one run of quantize_weights_blockwise().
class BlockQuantizer {
 public:
  /// chosen: of these the weight-only ones are quantized, and no other product; all without. Without Gram matrices the
  /// importance of columns is not known.
  BlockQuantizer(const Target& target, const BlockwiseOptions& options, const KeptInFloat& kept,
                 const ProductForms* chosen, const Statistics<GramMatrix>* inputs)
      : target_(target), options_(options), kept_(kept), chosen_(chosen), inputs_(inputs) {}

  Report run(Graph& graph, Facts& facts);

 private:
  /// A weight in the scope of its product, where ONNX Runtime looks for it when it packs or fuses weights: outside of a
  /// body it does not find them. No zero points where they are the middle.
  struct Stored {
    Value* codes = nullptr;
    Value* scales = nullptr;
    Value* zero_points = nullptr;
    std::int64_t rows = 0, columns = 0;
  };
  using Key = std::tuple<const Value*, bool, float>;
  static Key key_of(const ConstantProduct& product) { return {product.w, product.transposes_w, product.alpha}; }

  bool is_candidate(const Node& node) const;
  BlockForm form_of(const Node& node) const;
  Verdict quantize(Node& node);
  BlockMatrix blocks_of(const ConstantProduct& product, const BlockForm& form);
  /// Of all that share the weight; nullptr if none is known.
  const GramMatrix* inputs_of(const ConstantProduct& product);
  const GptqFactor& factor_of(const GramMatrix& inputs);
  const Stored& stored(const ConstantProduct& product, const BlockForm& form, Graph& scope);

  const Target& target_;
  const BlockwiseOptions& options_;
  const KeptInFloat& kept_;
  const ProductForms* chosen_;
  const Statistics<GramMatrix>* inputs_;
  std::map<std::tuple<Key, int, const Graph*>, Stored> stored_{};  // by their bits and scopes too
  GramMatrix joint_{};  // of the weight at hand, if several share it
  GptqFactor factor_{};
  const GramMatrix* factored_ = nullptr;  // of which factor_ is; products of one tensor mostly follow each other
};

/// The tables of one run.
Report quantize_tables_blockwise(Graph& graph, const Target& target, const BlockwiseOptions& options,
                                 const KeptInFloat& kept);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/weights/detail/block_quantizer.ipp>
#include <graft/quantize/weights/detail/block_tables.ipp>
#endif
