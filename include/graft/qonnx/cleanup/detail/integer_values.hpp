#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/cleanup/detail/float_constant.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether a node is a Pad by 0.
inline bool pads_by_0(const Node& node) {
  if (!node.is("Pad") || node.attr<std::string>("mode").value_or("constant") != "constant") return false;
  if (node.attribute("value") != nullptr) return node.attr<float>("value") == 0.0F;
  if (node.input(2) == nullptr) return true;
  const std::optional<Tensor> value = node.input(2)->constant();
  return value && value->size() == 1 && value->item<double>() == 0;
}

/// Finds values that hold integers for any input.
class IntegerValues {
 public:
  /// Visits each value once: edits do not change the result, and no two values of a graph have the same address. Not
  /// recursive, because graphs may be deep.
  bool contains(const Value& value) {
    std::vector<const Value*> open{&value};
    while (!open.empty()) {
      const Value& next = *open.back();
      const std::optional<bool> found = integers_.contains(&next) ? integers_.at(&next) : find_integer(next, open);
      if (!found) continue;  // an input must be visited first, and is on the stack now
      integers_.emplace(&next, *found);
      open.pop_back();
    }
    return integers_.at(&value);
  }

 private:
  static bool are_integers(const Value& constant) {
    const std::optional<Tensor> tensor = floats_of(&constant);
    if (!tensor) return false;
    const std::vector<float> values = tensor->to<float>();
    return std::ranges::all_of(values, [](float x) { return x == std::rint(x); });
  }

  static bool makes_integers(const Node& quantizer) {
    const std::optional<Tensor> scale = floats_of(quantizer.input(1));
    if (!scale || !are_ones(*scale)) return false;
    if (quantizer.is("DequantizeLinear")) return graft::is_integer(quantizer.input(0)->dtype());
    if (is_op(quantizer, "Trunc") && quantizer.input_count() != 5) return false;
    return is_op(quantizer, "BipolarQuant") || (quantizer.input(2) != nullptr && are_integers(*quantizer.input(2)));
  }

  /// nullopt if an input must be visited first, which is then on the stack.
  std::optional<bool> find_integer(const Value& value, std::vector<const Value*>& open) const {
    if (floats_of(&value)) return are_integers(value);
    const Node* const node = value.producer();
    if (node == nullptr || node->output_count() == 0) return false;
    if ((is_quantizer(*node) && !is_op(*node, "FloatQuant")) || node->is("DequantizeLinear"))
      return makes_integers(*node);
    std::size_t read = 0;
    if (moves_elements(*node) || node->is("Relu") || node->is("MaxPool") || node->is("ReduceSum") ||
        node->is(OpName{channels_last_domain, "MaxPool"}) || pads_by_0(*node)) {
      if (value.index() != 0) return false;
      read = 1;
    } else if (node->is("Conv") || node->is(OpName{channels_last_domain, "Conv"}) || node->is("MatMul") ||
               is_any(*node, std::array<std::string_view, 6>{"Add", "Sub", "Mul", "Concat", "Max", "Min"})) {
      read = node->input_count();
    } else {
      return false;
    }
    for (std::size_t i = 0; i < read; ++i) {
      const Value* const input = node->input(i);
      if (input == nullptr) continue;
      const auto known = integers_.find(input);
      if (known != integers_.end() && !known->second) return false;
      if (known != integers_.end()) continue;
      open.push_back(input);
      return std::nullopt;
    }
    return true;
  }

  std::unordered_map<const Value*, bool> integers_;
};

/// x / scale, where scale broadcasts to x and has the same rank; nullopt if x would be broadcast.
inline std::optional<Tensor> divided(const Tensor& x, const Tensor& scale) {
  std::vector<float> values = x.to<float>();
  const std::span<const float> factors = scale.data<float>();
  std::vector<std::size_t> strides(x.rank());
  std::size_t stride = 1;
  for (std::size_t i = x.rank(); i-- > 0;) {
    if (scale.dims()[i] != 1 && scale.dims()[i] != x.dims()[i]) return std::nullopt;
    strides[i] = scale.dims()[i] == 1 ? 0 : stride;
    stride *= static_cast<std::size_t>(scale.dims()[i]);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::size_t rest = k, at = 0;
    for (std::size_t i = x.rank(); i-- > 0;) {
      const auto extent = static_cast<std::size_t>(x.dims()[i]);
      at += rest % extent * strides[i];
      rest /= extent;
    }
    values[k] /= factors[at];
  }
  return Tensor::of<float>(x.dims(), values);
}

/// x / scale; computed here if x is constant.
inline Value& divided(Value& x, Value& scale, const Tensor& factor, Rewriter& rewriter) {
  const std::optional<Tensor> contents = floats_of(&x);
  if (contents && factor.rank() <= contents->rank()) {
    if (std::optional<Tensor> quotient = divided(*contents, at_rank(factor, contents->rank())))
      return rewriter.constant(*std::move(quotient), x.name());
  }
  return rewriter.op("Div", {&x, &scale});
}

/// Before: a quantizer of any scale. After: one of scale 1, and a Mul.
inline Verdict take_out_scale(Node& node, Rewriter& rewriter) {
  if (is_op(node, "FloatQuant")) return Verdict::no("its outputs are not integers");
  if (is_op(node, "Trunc") && node.input_count() != 5) return Verdict::no("it has another scale for its result");
  const std::optional<Tensor> scale = floats_of(node.input(1));
  if (!scale) return Verdict::no("its scale is not a float32 constant");
  if (are_ones(*scale)) return not_concerned();
  const std::vector<float> values = scale->to<float>();
  if (!std::ranges::all_of(values, [](float value) { return value > 0 && std::isfinite(value); }))
    return Verdict::no("its scale is not positive");
  std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
  const bool is_linear = node.is("DequantizeLinear");
  const Dims dims = is_linear ? scale->dims() : Dims();
  Tensor factor = *scale;
  if (is_linear) {
    const Shape shape = node.input(0)->shape();
    if (node.attr<std::int64_t>("block_size").value_or(0) != 0) return Verdict::no("it scales blocks");
    if (node.output(0)->dtype() != DType::f32) return Verdict::no("its result is not float32");
    if (scale->size() != 1) {
      std::int64_t axis = node.attr<std::int64_t>("axis").value_or(1);
      if (axis < 0) axis += static_cast<std::int64_t>(shape.rank());
      if (!shape.known() || axis < 0 || axis >= static_cast<std::int64_t>(shape.rank()) || scale->rank() != 1)
        return Verdict::no("the axis of its scale is not known");
      Dims aligned(shape.rank(), 1);
      aligned[static_cast<std::size_t>(axis)] = scale->size();
      factor = scale->reshaped(std::move(aligned));
    } else {
      factor = scale->reshaped({});
    }
  } else if (!is_op(node, "BipolarQuant")) {
    inputs[0] = &divided(*node.input(0), *node.input(1), *scale, rewriter);
  }
  const std::vector<float> ones(static_cast<std::size_t>(element_count(dims)), 1.0F);
  inputs[1] = &rewriter.constant(Tensor::of<float>(dims, ones), "one");
  Value& integers = *rewriter.clone(node, inputs).output(0);
  return rewriter.replace(*node.output(0),
                          rewriter.op("Mul", {&integers, &rewriter.constant(factor, node.input(1)->name())}));
}

}  // namespace graft::inline v1::qonnx::detail
