#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/clipping.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// One run of quantize_dynamic().
class DynamicQuantizer {
 public:
  /// chosen: if given, its dynamic products are quantized, and no other product; if not, all products are.
  DynamicQuantizer(const Target& target, const DynamicOptions& options, const KeptInFloat& kept,
                   const ProductForms* chosen)
      : target_(target), options_(options), kept_(kept), chosen_(chosen) {}

  Report run(Graph& graph, Facts& facts);

 private:
  /// The outputs of DynamicQuantizeLinear for a tensor.
  struct Activation {
    Value* data;
    Value* scale;
    Value* zero_point;
  };
  /// Operators that store a weight in different integers.
  enum class WeightUse { product, attention, lstm };
  using WeightKey = std::tuple<const Value*, WeightUse, bool, float, int, Granularity, Clipping>;
  /// A tensor of a model that changes: its replacement has the same name.
  using TensorKey = std::pair<const Graph*, std::string>;
  static TensorKey key_of(const Value& x) { return {&x.graph(), std::string(x.name())}; }

  /// Whether it is an operator that may be quantized.
  bool is_candidate(const Node& node) const;
  Verdict quantize(Node& node);
  Verdict quantize_product(Node& node);
  Verdict quantize_attention(Node& node);
  Verdict quantize_lstm(Node& node);
  /// Whether the target has the kernel.
  Verdict has(std::string_view op) const;

  void write_standard(Node& node, const ConstantProduct& product);
  void write_contrib(Node& node, const ConstantProduct& product);
  void count_readers(Graph& graph);
  /// Whether several products read the tensor.
  bool is_shared(const Value& x) const;
  const Activation& quantized(Value& x, Node& before);
  const QuantizedConstant& quantized_weight(const Node& node, const ConstantProduct& product);
  /// Whether a weight of this many columns is filled up with zero columns, because the runtime would miscompute it.
  bool fills_tiles(std::int64_t columns) const;
  /// The result without the added columns.
  Value& without_filling(Value& result, const ConstantProduct& product) const;
  /// make()'s result for a weight, made once.
  template <class Make>
  const QuantizedConstant& stored(const WeightKey& key, const Make& make) {
    QuantizedConstant& constant = weights_[key];
    const Value& original = *std::get<0>(key);
    if (constant.data == nullptr) constant = add_quantized(original.graph(), make(), original.name());
    return constant;
  }

  const Target& target_;
  const DynamicOptions& options_;
  const KeptInFloat& kept_;
  const ProductForms* chosen_;
  std::map<std::pair<const Graph*, const Value*>, Activation> activations_{};
  std::map<WeightKey, QuantizedConstant> weights_{};
  std::map<TensorKey, std::size_t> readers_{};  // number of products that may be quantized
};

}  // namespace graft::inline v1::detail
