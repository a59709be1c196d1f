#pragma once
#include <graft/precision/detail/float_facts.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE bool has_float_scales(const Node& node) {
  const std::string_view op = node.op_type();
  return op == "QuantizeLinear" || op == "DequantizeLinear" || op == "QLinearMatMul";
}

GRAFT_INLINE bool takes_scales_of(const Node& node, DType dtype) {
  return dtype == DType::f16 && node.is_any_of({"QuantizeLinear", "DequantizeLinear"});
}

inline constexpr std::string_view large_constant_reason = "constant beyond the range";
inline constexpr std::string_view vanishing_constant_reason = "constant that vanishes";

/// Whether input i is a bound, which may saturate: no value of the 16-bit type lies beyond.
inline bool is_saturated_bound(const Node& node, std::size_t i) {
  if (node.is("Clip")) return i != 0;
  if (node.is("Pad")) return i == 2;
  return node.is_any_of({"Max", "Min"});
}

/// Whether the node squares and sums in the type of its data. With a stash_type of float32 it does so in that.
inline bool normalizes_in_type_of_data(const Node& node) {
  return node.is_any_of({"GroupNormalization", "LayerNormalization", "RMSNormalization"}) &&
         node.attr<std::int64_t>("stash_type") != static_cast<std::int64_t>(DType::f32);
}

GRAFT_INLINE FloatFacts::Contents FloatFacts::contents(const Tensor& tensor) const {
  Contents seen;
  if (tensor.dtype() != DType::f32) return seen;
  std::size_t nonzero = 0, vanished = 0;
  for (const float element : tensor.data<float>()) {
    const double size = std::abs(static_cast<double>(element));
    if (size == 0) continue;
    ++nonzero;
    vanished += size < range_.smallest ? 1 : 0;
    seen.is_denormal = seen.is_denormal || size < range_.smallest_normal;
    seen.is_large = seen.is_large || (size > range_.largest && std::isfinite(size));
  }
  seen.is_vanishing = static_cast<double>(vanished) > options_->max_vanished * static_cast<double>(nonzero);
  return seen;
}

GRAFT_INLINE const FloatFacts::Contents& FloatFacts::contents(const Value& constant) {
  const auto [found, is_new] = contents_.try_emplace(&constant);
  if (is_new) found->second = contents(constant.constant().value_or(Tensor()));
  return found->second;
}

/// Whether the node computes floats from integers of 32 or 64 bits, such as positions, extents and masks. The sum of a
/// product with a matrix is no longer a count.
GRAFT_INLINE bool FloatFacts::is_counted(const Node& node) const {
  if (node.is("Cast") && node.input(0) != nullptr) {
    const DType from = node.input(0)->dtype();
    return is_integer(from) && bits(from) >= 32;
  }
  if (node.is("Range")) return true;
  bool has_counted = false;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* const input = node.input(i);
    if (input == nullptr || element_dtype(*input) != DType::f32) continue;
    if (!input->is_constant()) {
      if (counted_.count(input) == 0) return false;
      has_counted = true;
      continue;
    }
    std::size_t long_axes = 0;
    const Shape shape = input->shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      long_axes += shape[axis].known() && shape[axis].value() > 1 ? 1 : 0;
    if (facts_of(node).weight_axis >= 0 && long_axes > 1) return false;
  }
  return has_counted;
}

GRAFT_INLINE bool FloatFacts::fills(const Node& node, bool Contents::*property) const {
  return node.is("ConstantOfShape") && contents(node.attr<Tensor>("value").value_or(Tensor())).*property;
}

/// Whether a finite element of a large constant may come through.
GRAFT_INLINE bool FloatFacts::carries_large(const Node& node) {
  bool reads_large = fills(node, &Contents::is_large);
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* const input = node.input(i);
    if (input == nullptr || is_saturated_bound(node, i)) continue;
    reads_large = reads_large || large_.count(input) != 0 ||
                  (is_in_model(*input) && element_dtype(*input) == DType::f32 && contents(*input).is_large);
  }
  return reads_large;
}

/// Whether the node reads or makes a constant that vanishes.
GRAFT_INLINE bool FloatFacts::carries_vanishing(const Node& node) {
  if (fills(node, &Contents::is_vanishing)) return true;
  for (const Value* const input : node.inputs()) {
    if (input == nullptr) continue;
    if (vanishing_.count(input) != 0) return true;
    if (is_in_model(*input) && element_dtype(*input) == DType::f32 && contents(*input).is_vanishing) return true;
  }
  return false;
}

GRAFT_INLINE bool FloatFacts::sums_long(const Node& node) const {
  const bool is_pool = node.is("GlobalAveragePool");
  if (!is_pool && !node.is_any_of({"ReduceL1", "ReduceMean", "ReduceSum"})) return false;
  const Value *const input = node.input(0), *const output = node.output(0);
  if (input == nullptr || output == nullptr) return false;
  const auto elements = [](const Shape& shape) {
    double count = 1;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis].known()) count *= static_cast<double>(std::max<std::int64_t>(shape[axis].value(), 1));
    return count;
  };
  return elements(input->shape()) > static_cast<double>(options_->max_summed) * elements(output->shape());
}

GRAFT_INLINE std::string_view FloatFacts::why_kept_alone(const Node& node) {
  const auto mark = [&](std::unordered_set<const Value*>& values) {
    for (const Value& output : node.outputs()) values.insert(&output);
  };
  const bool counts = node.bodies().empty() && is_counted(node);
  const bool is_large = carries_large(node), is_vanishing = carries_vanishing(node);
  if (counts) mark(counted_);
  if (is_large && (takes_elements(node) ||
                   node.is_any_of({"Abs", "Add", "Cast", "Concat", "ConstantOfShape", "Div", "Mul", "Neg", "Pad", "Sub",
                                   "Sum", "Where"})))
    mark(large_);
  if (is_vanishing && (takes_elements(node) || node.is("ConstantOfShape"))) mark(vanishing_);
  if (std::any_of(options_->keep.begin(), options_->keep.end(),
                  [&, name = display_name(node)](const NamePattern& pattern) { return pattern.matches(name); }))
    return "chosen by name";
  const std::string op(node.op_type());
  if (operators_.count(node.domain().empty() ? op : std::string(node.domain()) + "::" + op) != 0) return "operator";
  if (!options_->target.computes(node, to_)) return "no kernel of the target";
  if (normalizes_in_type_of_data(node)) return "normalization";
  if (counts) return "computed from integers alone";
  if (sums_long(node)) return "long sum";
  const bool is_quantizer = has_float_scales(node);
  if (is_quantizer && !takes_scales_of(node, to_)) return "scale";
  if (to_ != DType::f16) return {};
  if (is_large) return large_constant_reason;
  if (is_vanishing) return vanishing_constant_reason;
  const Value* const scale = is_quantizer ? node.input(1) : nullptr;
  if (scale != nullptr && element_dtype(*scale) == DType::f32) {
    if (!scale->is_constant()) return "computed scale";
    if (contents(*scale).is_denormal) return small_scale_reason;
  }
  // Squares of more than 255 overflow. Roots do not.
  if (node.is("Pow") && !(node.input(1) != nullptr && node.input(1)->is_constant() &&
                          node.input(1)->constant()->size() == 1 &&
                          std::abs(node.input(1)->constant()->item<float>()) <= 1))
    return "power";
  if (node.is("Mul") && node.input(0) == node.input(1)) return "power";
  return {};
}

/// A kernel between quantizers that stay computes in integers only if nothing stands between them.
GRAFT_INLINE std::string_view FloatFacts::why_kept(const Node& node) {
  std::string_view why = why_kept_alone(node);
  const bool reads_quantized = std::any_of(node.inputs().begin(), node.inputs().end(),
                                           [&](const Value* input) { return dequantized_.count(input) != 0; });
  if (why.empty() && reads_quantized) why = "reads a quantizer that stays";
  const bool dequantizes = node.op_type() == "DequantizeLinear" && !why.empty();
  if (dequantizes || (reads_quantized && takes_elements(node)))
    for (const Value& output : node.outputs()) dequantized_.insert(&output);
  return why;
}

GRAFT_INLINE std::string_view FloatFacts::why_returned(const Value& constant, const Value* result) {
  const Contents& seen = contents(constant);
  if (result != nullptr && seen.is_large) large_.insert(result);
  if (result != nullptr && seen.is_vanishing) vanishing_.insert(result);
  if (to_ != DType::f16) return {};
  return seen.is_large ? large_constant_reason : seen.is_vanishing ? vanishing_constant_reason : "";
}

}  // namespace graft::inline v1::detail
