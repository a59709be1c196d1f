#pragma once
#include <graft/qonnx/convert/quantized_operators_to_qdq.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qonnx/convert/detail/node_conversions.hpp>
#include <graft/qonnx/convert/detail/quantized_operand.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The axis of several scales; nullopt if there is none.
inline std::optional<std::size_t> axis_of_scales(const Node& node, std::size_t operand, std::size_t rank) {
  if (node.op_type() == "QLinearConv") return operand == 1 ? std::optional<std::size_t>(0) : std::nullopt;
  if (node.op_type() == "QGemm") {
    if (operand != 1 || rank != 2) return std::nullopt;
    return node.attr<std::int64_t>("transB").value_or(0) != 0 ? 0 : 1;
  }
  if (node.op_type() != "QLinearMatMul" || rank < 2) return std::nullopt;
  return operand == 1 ? rank - 1 : rank - 2;
}

/// The DequantizeLinear nodes that read a value, including new ones.
using Dequantizers = std::unordered_map<const Value*, std::vector<Node*>>;

/// Builds the float operator of one node.
class FloatForm {
 public:
  FloatForm(Node& node, const QuantizedOperator& row, Dequantizers& dequantizers, Rewriter& rewriter)
      : node_(node), row_(row), dequantizers_(dequantizers), rewriter_(rewriter) {}

  Verdict build() {
    if (node_.attr<std::int64_t>("channels_last").value_or(0) != 0)
      return Verdict::no("its channels are the last axis");
    std::vector<Value*> inputs;
    const bool is_concat = row_.operands == 0;
    const std::size_t first = is_concat ? 2 : 0, count = is_concat ? (node_.input_count() - 2) / 3 : row_.operands;
    for (std::size_t i = 0; i < count; ++i) {
      Value* dequantized = nullptr;
      if (Verdict done = dequantize_operand(first + 3 * i, i, dequantized); !done) return done;
      inputs.push_back(dequantized);
    }
    if (row_.bias != 0 && node_.input(row_.bias) != nullptr) {
      Value* bias = nullptr;
      if (Verdict done = dequantize_bias(bias); !done) return done;
      inputs.push_back(bias);
    }
    Value* y = &operator_like(rewriter_, node_, row_.float_op, inputs, {"channels_last"});
    if (node_.input(row_.result) != nullptr)
      if (Verdict done = quantize(y); !done) return done;
    return rewriter_.replace(*node_.output(0), *y);
  }

 private:
  /// Converts one number to a scalar.
  Value& parameter(Value& value) {
    const Tensor tensor = value.constant().value();
    return tensor.size() == 1 && tensor.rank() != 0 ? rewriter_.constant(tensor.reshaped({}), value.name()) : value;
  }

  Verdict dequantize_operand(std::size_t input, std::size_t operand, Value*& result) {
    Value& x = *node_.input(input);
    const std::optional<Tensor> scale = graft::detail::constant_input(node_, input + 1);
    Value* const zero_point = node_.input(input + 2);
    if (!scale || (zero_point != nullptr && !zero_point->is_constant()))
      return Verdict::no("its q-params are not constant");
    std::optional<std::size_t> axis;
    if (scale->size() != 1) {
      const Shape shape = x.shape();
      axis = shape.known() && scale->rank() == 1 ? axis_of_scales(node_, operand, shape.rank()) : std::nullopt;
      if (!axis) return Verdict::no("the axis of its scales is not known");
      if (zero_point != nullptr && zero_point->constant()->size() != scale->size())
        return Verdict::no("it has several scales, but not as many zero points");
    } else if (zero_point != nullptr && zero_point->constant()->size() != 1) {
      return Verdict::no("it has several zero points for one scale");
    }
    return dequantize(x, parameter(*node_.input(input + 1)), zero_point != nullptr ? &parameter(*zero_point) : nullptr,
                      axis, result);
  }

  Verdict dequantize(Value& x, Value& scale, Value* zero_point, std::optional<std::size_t> axis, Value*& result) {
    if (axis && node_.graph().opset() < 13) return Verdict::no("scales along an axis need opset 13");
    std::vector<Node*>& present = dequantizers_of(x);
    for (Node* const user : present)
      if (!axis && !user->erased() && &user->graph() == &node_.graph() && user->input(0) == &x &&
          are_same(user->input(1), &scale) && are_same(user->input(2), zero_point)) {
        result = user->output(0);
        return Verdict::yes();
      }
    Attributes attributes;
    if (axis) attributes.emplace_back("axis", *axis);
    Value* const inputs[] = {&x, &scale, zero_point};
    Node& made = rewriter_.node("DequantizeLinear", std::span(inputs, zero_point != nullptr ? 3 : 2), 1, attributes,
                                std::string(x.name()) + "_dequantized");
    if (!axis) present.push_back(&made);
    result = made.output(0);
    return Verdict::yes();
  }

  /// Searches the users of x once for all its readers.
  std::vector<Node*>& dequantizers_of(Value& x) {
    const auto [place, is_new] = dequantizers_.try_emplace(&x);
    if (is_new)
      for (Node& user : x.users())
        if (user.is("DequantizeLinear") && user.input(0) == &x) place->second.push_back(&user);
    return place->second;
  }

  static bool are_same(const Value* a, const Value* b) {
    if (a == b) return true;
    const std::optional<Tensor> first = a != nullptr ? a->constant() : std::nullopt,
                                second = b != nullptr ? b->constant() : std::nullopt;
    return first && second && first->same_bytes(*second);
  }

  /// An int32 bias at the product of the scales.
  Verdict dequantize_bias(Value*& result) {
    Value& bias = *node_.input(row_.bias);
    std::vector<float> scales = node_.input(4)->constant()->to<float>();
    const std::optional<Tensor> x_scale = node_.input(1)->constant();
    if (x_scale->size() != 1) return Verdict::no("its input has several scales, and so has its bias");
    const float alpha = row_.float_op == "Gemm" ? node_.attr<float>("alpha").value_or(1) : 1;
    for (float& scale : scales) scale = x_scale->item<float>() * scale * alpha;
    const bool is_one = scales.size() == 1;
    const Shape shape = bias.shape();
    if (!is_one) {
      const Dim last = shape.known() && shape.rank() != 0 ? shape[shape.rank() - 1] : Dim();
      if (!last.known() || last.value() != static_cast<std::int64_t>(scales.size()))
        return Verdict::no("its bias is not known to have one number for each scale of its weight");
    }
    const Dims dims = is_one ? Dims{} : Dims{static_cast<std::int64_t>(scales.size())};
    Value& scale = rewriter_.constant(Tensor::of<float>(dims, scales), std::string(bias.name()) + "_scale");
    return dequantize(bias, scale, nullptr, is_one ? std::nullopt : std::optional(shape.rank() - 1), result);
  }

  Verdict quantize(Value*& y) {
    const std::size_t scale = row_.result;
    if (!graft::detail::constant_input(node_, scale) || graft::detail::constant_input(node_, scale)->size() != 1)
      return Verdict::no("the q-params of its result are not constant, or several");
    Value* zero_point = node_.input(scale + 1);
    if (zero_point != nullptr && (!zero_point->is_constant() || zero_point->constant()->size() != 1))
      return Verdict::no("the q-params of its result are not constant, or several");
    if (zero_point != nullptr) {
      zero_point = &parameter(*zero_point);
    } else if (const DType dtype = node_.input(row_.operands == 0 ? 2 : 0)->dtype(); dtype != DType::u8) {
      zero_point = &rewriter_.constant(Tensor(dtype, {}), "zero_point");
    }
    y = &rewriter_.op("QuantizeLinear", {y, &parameter(*node_.input(scale)), zero_point});
    return Verdict::yes();
  }

  Node& node_;
  const QuantizedOperator& row_;
  Dequantizers& dequantizers_;
  Rewriter& rewriter_;
};

}  // namespace detail

GRAFT_INLINE Pass quantized_operators_to_qdq() {
  const std::string name = "quantized_operators_to_qdq";
  const auto run = [name](Graph& graph, Context& context) {
    detail::Dequantizers dequantizers;
    const auto convert = [&dequantizers](Node& node, Rewriter& rewriter) {
      const detail::QuantizedOperator* const row = detail::quantized_operator(node);
      if (row == nullptr)
        return detail::is_quantized_operator(node) ? Verdict::no("there is no conversion of this operator")
                                                   : detail::not_concerned();
      return detail::FloatForm(node, *row, dequantizers, rewriter).build();
    };
    return detail::convert_nodes(name, convert).run(graph, context);
  };
  return pass(name, run).preserves_all();
}

}  // namespace graft::inline v1::qonnx
