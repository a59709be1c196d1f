#pragma once
#include <graft/lower/conv.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>
#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/weighted.hpp>

namespace graft::inline v1 {
namespace rules {

inline bool is_pointwise(const Node& window, const Tensor& weights) {
  return weights.rank() > 2 && window.attr<std::int64_t>("group").value_or(1) == 1 && pads_nothing(window) &&
         std::ranges::all_of(std::span(weights.dims()).subspan(2), [](std::int64_t extent) { return extent == 1; });
}

inline Ints strides_of(const Node& window, const Tensor& weights) {
  return window.attr<Ints>("strides").value_or(Ints(weights.rank() - 2, 1));
}

inline Ints kernel_of(const Tensor& weights) { return Ints(weights.rank() - 2, 1); }

inline double greatest_magnitude(const Tensor& weights) {
  if (weights.size() == 0) return 0;
  if (weights.dtype() == DType::f32) {  // without a copy
    const std::span<const float> values = weights.data<float>();
    return Eigen::Map<const Eigen::ArrayXf>(values.data(), std::ssize(values)).abs().maxCoeff<Eigen::PropagateNaN>();
  }
  double greatest = 0;
  for (const double weight : weights.to<double>()) greatest = std::max(greatest, std::abs(weight));
  return greatest;
}

inline bool is_dequantized_input(const Value& value) { return made_by(value, "DequantizeLinear", 0) != nullptr; }

inline std::vector<double> summed_biases(const Tensor& weights, const std::optional<Tensor>& first,
                                         const std::optional<Tensor>& second) {
  const auto channels = static_cast<std::size_t>(weights.dims()[0]);
  std::vector<double> sums = given_biases(first, channels);
  const std::vector<double> others = given_biases(second, channels);
  for (std::size_t m = 0; m < channels; ++m) sums[m] += others[m];
  return sums;
}

inline Verdict add_as_one(const Value& first, const Node& conv_of_first, const Tensor& of_first,
                          const std::optional<Tensor>& bias_of_first, const Value& second, const Node& conv_of_second,
                          const Tensor& of_second, const std::optional<Tensor>& bias_of_second) {
  if (Verdict holds = has_channels(conv_of_first, of_first, bias_of_first); !holds) return holds;
  if (Verdict holds = has_channels(conv_of_second, of_second, bias_of_second); !holds) return holds;
  if (&first == &second) return Verdict::no("both read one value");
  if (!is_pointwise(conv_of_first, of_first) || !is_pointwise(conv_of_second, of_second))
    return Verdict::no("a Conv has a kernel of more than one element, groups or padding");
  if (strides_of(conv_of_first, of_first) != kernel_of(of_first)) return Verdict::no("both have strides");
  if (is_dequantized_input(first) || is_dequantized_input(second)) return Verdict::no("an input is dequantized");
  const Shape result = conv_of_first.output(0)->shape(), other_result = conv_of_second.output(0)->shape();
  if (!result.known() || result.rank() != of_first.rank() || other_result.rank() != of_first.rank())
    return Verdict::no("the shapes of the results are not known");
  for (std::size_t i = 0; i < result.rank(); ++i)
    if (!same_size(result[i], other_result[i])) return Verdict::no("one result may broadcast the other");
  if (of_first.dims()[0] < of_first.dims()[1] + of_second.dims()[1])
    return Verdict::no("the joined inputs have more channels than the sum");
  const double greatest = greatest_magnitude(of_first), other_greatest = greatest_magnitude(of_second);
  if (!(greatest <= 2 * other_greatest && other_greatest <= 2 * greatest))
    return Verdict::no("the greatest weights differ by more than a factor of 2");
  return fit(summed_biases(of_first, bias_of_first, bias_of_second), of_first.dtype());
}

inline Verdict strides_not(const Node& window, const Tensor& weights) {
  return strides_of(window, weights) == kernel_of(weights) ? Verdict::yes() : Verdict::no("one has strides");
}

/// MaxPool supports bfloat16 since version 22, and ONNX Runtime 1.24 does not compute that version in integers.
inline Verdict strides_over_pooled(const Node& window, const Tensor& weights) {
  if (weights.dtype() == DType::bf16) return Verdict::no("ONNX Runtime does not pool bfloat16 in integers");
  if (window.opset() >= 22) return Verdict::no("runtimes have no integer MaxPool of that version");
  return strides_of(window, weights) != kernel_of(weights) ? Verdict::yes() : Verdict::no("none has strides");
}

/// The rows of both, side by side.
inline Tensor joined_rows(const Tensor& first, const Tensor& second) {
  Dims dims = first.dims();
  dims[1] += second.dims()[1];
  const auto rows = static_cast<std::size_t>(dims[0]);
  Tensor joined(first.dtype(), dims);
  std::byte* into = joined.mutable_bytes().data();
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Tensor* const part : {&first, &second}) {
      const std::size_t length = part->bytes().size() / rows;
      into = std::ranges::copy(part->bytes().subspan(row * length, length), into).out;
    }
  }
  return joined;
}

inline Tensor added_conv_biases(const Tensor& weights, const std::optional<Tensor>& first,
                                const std::optional<Tensor>& second) {
  return Tensor::of(weights.dtype(), {weights.dims()[0]}, summed_biases(weights, first, second));
}

inline constexpr auto pool_kernel = attr<"kernel_shape", Ints>.named<"pool_kernel">();

inline constexpr auto pool_strides = attr<"strides", Ints>.named<"pool_strides">();

inline constexpr auto first_conv = op<"Conv">(x, w, opt(b)).as(conv);

/// With the attributes that do not matter for a kernel of one element.
inline constexpr auto second_conv = op<"Conv">(y, v, opt(c))
                                        .with(opt(attr<"kernel_shape", Ints>.named<"inner_kernel">()),
                                              opt(attr<"strides", Ints>.named<"inner_strides">()),
                                              opt(attr<"dilations", Ints>.named<"inner_dilations">()),
                                              opt(attr<"auto_pad", std::string_view>.named<"inner_auto_pad">()))
                                        .as(inner);

inline constexpr auto are_added_as_one = predicate<add_as_one>("")(x, conv, w, b, y, inner, v, c);

constexpr auto conv_of_both(const pattern auto& second) {
  return conv(op<"Concat">(x, second).with(axis = 1), tensor<joined_rows>(w, v), tensor<added_conv_biases>(w, b, c));
}

constexpr auto conv_of_pooled() {
  return conv_of_both(
      op<"MaxPool">(y).with(pool_kernel = call<kernel_of>(v), pool_strides = call<strides_of>(inner, v)));
}

inline constexpr auto added_convs_to_conv = rule<"added-convs-to-conv">(
    op<"Add">(first_conv, second_conv), where(predicate<strides_not>("")(inner, v), are_added_as_one), conv_of_both(y));

inline constexpr auto conv_and_strided_to_conv = rule<"conv-and-strided-to-conv">(
    op<"Add">(first_conv, second_conv), where(predicate<strides_over_pooled>("")(inner, v), are_added_as_one),
    conv_of_pooled());

inline constexpr auto strided_and_conv_to_conv = rule<"strided-and-conv-to-conv">(
    op<"Add">(second_conv, first_conv), where(predicate<strides_over_pooled>("")(inner, v), are_added_as_one),
    conv_of_pooled());

}  // namespace rules

GRAFT_INLINE constinit const RuleView added_convs_to_conv = rules::added_convs_to_conv.view();

GRAFT_INLINE constinit const RuleView conv_and_strided_to_conv = rules::conv_and_strided_to_conv.view();

GRAFT_INLINE constinit const RuleView strided_and_conv_to_conv = rules::strided_and_conv_to_conv.view();

namespace rules {

inline constexpr std::size_t group_index_input = 4;

inline Verdict has_idle_group_index(const Node& node) {
  const Value* const given = node.input(group_index_input);
  if (given == nullptr) return Verdict::no("it has no group index");
  const std::optional<Tensor> index = given->constant();
  if (!index) return Verdict::no("its group index is not constant");
  const std::int64_t rows = node.attr<std::int64_t>("K").value_or(0);
  const std::int64_t size = node.attr<std::int64_t>("block_size").value_or(0);
  if (rows < 1 || size < 1 || index->size() < rows) return Verdict::no("its group index is too short");
  const std::vector<std::int64_t> groups = index->to<std::int64_t>();
  for (std::int64_t k = 0; k < rows; ++k)
    if (groups[static_cast<std::size_t>(k)] != k / size)
      return Verdict::no("its group index puts rows in other groups");
  return Verdict::yes();
}

inline constexpr auto drop_group_index =
    rule<"drop-group-index">(op<"com.microsoft::MatMulNBits">(rest<>).with(any_attributes).as(outer),
                             where(predicate<has_idle_group_index>("")(outer)), [](const auto& m, Rewriter& rewriter) {
                               rewriter.remove_input(m[outer].use(group_index_input));
                               return Verdict::yes();
                             });

}  // namespace rules

GRAFT_INLINE constinit const RuleView drop_group_index = rules::drop_group_index.view();

GRAFT_INLINE Pass drop_group_indices() { return on_typed_graph("drop_group_indices", sweep(drop_group_index)); }

}  // namespace graft::inline v1
