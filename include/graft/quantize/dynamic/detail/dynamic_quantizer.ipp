#pragma once
#include <graft/quantize/dynamic/detail/dynamic_quantizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/fill_tiles.hpp>
#include <graft/quantize/detail/import_contrib.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/detail/quantize_each.hpp>
#include <graft/quantize/target/weight_form.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Report DynamicQuantizer::run(Graph& graph, Facts& facts) {
  count_readers(graph);
  std::vector<std::string> unmatched = options_.weights.unmatched(graph);
  Report report = quantize_each(graph, facts, [&](const Node& node) { return is_candidate(node); },
                                [&](Node& node) { return quantize(node); });
  report.notes.insert(report.notes.begin(), unmatched.begin(), unmatched.end());
  return report;
}

GRAFT_INLINE bool DynamicQuantizer::is_candidate(const Node& node) const {
  if (is_product(node)) return chosen_ == nullptr || chosen_->is_dynamic(node);
  return (options_.attention && node.is("com.microsoft::Attention")) ||
         (options_.lstm && chosen_ == nullptr && node.is("LSTM"));
}

GRAFT_INLINE Verdict DynamicQuantizer::quantize(Node& node) {
  if (kept_.holds(node)) return Verdict::no(kept_.reason(node));
  if (node.output_count() == 0) return Verdict::no("nothing reads it");
  if (is_product(node)) return quantize_product(node);
  return node.is("LSTM") ? quantize_lstm(node) : quantize_attention(node);
}

GRAFT_INLINE Verdict DynamicQuantizer::quantize_product(Node& node) {
  ConstantProduct product;
  if (Verdict reads = read_dynamic_product(node, product); !reads) return reads;
  if (options_.form == DynamicForm::standard) {
    if (Verdict kernel = has("MatMulInteger"); !kernel) return kernel;
    write_standard(node, product);
  } else {
    for (const char* const op : {"com.microsoft::DynamicQuantizeMatMul", "com.microsoft::MatMulIntegerToFloat"})
      if (Verdict kernel = has(op); !kernel) return kernel;
    write_contrib(node, product);
  }
  return Verdict::yes();
}

GRAFT_INLINE Verdict DynamicQuantizer::has(std::string_view op) const {
  return has_dynamic_kernel(target_, op, options_.weight_dtype);
}

GRAFT_INLINE void DynamicQuantizer::write_standard(Node& node, const ConstantProduct& product) {
  Graph& graph = node.graph();
  const std::string hint(node.output(0)->name());
  const QuantizedConstant& weight = quantized_weight(node, product);
  const Activation& x = quantized(product.activation(node), node);
  const auto made = [&](std::string_view op, std::initializer_list<Value*> inputs, const char* suffix,
                        const Attributes& attributes = {}) {
    return graph.insert(op, inputs, 1, attributes, &node, hint + suffix).output(0);
  };
  Value* const sums = made("MatMulInteger", {x.data, weight.data, x.zero_point, weight.zero_point}, "_sums");
  Value* const floats = made("Cast", {sums}, "_floats", {{"to", DType::f32}});
  Value* const scales = made("Mul", {x.scale, weight.scale}, "_scales");
  Value* result = made("Mul", {floats, scales}, "_scaled");
  const Shape shape = node.output(0)->shape();
  graph.set_type(*sums, tensor_type(DType::i32, shape));
  graph.set_type(*floats, tensor_type(DType::f32, shape));
  graph.set_type(*scales, tensor_type(DType::f32, weight.scale->shape()));
  graph.set_type(*result, tensor_type(DType::f32, shape));
  result = &without_filling(*result, product);
  if (Value* const bias = product.scaled_bias(node)) result = made("Add", {result, bias}, "_biased");
  replace_product(node, *result);
}

/// The Add that is the only reader of the product, and adds an initializer with one number for each column.
inline Node* bias_behind(const Node& node, std::int64_t columns) {
  const Value& y = *node.output(0);
  Node* const add = y.has_one_use() ? y.uses().front().user() : nullptr;
  if (add == nullptr || !add->is("Add") || &add->graph() != &node.graph()) return nullptr;
  const Value* const other = other_operand(*add, y);
  const bool is_row = other->initializer() != nullptr && other->is_constant() && other->dtype() == DType::f32 &&
                      other->shape() == Shape({Dim(columns)});
  return is_row ? add : nullptr;
}

GRAFT_INLINE void DynamicQuantizer::write_contrib(Node& node, const ConstantProduct& product) {
  Graph& graph = node.graph();
  import_contrib(graph);
  const std::string hint = std::string(node.output(0)->name()) + "_product";
  const QuantizedConstant& weight = quantized_weight(node, product);
  const bool shares = !product.transposes_x && is_shared(*product.x);
  Value& x = product.activation(node);
  const std::int64_t columns =
      weight.data->constant()->dims().back();  // more than the bias has, if the weight was filled up
  Node* add = node.is("MatMul") ? bias_behind(node, columns) : nullptr;
  if (add != nullptr && kept_.holds(*add)) add = nullptr;
  Value* const bias = add != nullptr ? other_operand(*add, *node.output(0)) : product.scaled_bias(node);
  const bool takes_bias = bias != nullptr && bias->is_constant() && bias->shape() == Shape({Dim(columns)});
  Value* result = nullptr;
  if (shares) {
    const Activation& read = quantized(x, node);
    result = graph.insert("com.microsoft::MatMulIntegerToFloat",
                          {read.data, weight.data, read.scale, weight.scale, read.zero_point, weight.zero_point,
                           takes_bias ? bias : nullptr},
                          1, {}, &node, hint).output(0);
  } else {
    result = graph.insert("com.microsoft::DynamicQuantizeMatMul",
                          {&x, weight.data, weight.scale, weight.zero_point, takes_bias ? bias : nullptr}, 1, {},
                          &node, hint).output(0);
  }
  graph.set_type(*result, tensor_type(DType::f32, node.output(0)->shape()));
  result = &without_filling(*result, product);
  if (bias != nullptr && !takes_bias) result = graph.insert("Add", {result, bias}, 1, {}, &node, hint).output(0);
  replace_product(node, *result);
  if (add != nullptr) replace_product(*add, *result);
}

GRAFT_INLINE void DynamicQuantizer::count_readers(Graph& graph) {
  ConstantProduct product;
  for (Graph* const scope : with_bodies(graph))
    for (const Node& node : scope->nodes())
      if (is_product(node) && is_candidate(node) && !kept_.holds(node) && ConstantProduct::read(node, product) &&
          product.has_finite_weight())
        ++readers_[key_of(*product.x)];
}

GRAFT_INLINE bool DynamicQuantizer::is_shared(const Value& x) const {
  const auto found = readers_.find(key_of(x));
  return found != readers_.end() && found->second > 1;
}

/// One scale for each column, [..., 1, N]; several matrices have scales for each column of each matrix. ONNX Runtime's
/// kernel adds a bias only with such scales.
inline QuantizedTensor quantize_columns(const Tensor& weight, DType dtype, int bits, Clipping clipping) {
  const std::size_t rank = weight.rank();
  if (rank == 2) return quantize_tensor(weight, dtype, 1, bits, clipping);
  std::vector<std::size_t> turned(rank);
  std::iota(turned.begin(), turned.end(), std::size_t{0});
  std::swap(turned[rank - 1], turned[rank - 2]);
  const Tensor columns = permuted(weight, turned);
  const std::int64_t extent = columns.dims().back();
  QuantizedTensor tensor =
      quantize_tensor(columns.reshaped({weight.size() / extent, extent}), dtype, 0, bits, clipping);
  tensor.data = permuted(tensor.data.reshaped(columns.dims()), turned);
  Dims dims = weight.dims();
  dims[rank - 2] = 1;
  tensor.scale = tensor.scale.reshaped(dims);
  tensor.axis = rank - 1;
  return tensor;
}

/// Quantizes the tensor in each scope separately, before the first product that reads it.
GRAFT_INLINE const DynamicQuantizer::Activation& DynamicQuantizer::quantized(Value& x, Node& before) {
  Graph& graph = before.graph();
  const auto [place, is_new] = activations_.try_emplace({&graph, &x});
  if (!is_new) return place->second;
  Node& node = graph.insert("DynamicQuantizeLinear", {&x}, 3, {}, &before, std::string(x.name()) + "_quantized");
  graph.set_type(*node.output(0), tensor_type(DType::u8, x.shape()));
  graph.set_type(*node.output(1), tensor_type(DType::f32, Shape(std::vector<Dim>())));
  graph.set_type(*node.output(2), tensor_type(DType::u8, Shape(std::vector<Dim>())));
  return place->second = {node.output(0), node.output(1), node.output(2)};
}

GRAFT_INLINE const QuantizedConstant& DynamicQuantizer::quantized_weight(const Node& node,
                                                                         const ConstantProduct& product) {
  const WeightForm& form = options_.weights.of(node);
  const int bits = form.bits_of(node, target_);
  return stored({product.w, WeightUse::product, product.transposes_w, product.alpha, bits, form.granularity,
                 form.clipping}, [&] {
    const Tensor weight = product.weight();
    QuantizedTensor tensor =
        form.granularity == Granularity::per_channel
            ? quantize_columns(weight, options_.weight_dtype, bits, form.clipping)
            : quantize_tensor(weight, options_.weight_dtype, std::nullopt, bits, form.clipping);
    const int zero = options_.weight_dtype == DType::u8 ? 128 : 0;
    tensor.zero_point = Tensor::of<std::int32_t>(options_.weight_dtype, {}, {zero});
    const std::int64_t columns = weight.dims().back();
    if (fills_tiles(columns)) tensor = widened(std::move(tensor), weight.rank() - 1, next_full_tiles(columns));
    return tensor;
  });
}

GRAFT_INLINE bool DynamicQuantizer::fills_tiles(std::int64_t columns) const {
  return target_.has(Fault::partial_tiles) && leaves_partial_tiles(columns);
}

GRAFT_INLINE Value& DynamicQuantizer::without_filling(Value& result, const ConstantProduct& product) const {
  const Shape weight = product.w->shape();
  const std::int64_t columns = weight[product.transposes_w ? 0 : weight.rank() - 1].value();
  if (!fills_tiles(columns)) return result;
  Value& cut = insert_cut(result, -1, columns);
  if (result.type() != nullptr) result.producer()->graph().set_type(cut, *result.type());
  for (Value* value = &result; value != nullptr;) {  // values between the product and its scaling
    set_extent(*value, value->shape().rank() - (value->shape().rank() == 0 ? 0 : 1), next_full_tiles(columns));
    const Node& producer = *value->producer();
    value = producer.is("Mul") || producer.is("Cast") ? value->producer()->input(0) : nullptr;
  }
  return cut;
}

}  // namespace graft::inline v1::detail
