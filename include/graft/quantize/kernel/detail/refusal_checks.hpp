#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/detail/operand_checks.hpp>

// The checks of the table that are about models that a runtime refuses, whatever their kernels.
namespace graft::inline v1::detail::checks {

/// Asked of the first node of a model.
inline Verdict unread_opset(const KernelView& v) {
  const Graph& graph = v.node.graph();
  if (graph.first_node() != &v.node || &graph != &graph.model().graph()) return Verdict::yes();
  const int opset = graph.opset();
  if (v.target.min_opset <= opset && opset <= v.target.max_opset) return Verdict::yes();
  return v.no("the runtime reads opsets " + std::to_string(v.target.min_opset) + " to " +
              std::to_string(v.target.max_opset) + ", the model has " + std::to_string(opset));
}

inline Verdict unstated_dtype(const KernelView& v) {
  const bool is_asked = v.target.has(Quirk::refuses_unstated_dtypes) && is_quantize(v.node);
  return fails_if(is_asked && v.node.input(2) == nullptr && v.node.attr<std::int64_t>("output_dtype").value_or(0) == 0,
                  "it states no dtype: ONNX takes it for u8, the runtime for i8");
}

/// Unknown dtypes are taken for those that it has.
inline std::optional<DType> refused_quantizer_dtype(const KernelView& v) {
  const auto& taken = v.target.quantizer_dtypes;
  if (taken.empty() || !is_quantizer(v.node)) return std::nullopt;
  const DType dtype = quantized_dtype(v.node);
  if (dtype == DType::undefined || std::find(taken.begin(), taken.end(), dtype) != taken.end()) return std::nullopt;
  return dtype;
}
inline Verdict quantized_bias(const KernelView& v) {
  return fails_if(refused_quantizer_dtype(v) == DType::i32, "it dequantizes i32: the runtime refuses it");
}
inline Verdict quantizer_dtype(const KernelView& v) {
  const std::optional<DType> dtype = refused_quantizer_dtype(v);
  if (!dtype) return Verdict::yes();
  return Verdict::no({"its dtype is {name}: the runtime refuses it, or reads it as another", {}, {}, 0,
                      to_string(*dtype)});
}
inline Verdict narrow_activation(const KernelView& v) {
  const bool is_asked = !v.target.quantizer_dtypes.empty() && is_quantize(v.node);
  return fails_if(is_asked && bits(quantized_dtype(v.node)) == 4, "4 bits are for weights alone");
}

inline Verdict quantizer_zero_point(const KernelView& v) {
  const Value* const given = v.node.input(2);
  if (!v.target.has(Quirk::refuses_zero_points) || !is_quantizer(v.node) || given == nullptr) return Verdict::yes();
  const std::optional<Tensor> zero_point = given->constant();
  if (!zero_point) return Verdict::no("its zero point is computed: the runtime refuses it");
  const std::optional<Tensor> scale = constant_input(v.node, 1);
  if (scale && scale->size() != zero_point->size())
    return v.no("it has " + std::to_string(zero_point->size()) + " zero points and " + std::to_string(scale->size()) +
                " scales: the runtime refuses it");
  for (const float element : zero_point->to<float>())
    if (element != 0) return v.no("its zero point is " + shortest_decimal(element) + ": the runtime refuses it");
  return Verdict::yes();
}

inline Verdict unstated_axis(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_unstated_axes) || !is_quantizer(v.node) || v.node.input(1) == nullptr)
    return Verdict::yes();
  const Shape scale = v.node.input(1)->shape();
  const bool is_list = scale.rank() == 1 && scale[0] != Dim(1);
  return fails_if(is_list && v.node.attribute("axis") == nullptr,
                  "it has several scales and states no axis: some releases take 0 for it, others 1");
}

inline Verdict scale_value(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_unusual_scales) || !is_quantizer(v.node) || v.node.input(1) == nullptr)
    return Verdict::yes();
  const std::optional<Tensor> scale = v.node.input(1)->constant();
  if (!scale)
    return fails_if(!v.node.input(1)->shape().dims(), "the shape of its scale is not known: the runtime refuses it");
  const bool is_taken = scale->dtype() == DType::f32 || scale->dtype() == DType::f16 || scale->dtype() == DType::bf16;
  if (!is_taken)
    return Verdict::no({"its scale is {name}: the runtime refuses it", {}, {}, 0, to_string(scale->dtype())});
  const std::vector<float> scales = scale->to<float>();
  return fails_if(!std::ranges::all_of(scales, [](float one) { return one > 0; }),
                  "a scale of it is not positive: the runtime refuses it");
}

/// The elements of blocks whose scales are of 8 bits elsewhere; 0 of other dtypes, of which any number is read.
inline std::int64_t elements_of_blocks(DType dtype) {
  if (dtype == DType::f4e2m1) return 16;
  return dtype == DType::f8e4m3fn ? 32 : 0;
}
/// Scales of rank 1 are as many as the tensor's elements along the axis. Those of its rank differ from it in one
/// extent, that of its last axis or of the one before.
inline Verdict scale_blocks(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_unusual_scales) || !is_quantizer(v.node) || v.node.input(1) == nullptr)
    return Verdict::yes();
  const Shape x = v.node.input(0)->shape(), scale = v.node.input(1)->shape();
  if (!x.known() || !scale.known()) return Verdict::yes();
  const bool is_odd = bits(quantized_dtype(v.node)) == 4 && x.rank() != 0 && x[x.rank() - 1].known() &&
                      x[x.rank() - 1].value() % 2 != 0;
  if (is_odd) return Verdict::no("its last extent is odd, and its elements have 4 bits");
  const std::optional<Dims> extents = scale.dims();
  if (extents && std::ranges::all_of(*extents, [](std::int64_t extent) { return extent == 1; })) return Verdict::yes();
  if (scale.rank() == 1) {
    const std::int64_t axis = v.node.attr<std::int64_t>("axis").value_or(1), rank = static_cast<std::int64_t>(x.rank());
    const auto along = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    const bool differs = along < x.rank() && x[along].known() && scale[0].known() && x[along] != scale[0];
    return fails_if(differs, "it has not one scale for each element along its axis");
  }
  if (scale.rank() != x.rank()) return Verdict::no("its scales have another rank than its tensor");
  std::size_t differing = 0, blocked = x.rank() - 1;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (x[i] == scale[i]) continue;
    ++differing;
    blocked = i;
  }
  if (differing > 1) return Verdict::no("its blocks run along more than one axis");
  if (blocked + 2 < x.rank()) return Verdict::no("its blocks run along another axis than the last two");
  const std::int64_t wanted = elements_of_blocks(quantized_dtype(v.node));
  const bool differs = wanted != 0 && differing == 1 && x[blocked].known() && scale[blocked].known() &&
                       x[blocked].value() != scale[blocked].value() * wanted;
  return fails_if(differs, "its blocks have another number of elements than the runtime reads of the dtype");
}

/// A quantizer is asked for its dtype alone.
inline Verdict uint8_tensor(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_uint8) || is_quantizer(v.node)) return Verdict::yes();
  for (const Value* const input : v.node.inputs())
    if (input != nullptr && input->is_graph_input() && input->dtype() == DType::u8 && !v.node.is("Cast"))
      return v.no(quoted(*input) + " is u8, and no Cast reads it");
  for (const Value& output : v.node.outputs())
    if (output.dtype() == DType::u8 && !output.is_graph_output())
      return v.no(quoted(output) + " is u8, and no output of the graph");
  return Verdict::yes();
}

/// Blocks of a weight that the runtime takes beside activations in float: of so many elements along the sums of the
/// product.
inline Verdict unusual_blocks(const KernelView& v) {
  const auto kernel = std::ranges::find(v.target.block_kernels, v.node.op_type(), &BlockKernel::op);
  if (kernel == v.target.block_kernels.end() || !is_dequantize(v.node) || !has_result(v.node)) return Verdict::yes();
  if (v.node.attribute("block_size") == nullptr) return Verdict::yes();
  const std::int64_t size = v.node.attr<std::int64_t>("block_size").value_or(0);
  const int width = static_cast<int>(bits(quantized_dtype(v.node)));
  const bool has_width = std::ranges::find(kernel->bits, width) != kernel->bits.end();
  if (has_width && !kernel->takes(width, size))
    return Verdict::no(
        {"its blocks have {} elements, which the runtime does not list", {}, {static_cast<double>(size)}, 1});
  const Value& y = *v.node.output(0);
  const Node* const product = y.has_one_use() && !y.is_graph_output() ? y.uses().front().user() : nullptr;
  if (product == nullptr || y.uses().front().index() != 1 || !product->is_any_of({"MatMul", "Gemm"}))
    return Verdict::yes();
  const auto rank = static_cast<std::int64_t>(y.shape().rank());
  const std::int64_t axis = v.node.attr<std::int64_t>("axis").value_or(1);
  const bool is_turned = product->attr<std::int64_t>("transB").value_or(0) != 0;
  return fails_if(rank >= 2 && (axis < 0 ? axis + rank : axis) != rank - (is_turned ? 1 : 2),
                  "its blocks run along the columns of the product, not along its sums");
}

inline Verdict integer_operator(const KernelView& v) {
  constexpr std::array<std::string_view, 5> ops{"ConvInteger", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv",
                                                "QLinearMatMul"};
  if (!v.target.has(Quirk::refuses_integer_operators) || !v.node.domain().empty()) return Verdict::yes();
  return fails_if(std::ranges::find(ops, v.node.op_type()) != ops.end(), "the runtime has no such operator");
}

/// By their names it knows some of com.microsoft, those of which ONNX has the same, and plugins: its own are TRT_*.
inline Verdict other_domain(const KernelView& v) {
  constexpr std::array<std::string_view, 4> known{"DequantizeLinear", "Gelu", "LayerNormalization", "QuantizeLinear"};
  const std::string_view domain = v.node.domain(), name = v.node.op_type();
  if (!v.target.has(Quirk::refuses_other_domains) || domain.empty() || name.starts_with("TRT_")) return Verdict::yes();
  if (v.node.graph().model().find_function(std::string(domain) + "::" + std::string(name)) != nullptr)
    return Verdict::yes();
  if (domain != "com.microsoft") return Verdict::no("the runtime reads it with a plugin of its name alone");
  return fails_if(std::ranges::find(known, name) == known.end(), "the runtime has no operators of com.microsoft");
}

/// Between a QuantizeLinear and its DequantizeLinear.
inline Verdict moved_integers(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_moved_integers) || !lets_quantizers_pass(v.node, v.target)) return Verdict::yes();
  const Value* const x = passing_tensor(v.node);
  const bool is_moved = x != nullptr && x->producer() != nullptr && is_quantize(*x->producer());
  return fails_if(is_moved, "it moves quantized values: the runtime moves floats alone");
}

inline Verdict unusual_pool(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_unusual_pools)) return Verdict::yes();
  const bool is_max = v.node.is("MaxPool");
  if (!is_max && !v.node.is("AveragePool")) return Verdict::yes();
  if (is_max && v.node.output_count() > 1 && !v.node.output(1)->name().empty())
    return Verdict::no("it gives indices: the runtime refuses it");
  if (const auto window = v.node.attr<std::vector<std::int64_t>>("kernel_shape"); window && window->size() == 1)
    return Verdict::no("it is of one axis: the runtime refuses it");
  const auto dilations = v.node.attr<std::vector<std::int64_t>>("dilations");
  return fails_if(dilations && std::ranges::any_of(*dilations, [](std::int64_t step) { return step != 1; }),
                  "it has dilations: the runtime refuses it");
}

inline Verdict unusual_attention(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_unusual_attention) || !v.node.is("Attention")) return Verdict::yes();
  for (std::size_t i = 0; i < v.node.input_count() && i < 6; ++i) {
    const Value* const input = v.node.input(i);
    if (input == nullptr || i == 3) continue;
    if (i > 3) return Verdict::no("it reads past keys or values: the runtime refuses it");
    if (input->shape().known() && input->shape().rank() != 4)
      return Verdict::no("its queries, keys or values have not rank 4: the runtime refuses it");
  }
  for (std::size_t i = 1; i < v.node.output_count() && i < 3; ++i)
    if (!v.node.output(i)->name().empty())
      return Verdict::no("it gives present keys or values: the runtime refuses it");
  return Verdict::yes();
}
inline Verdict unusual_resize(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_unusual_resizes) || !v.node.is("Resize")) return Verdict::yes();
  if (v.node.attr<std::int64_t>("antialias").value_or(0) != 0)
    return Verdict::no("it has antialias: the runtime refuses it");
  const auto policy = v.node.attr<std::string>("keep_aspect_ratio_policy");
  return fails_if(policy && *policy != "stretch", "it keeps the aspect ratio: the runtime refuses it");
}

}  // namespace graft::inline v1::detail::checks
