#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/vocabulary/batch_normalization.hpp>

namespace graft::inline v1 {
namespace rules {

// x / sqrt(mean(x^2)) is x over its 2-norm, times the root of the number of elements. That factor goes into the weight.

inline constexpr auto norm_axis = attr<"axis", std::int64_t>.named<"norm_axis">();
inline constexpr auto norm_order = attr<"p", std::int64_t>;

/// Whether an epsilon is small enough to omit: LpNormalization adds nothing to its sum of squares.
inline bool is_tiny(double least) { return least >= 0 && least <= 1e-4; }

/// w times the root of the last extent of x, as one element if w is all ones.
inline Tensor root_weight(const Value& input, const Tensor& weights) {
  const Shape from = input.shape();
  const double factor = std::sqrt(static_cast<double>(from[from.rank() - 1].value()));
  std::vector<double> numbers = weights.to<double>();
  bool is_one =
      weights.rank() <= from.rank() && std::ranges::all_of(numbers, [](double number) { return number == 1; });
  for (std::size_t i = 0; i < weights.rank() && is_one; ++i) {
    const Dim extent(weights.dims()[weights.rank() - 1 - i]);
    is_one = extent.value() == 1 || same_size(extent, from[from.rank() - 1 - i]);
  }
  if (is_one) return Tensor::of(weights.dtype(), {1}, {factor});
  for (double& number : numbers) number *= factor;
  return Tensor::of(weights.dtype(), weights.dims(), numbers);
}

inline Verdict has_root_weight(const Value& input, const Tensor& weights) {
  const Shape from = input.shape();
  if (!from.known() || from.rank() == 0 || !from[from.rank() - 1].known())
    return Verdict::no("the last extent is not known");
  if (!is_float(weights.dtype())) return Verdict::no("its weight is not of floats");
  return fit(root_weight(input, weights).to<double>(), weights.dtype());
}

inline bool is_last_axis(const Value& input, std::int64_t given) {
  return given == -1 || (input.shape().known() && given == static_cast<std::int64_t>(input.shape().rank()) - 1);
}

}  // namespace rules

namespace detail {

// com.microsoft::SkipLayerNormalization(x, skip, weight, beta?, bias?) -> y, _, _, sum, and
// SkipSimplifiedLayerNormalization, which has no beta.

/// The sum that it normalizes.
inline Value& skip_sum(Rewriter& rewriter, Node& node, std::size_t bias = 3) {
  Value& sum = rewriter.op("Add", {node.input(0), node.input(1)});
  return node.input(bias) != nullptr ? rewriter.op("Add", {&sum, node.input(bias)}) : sum;
}

/// Replaces y and sum. The mean and deviation have no successor.
inline Verdict replace_skip(Rewriter& rewriter, Node& node, Value& normalized, Value& sum) {
  std::vector<Value*> successors(node.output_count());
  successors[0] = &normalized;
  if (successors.size() > 3) successors[3] = &sum;
  return rewriter.replace(node, successors);
}

// LayerNormalization and RMSNormalization in primitives. f16 and bf16 are computed in f32, as the operators do.

/// Whether the types that the primitives depend on are known.
inline Verdict is_known_normalization(const Node& node, const Value& input, const Value& weights) {
  if (node.graph().opset() < 7) return Verdict::no("it needs opset 7");
  if (!is_float(input.dtype()) || !is_float(weights.dtype())) return Verdict::no("the dtypes are not known");
  const auto first = node.attr<std::int64_t>("axis").value_or(-1);
  if (first != -1 && !input.shape().known()) return Verdict::no("the rank is not known");
  const auto rank = static_cast<std::int64_t>(input.shape().rank());
  return first == -1 || (first >= -rank && first < rank) ? Verdict::yes() : Verdict::no("its axis is out of range");
}

/// Builds the nodes of one normalization.
class Normalization {
 public:
  /// dtype, rank: those of the normalized value.
  Normalization(Rewriter& rewriter, const Node& node, DType dtype, std::size_t rank)
      : rewriter_(rewriter),
        node_(node),
        dtype_(dtype),
        wide_(dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype) {
    const auto first = node.attr<std::int64_t>("axis").value_or(-1);
    const std::int64_t from = first < 0 ? first : first - static_cast<std::int64_t>(rank);
    for (std::int64_t axis = from; axis < 0; ++axis) over_.push_back(axis);
  }

  /// x over the root of the mean of its squares, times the weight.
  Value& rms(Value& x, Value& weight) {
    Value& given = cast(x, dtype_, wide_);
    Value& normalized = rewriter_.op("Div", {&given, &root_mean_square(given)});
    return rewriter_.op("Mul", {&cast(normalized, wide_, weight.dtype()), &weight});
  }

  /// x less its mean, over the root of its variance, times the weight, plus the bias if any.
  Value& standardized(Value& x, Value& weight, Value* bias) {
    Value& given = cast(x, dtype_, wide_);
    mean_ = &mean(given);
    Value& centred = rewriter_.op("Sub", {&given, mean_});
    deviation_ = &root_mean_square(centred);
    Value& normalized = rewriter_.op("Div", {&centred, deviation_});
    Value& scaled = rewriter_.op("Mul", {&cast(normalized, wide_, dtype_), &weight});
    return bias != nullptr ? rewriter_.op("Add", {&scaled, bias}) : scaled;
  }

  /// The mean that standardized() subtracted.
  Value& mean() { return *mean_; }
  Value& inverse_deviation() { return rewriter_.op("Reciprocal", {deviation_}); }

 private:
  Value& number(double value) { return rewriter_.constant(Tensor::scalar(wide_, value), "number"); }
  Value& cast(Value& value, DType from, DType to) {
    return from == to ? value : rewriter_.op("Cast", {&value}, {{"to", static_cast<std::int64_t>(to)}});
  }
  Value& mean(Value& x) {
    std::vector<Value*> reduced{&x};
    Attributes attributes{{"keepdims", 1}};
    if (node_.graph().opset() >= 18) {
      reduced.push_back(&rewriter_.ints(over_, "axes"));
    } else {
      attributes.emplace_back("axes", over_);
    }
    return rewriter_.op("ReduceMean", reduced, attributes);
  }
  Value& root_mean_square(Value& x) {
    Value& mean_square = mean(rewriter_.op("Pow", {&x, &number(2)}));
    const auto least = static_cast<double>(node_.attr<float>("epsilon").value_or(1e-5F));
    return rewriter_.op("Sqrt", {&rewriter_.op("Add", {&mean_square, &number(least)})});
  }

  Rewriter& rewriter_;
  const Node& node_;
  DType dtype_, wide_;
  Ints over_;
  Value *mean_ = nullptr, *deviation_ = nullptr;
};

}  // namespace detail

}  // namespace graft::inline v1
