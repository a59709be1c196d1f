#pragma once
#include <graft/lower/decompose_fused_products.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
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
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// An activation, and its parameters in their order.
struct NamedActivation {
  std::string_view op;
  std::array<std::string_view, 2> parameters{};

  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(),
                                                  [](std::string_view name) { return !name.empty(); }));
  }
};
inline constexpr std::array<NamedActivation, 6> named_activations{{{"Relu"},
                                                                   {"Tanh"},
                                                                   {"Sigmoid"},
                                                                   {"LeakyRelu", {"alpha"}},
                                                                   {"HardSigmoid", {"alpha", "beta"}},
                                                                   {"Clip", {"min", "max"}}}};

/// Puts the activation of a fused node, with these numbers, behind a value, and that in the place of the node.
inline Verdict put_activated(Rewriter& rewriter, const Node& node, Value& result, const Floats& numbers) {
  Value& old = *node.output(0);
  const auto name = node.attr<std::string>("activation").value_or("");
  if (name.empty()) return rewriter.replace(old, result);
  const auto known = std::find_if(named_activations.begin(), named_activations.end(),
                                  [&](const NamedActivation& one) { return one.op == name; });
  if (known == named_activations.end()) return Verdict::no("its activation is not known");
  if (numbers.size() > known->count()) return Verdict::no("its activation has fewer parameters");
  std::vector<Value*> inputs{&result};
  Attributes attributes;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (name == "Clip" && node.graph().opset() >= 11) {
      const double number = static_cast<double>(numbers[i]);
      inputs.push_back(&rewriter.constant(Tensor::scalar(old.dtype(), number), known->parameters[i]));
    } else {
      attributes.emplace_back(known->parameters[i], numbers[i]);
    }
  }
  return rewriter.replace(old, rewriter.op(name, inputs, attributes));
}

/// Those of the node's attributes that have one of these names.
inline Attributes attributes_named(const Node& node, std::initializer_list<std::string_view> names) {
  Attributes attributes;
  for (const onnx::AttributeProto& one : node.proto().attribute())
    if (std::find(names.begin(), names.end(), one.name()) != names.end()) attributes.emplace_back(one);
  return attributes;
}

inline Verdict decompose_conv(Rewriter& rewriter, const Node& node) {
  if (!is_float(node.output(0)->dtype())) return Verdict::no("the dtype is not known");
  const Attributes attributes =
      attributes_named(node, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  Value* result = &rewriter.op("Conv", {node.input(0), node.input(1), node.input(2)}, attributes);
  if (node.input(3) != nullptr) result = &rewriter.op("Add", {result, node.input(3)});
  return put_activated(rewriter, node, *result, node.attr<Floats>("activation_params").value_or(Floats()));
}

inline Verdict decompose_gemm(Rewriter& rewriter, const Node& node) {
  Value& result = rewriter.op("Gemm", {node.input(0), node.input(1), node.input(2)},
                              attributes_named(node, {"alpha", "beta", "transA", "transB"}));
  const auto alpha = node.attr<float>("activation_alpha"), beta = node.attr<float>("activation_beta");
  if (beta && !alpha) return Verdict::no("its activation has its second parameter alone");
  Floats numbers;
  if (alpha) numbers.push_back(*alpha);
  if (beta) numbers.push_back(*beta);
  return put_activated(rewriter, node, result, numbers);
}

/// The axes of an operand of FusedMatMul as MatMul wants them: the first goes to the place before the last, then the
/// last two are swapped.
inline Ints operand_axes(std::size_t rank, bool moves_batch, bool swaps) {
  Ints axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (moves_batch) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (swaps) std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

inline Verdict decompose_matmul(Rewriter& rewriter, const Node& node) {
  const DType dtype = node.output(0)->dtype();
  if (!is_float(dtype)) return Verdict::no("the dtype is not known");
  if (node.graph().opset() < 7) return Verdict::no("Mul does not broadcast before opset 7");
  std::array<Value*, 2> operands{node.input(0), node.input(1)};
  constexpr std::array<std::pair<const char*, const char*>, 2> names{
      {{"transBatchA", "transA"}, {"transBatchB", "transB"}}};
  const auto is_set = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0) != 0; };
  for (std::size_t i = 0; i < 2; ++i) {
    const bool moves_batch = is_set(names[i].first), swaps = is_set(names[i].second);
    if (!moves_batch && !swaps) continue;
    const Shape shape = operands[i]->shape();
    if (!shape.known() || shape.rank() < 2) return Verdict::no("the rank of what it transposes is not known, or 1");
    const Ints axes = operand_axes(shape.rank(), moves_batch, swaps);
    operands[i] = &rewriter.op("Transpose", {operands[i]}, {{"perm", axes}});
  }
  Value* result = &rewriter.op("MatMul", {operands[0], operands[1]});
  const float alpha = node.attr<float>("alpha").value_or(1);
  if (alpha != 1)
    result = &rewriter.op("Mul", {result, &rewriter.constant(Tensor::scalar(dtype, double{alpha}), "alpha")});
  return rewriter.replace(*node.output(0), *result);
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto decompose_fused_matmul = rule<"decompose-fused-matmul">(
    op<"com.microsoft::FusedMatMul">(any, any).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_matmul(rewriter, m[outer]); });

inline constexpr auto decompose_fused_conv = rule<"decompose-fused-conv">(
    op<"com.microsoft::FusedConv">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_conv(rewriter, m[outer]); });

inline constexpr auto decompose_fused_gemm = rule<"decompose-fused-gemm">(
    op<"com.microsoft::FusedGemm">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_gemm(rewriter, m[outer]); });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView decompose_fused_matmul = vocabulary::decompose_fused_matmul.view();

GRAFT_INLINE constinit const RuleView decompose_fused_conv = vocabulary::decompose_fused_conv.view();

GRAFT_INLINE constinit const RuleView decompose_fused_gemm = vocabulary::decompose_fused_gemm.view();

GRAFT_INLINE Pass decompose_fused_products() {
  return on_typed_graph("decompose_fused_products",
                        sweep(decompose_fused_matmul, decompose_fused_conv, decompose_fused_gemm));
}

}  // namespace graft::inline v1
