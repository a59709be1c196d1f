#pragma once
#include <graft/quantize/weights/detail/block_quantizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/import_contrib.hpp>
#include <graft/quantize/detail/quantize_each.hpp>
#include <graft/quantize/weights/detail/lookup_tables.hpp>
#include <graft/quantize/weights/gptq.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Packs codes into elements of the dtype with their bits, [rows, columns] transposed; symmetric codes are signed.
inline Tensor transposed_codes(const std::vector<std::uint8_t>& codes, std::size_t columns, const BlockForm& form) {
  const DType dtype =
      form.bits > 4 ? (form.symmetric ? DType::i8 : DType::u8) : (form.symmetric ? DType::i4 : DType::u4);
  const std::size_t rows = codes.size() / columns;
  std::vector<std::int32_t> turned(codes.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      turned[column * rows + row] = codes[row * columns + column] - (form.symmetric ? form.middle() : 0);
  return Tensor::of<std::int32_t>(dtype, {static_cast<std::int64_t>(columns), static_cast<std::int64_t>(rows)}, turned);
}

GRAFT_INLINE Report BlockQuantizer::run(Graph& graph, Facts& facts) {
  return quantize_each(
      graph, facts, [&](const Node& node) { return is_candidate(node); }, [&](Node& node) { return quantize(node); });
}

GRAFT_INLINE bool BlockQuantizer::is_candidate(const Node& node) const {
  if (!is_product(node) || chosen_ == nullptr) return is_product(node);
  return options_.bits_per_weight ? !chosen_->is_dynamic(node) : chosen_->weight_bits(node).has_value();
}

GRAFT_INLINE bool BlockQuantizer::multiplies_rows(const Node& node, const Value& table) const {
  ConstantProduct product;
  return is_product(node) && is_candidate(node) && !kept_.holds(node) && ConstantProduct::read(node, product) &&
         product.w == &table && product.transposes_w && product.alpha == 1 && &node.graph() == &table.graph();
}

GRAFT_INLINE bool BlockQuantizer::is_shared_table(const Value& table) const {
  bool is_gathered = false;
  for (const Use& use : table.uses()) {
    if (use.is_graph_output()) return false;
    const Node& reader = *use.user();
    if (reader.is("Gather")) {
      if (!why_reader_in_float(use, kept_).empty()) return false;
      is_gathered = true;
    } else if (reader.is("Transpose")) {
      const auto multiplies = [&](const Use& one) {
        return !one.is_graph_output() && multiplies_rows(*one.user(), table);
      };
      if (!std::ranges::all_of(reader.output(0)->uses(), multiplies)) return false;
    } else if (!multiplies_rows(reader, table)) {
      return false;
    }
  }
  return is_gathered;
}

/// The largest blocks that MatMulNBits and GatherBlockQuantized read alike: rows have whole blocks, and zero points
/// whole bytes. nullopt if there are none.
inline std::optional<BlockForm> common_form(const Target& target, BlockForm form, std::int64_t columns) {
  while (columns % form.block_size != 0 && form.block_size > 16) form.block_size /= 2;
  if (columns % form.block_size != 0 || (form.bits != 4 && form.bits != 8)) return std::nullopt;
  form.symmetric |= form.bits == 4 && columns / form.block_size % 2 != 0;
  const bool has_kernels = takes_blocks(target, "com.microsoft::MatMulNBits", form, columns) &&
                           takes_blocks(target, "com.microsoft::GatherBlockQuantized", form);
  return has_kernels ? std::optional(form) : std::nullopt;
}

GRAFT_INLINE bool BlockQuantizer::shares_table(const Node& node, const ConstantProduct& product) const {
  if (!options_.tables || options_.operators != BlockOperators::contrib || !product.transposes_w) return false;
  if (node.opset() < 5) return false;  // Reshape has its dims in an attribute
  return product.w->constant()->size() >= options_.tables->least_elements && is_shared_table(*product.w);
}

inline std::int64_t columns_of(const ConstantProduct& product) {
  return product.w->constant()->dims()[product.transposes_w ? 1 : 0];
}

GRAFT_INLINE BlockQuantizer::Form BlockQuantizer::form_of(const Node& node, const ConstantProduct& product) const {
  const std::optional<int> chosen = chosen_bits(node, product);
  BlockForm form = options_.weights;
  if (shares_table(node, product)) {
    form.bits = chosen.value_or(options_.table_bits.value_or(8));
    if (const auto tied = common_form(target_, form, columns_of(product))) return {*tied, true};
  }
  form.bits = chosen.value_or(options_.weights.bits);
  return {form, false};
}

GRAFT_INLINE std::vector<BlockQuantizer::Form> BlockQuantizer::forms(const Node& node,
                                                                     const ConstantProduct& product) const {
  const std::int64_t columns = columns_of(product);
  const auto has_kernel = [&](const BlockForm& form) {
    return takes_blocks(target_, block_operator(options_.operators), form, columns);
  };
  std::vector<Form> found;
  if (node.graph().owner() != nullptr) {
    const Form only = form_of(node, product);
    if (has_kernel(only.blocks)) found.push_back(only);
    return found;
  }
  BlockForm form = options_.weights;
  if (shares_table(node, product)) {
    form.bits = options_.table_bits.value_or(form.bits);
    for (const int most = options_.table_bits.value_or(8); form.bits <= most; ++form.bits)
      if (const auto tied = common_form(target_, form, columns)) found.push_back({*tied, true});
  }
  if (!found.empty()) return found;
  for (form.bits = options_.weights.bits; form.bits <= 8; ++form.bits)
    if (has_kernel(form)) found.push_back({form, false});
  return found;
}

GRAFT_INLINE std::optional<int> BlockQuantizer::chosen_bits(const Node& node, const ConstantProduct& product) const {
  if (chosen_ == nullptr) return std::nullopt;
  if (const std::optional<int> bits = chosen_->weight_bits(node)) return bits;
  const Key key = key_of(product);
  const auto stored = stored_.lower_bound({key, 0, nullptr});
  if (stored == stored_.end() || std::get<Key>(stored->first) != key) return std::nullopt;
  return std::get<int>(stored->first);
}

GRAFT_INLINE const StoredBlocks* BlockQuantizer::tied(const Value& table) const {
  const auto found = tied_.find(&table);
  return found != tied_.end() ? found->second : nullptr;
}

GRAFT_INLINE Verdict BlockQuantizer::read(const Node& node, ConstantProduct& product, Form& form) const {
  if (Verdict reads = read_block_product(node, product); !reads) return reads;
  if (kept_.holds(node)) return Verdict::no(kept_.reason(node));
  form = form_of(node, product);
  if (!takes_blocks(target_, block_operator(options_.operators), form.blocks, columns_of(product)))
    return Verdict::no("the target has no kernel for weights of this many bits in blocks of this size");
  return Verdict::yes();
}

GRAFT_INLINE Verdict BlockQuantizer::quantize(Node& node) {
  ConstantProduct product;
  Form form;
  if (Verdict reads = read(node, product, form); !reads) return reads;
  const bool is_contrib = options_.operators == BlockOperators::contrib;
  Graph& graph = node.graph();
  const std::string hint(node.output(0)->name());
  const StoredBlocks& weight = stored(node, product, form);
  Value& x = product.activation(node);
  Value* result = nullptr;
  if (is_contrib) {
    import_contrib(graph);
    result = graph
                 .insert("com.microsoft::MatMulNBits", {&x, weight.codes, weight.scales, weight.zero_points}, 1,
                         {{"K", weight.columns},
                          {"N", weight.rows},
                          {"bits", weight.form.bits},
                          {"block_size", weight.form.block_size},
                          {"accuracy_level", options_.accuracy_level.value_or(4)}},
                         &node, hint + "_product")
                 .output(0);
  } else {
    Node& dequantize = graph.insert("DequantizeLinear", {weight.codes, weight.scales, weight.zero_points}, 1,
                                    {{"axis", 0}, {"block_size", weight.form.block_size}}, &node,
                                    std::string(product.w->name()) + "_dequantized");
    graph.set_type(*dequantize.output(0), tensor_type(DType::f32, weight.codes->shape()));
    result = graph.insert("MatMul", {&x, dequantize.output(0)}, 1, {}, &node, hint + "_product").output(0);
  }
  graph.set_type(*result, tensor_type(DType::f32, node.output(0)->shape()));
  if (Value* const bias = product.scaled_bias(node))
    result = graph.insert("Add", {result, bias}, 1, {}, &node, hint + "_biased").output(0);
  replace_product(node, *result);
  return Verdict::yes();
}

GRAFT_INLINE std::string BlockQuantizer::round(std::span<Node* const> products) {
  ConstantProduct product;
  Form found;
  onnx::NodeProto message;  // an attribute for each weight
  for (const Node* const node : products) {
    if (!read(*node, product, found)) continue;
    const BlockForm& form = found.blocks;
    const Key key = key_of(product);
    if (rounded_.contains({key, form.bits})) continue;
    const BlockMatrix& blocks = rounded_.emplace(std::pair{key, form.bits}, rounded(product, form)).first->second;
    onnx::AttributeProto& weight = *message.add_attribute();
    weight.set_name(std::string(product.w->name()));
    for (const std::size_t number :
         {std::size_t{product.transposes_w}, static_cast<std::size_t>(form.bits), blocks.rows, blocks.columns,
          static_cast<std::size_t>(form.block_size), std::size_t{form.symmetric}})
      weight.add_ints(static_cast<std::int64_t>(number));
    weight.add_floats(product.alpha);
    for (const float scale : blocks.scales) weight.add_floats(scale);
    for (const std::vector<std::uint8_t>* const codes : {&blocks.codes, &blocks.zero_points})
      weight.add_strings(std::string(codes->begin(), codes->end()));
  }
  return message.SerializeAsString();
}

GRAFT_INLINE void BlockQuantizer::take(const std::string& rounded, const Graph& graph) {
  onnx::NodeProto message;
  if (!message.ParseFromString(rounded)) throw Error("the message of another rank cannot be read");
  for (const onnx::AttributeProto& weight : message.attribute()) {
    const Value* const w = graph.find(weight.name());
    if (w == nullptr) raise(Error("another rank has rounded it, and it is not in this graph").field(weight.name()));
    const auto expect = [&](bool holds) {
      if (!holds) raise(Error("another rank has rounded another weight").field(weight.name()));
    };
    expect(weight.ints_size() == 6 && weight.floats_size() != 0 && weight.strings_size() == 2);
    const Dims extents{weight.ints(2), weight.ints(3)};
    const std::optional<Tensor> matrix = w->constant();
    expect(matrix && matrix->dims() == (weight.ints(0) != 0 ? extents : Dims{extents[1], extents[0]}));
    BlockForm form = options_.weights;
    form.bits = static_cast<int>(weight.ints(1));
    form.block_size = weight.ints(4);
    form.symmetric = weight.ints(5) != 0;
    form.check();
    BlockMatrix blocks(static_cast<std::size_t>(extents[0]), static_cast<std::size_t>(extents[1]), form);
    const auto take_all = [&](const auto& from, auto& to) {
      expect(std::size(from) == to.size());
      std::copy(from.begin(), from.end(), to.begin());
    };
    const auto is_code = [&](std::uint8_t code) { return code <= form.highest(); };
    const auto take_codes = [&](const std::string& from, std::vector<std::uint8_t>& to) {
      take_all(from, to);
      expect(std::ranges::all_of(to, is_code));
    };
    take_all(std::span(weight.floats().data(), static_cast<std::size_t>(weight.floats_size())).subspan(1),
             blocks.scales);
    take_codes(weight.strings(0), blocks.codes);
    take_codes(weight.strings(1), blocks.zero_points);
    rounded_.emplace(std::pair{Key{w, weight.ints(0) != 0, weight.floats(0)}, form.bits}, std::move(blocks));
  }
}

GRAFT_INLINE void BlockQuantizer::run(std::span<Node* const> products, Facts& facts, Report& report) {
  FloatOutcomes& in_float = facts.edit_or_provide<FloatOutcomes>();
  for (std::size_t i = products.size(); i-- > 0;)
    quantize_one(*products[i], [&](Node& node) { return quantize(node); }, in_float, report);
}

GRAFT_INLINE bool BlockQuantizer::shares_weight(const Node& node, const ConstantProduct& product,
                                                ConstantProduct& other) const {
  return is_candidate(node) && !kept_.holds(node) && ConstantProduct::read(node, other) &&
         key_of(other) == key_of(product);
}

GRAFT_INLINE BlockMatrix BlockQuantizer::take_rounded(const ConstantProduct& product, const BlockForm& form,
                                                      const Graph& scope) {
  ConstantProduct other;
  const auto needs_it = [&](const Node* node) {
    return &node->graph() != &scope && shares_weight(*node, product, other);
  };
  auto known = rounded_.find({key_of(product), form.bits});
  if (known == rounded_.end())
    known = rounded_.emplace(std::pair{key_of(product), form.bits}, rounded(product, form)).first;
  if (std::ranges::any_of(products_of(*product.w), needs_it)) return known->second;
  return std::move(rounded_.extract(known).mapped());
}

GRAFT_INLINE BlockMatrix BlockQuantizer::rounded(const ConstantProduct& product, const BlockForm& form) {
  const Tensor matrix = product.rows();
  const std::span<const float> values = matrix.data<float>();
  const auto columns = static_cast<std::size_t>(matrix.dims()[1]);
  if (options_.method == BlockMethod::nearest) return nearest_blocks(values, columns, form, parallel_);
  const GramMatrix* const inputs = inputs_of(product);
  if (inputs == nullptr || inputs->columns() != columns) return searched_blocks(values, columns, form, {}, parallel_);
  if (options_.method == BlockMethod::gptq)
    return gptq_blocks(values, columns, form, factor_of(*inputs, form), parallel_);
  return searched_blocks(values, columns, form, inputs->mean_squares(), parallel_);
}

GRAFT_INLINE const GramMatrix* BlockQuantizer::inputs_of(const ConstantProduct& product) {
  if (inputs_ == nullptr) return nullptr;
  std::vector<const GramMatrix*> all;
  ConstantProduct reader;
  for (const Node* const node : products_of(*product.w)) {
    if (!shares_weight(*node, product, reader) || reader.transposes_x) continue;
    const GramMatrix* const one = inputs_->find(reader.x->name());
    if (one != nullptr && (all.empty() || one->columns() == all.front()->columns())) all.push_back(one);
  }
  if (all.size() < 2) return all.empty() ? nullptr : all.front();
  joint_ = GramMatrix();
  for (const GramMatrix* const one : all) joint_.merge(*one);
  return &joint_;
}

GRAFT_INLINE const GptqFactor& BlockQuantizer::factor_of(const GramMatrix& inputs, const BlockForm& form) {
  if (factored_ == std::pair{&inputs, form.block_size} && &inputs != &joint_) return factor_;
  factor_ = gptq_factor(inputs, static_cast<std::size_t>(form.block_size), gptq_damping);
  factored_ = {&inputs, form.block_size};
  return factor_;
}

GRAFT_INLINE const StoredBlocks& BlockQuantizer::stored(const Node& node, const ConstantProduct& product,
                                                        const Form& form) {
  Graph& graph = node.graph();
  StoredBlocks& weight = stored_[{key_of(product), form.blocks.bits, &graph}];
  if (weight.codes != nullptr) return weight;
  const BlockMatrix blocks = take_rounded(product, form.blocks, graph);
  const std::string name(product.w->name());
  const auto add = [&](Tensor tensor, const char* suffix) {
    return &graph.add_initializer(std::move(tensor), name + suffix);
  };
  const auto extent = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  weight.rows = extent(blocks.rows);
  weight.columns = extent(blocks.columns);
  weight.form = form.blocks;
  if (options_.operators == BlockOperators::contrib) {
    // Gather reads matrices. Older runtimes have no MatMulNBits that does.
    const auto shaped = [&](const Tensor& tensor) {
      return tensor.reshaped(form.is_tied ? Dims{weight.rows, tensor.size() / weight.rows} : Dims{tensor.size()});
    };
    weight.codes = add(blocks.packed_codes(), "_quantized");
    weight.scales = add(shaped(Tensor::of<float>({extent(blocks.scales.size())}, blocks.scales)), "_scale");
    if (!blocks.form.symmetric) weight.zero_points = add(shaped(blocks.packed_zero_points()), "_zero_point");
    if (form.is_tied) tied_.emplace(product.w, &weight);
    return weight;
  }
  weight.codes = add(transposed_codes(blocks.codes, blocks.columns, blocks.form), "_quantized");
  const Tensor scales = Tensor::of<float>({weight.rows, extent(blocks.blocks())}, blocks.scales);
  weight.scales = add(permuted(scales, {1, 0}), "_scale");
  if (!blocks.form.symmetric)
    weight.zero_points = add(transposed_codes(blocks.zero_points, blocks.blocks(), blocks.form), "_zero_point");
  return weight;
}

}  // namespace graft::inline v1::detail
