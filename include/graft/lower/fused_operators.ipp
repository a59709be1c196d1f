#pragma once
#include <graft/lower/fused_operators.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/copied_attributes.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/activation.hpp>
#include <graft/lower/attention.hpp>
#include <graft/lower/layer_normalization.hpp>
#include <graft/lower/rms_normalization.hpp>
#include <graft/lower/rotary_embedding.hpp>
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

/// Whether a fused product can be decomposed into operators of floats, which broadcast.
inline Verdict check_fused_product(const Node& node) {
  if (!is_float(node.output(0)->dtype())) return Verdict::no("the dtype is not known");
  if (node.graph().opset() < 7) return Verdict::no("operators do not broadcast before opset 7");
  return Verdict::yes();
}

/// An activation and its parameters, in order.
struct ActivationSpelling {
  std::string_view op;
  std::array<std::string_view, 2> parameters{};

  std::size_t count() const {
    return static_cast<std::size_t>(
        std::count_if(parameters.begin(), parameters.end(), [](std::string_view name) { return !name.empty(); }));
  }
};
inline constexpr std::array<ActivationSpelling, 6> activation_spellings{{{"Relu"},
                                                                         {"Tanh"},
                                                                         {"Sigmoid"},
                                                                         {"LeakyRelu", {"alpha"}},
                                                                         {"HardSigmoid", {"alpha", "beta"}},
                                                                         {"Clip", {"min", "max"}}}};

/// Replaces the node by the activation, with these parameters, of a value. Precondition: check_fused_product().
inline Verdict put_activated(Rewriter& rewriter, const Node& node, Value& result, const Floats& numbers) {
  Value& old = *node.output(0);
  const auto name = node.attr<std::string>("activation").value_or("");
  if (name.empty()) return rewriter.replace(old, result);
  const auto known = std::find_if(activation_spellings.begin(), activation_spellings.end(),
                                  [&](const ActivationSpelling& one) { return one.op == name; });
  if (known == activation_spellings.end()) return Verdict::no("its activation is not known");
  if (numbers.size() > known->count()) return Verdict::no("its activation has too many parameters");
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

inline Verdict decompose_conv(Rewriter& rewriter, const Node& node) {
  if (const Verdict fits = check_fused_product(node); !fits) return fits;
  const Attributes attributes =
      copied_attributes(node, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  Value* result = &rewriter.op("Conv", {node.input(0), node.input(1), node.input(2)}, attributes);
  if (node.input(3) != nullptr) result = &rewriter.op("Add", {result, node.input(3)});
  return put_activated(rewriter, node, *result, node.attr<Floats>("activation_params").value_or(Floats()));
}

}  // namespace detail

namespace rules {

inline constexpr auto decompose_fused_conv = rule<"decompose-fused-conv">(
    op<"com.microsoft::FusedConv">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_conv(rewriter, m[outer]); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_fused_conv = rules::decompose_fused_conv.view();

namespace detail {

inline Verdict decompose_gemm(Rewriter& rewriter, const Node& node) {
  if (const Verdict fits = check_fused_product(node); !fits) return fits;
  Value& result = rewriter.op("Gemm", {node.input(0), node.input(1), node.input(2)},
                              copied_attributes(node, {"alpha", "beta", "transA", "transB"}));
  const auto alpha = node.attr<float>("activation_alpha"), beta = node.attr<float>("activation_beta");
  if (beta && !alpha) return Verdict::no("its activation has a second parameter, but no first");
  Floats numbers;
  if (alpha) numbers.push_back(*alpha);
  if (beta) numbers.push_back(*beta);
  return put_activated(rewriter, node, result, numbers);
}

}  // namespace detail

namespace rules {

inline constexpr auto decompose_fused_gemm = rule<"decompose-fused-gemm">(
    op<"com.microsoft::FusedGemm">(any, any, rest<>).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_gemm(rewriter, m[outer]); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_fused_gemm = rules::decompose_fused_gemm.view();

namespace detail {

/// The order of axes of an operand of FusedMatMul for MatMul: the first axis moves to the place before the last, then
/// the last two are swapped.
inline Ints operand_axes(std::size_t rank, bool moves_batch, bool swaps) {
  Ints axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (moves_batch) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (swaps) std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

inline Verdict decompose_matmul(Rewriter& rewriter, const Node& node) {
  if (const Verdict fits = check_fused_product(node); !fits) return fits;
  std::array<Value*, 2> operands{node.input(0), node.input(1)};
  const float alpha = node.attr<float>("alpha").value_or(1);
  const auto scaled = [&](Value& value) -> Value& {
    const Tensor factor = Tensor::scalar(node.output(0)->dtype(), double{alpha});
    return rewriter.op("Mul", {&value, &rewriter.constant(factor, "alpha")});
  };
  const bool is_small = std::abs(alpha) < 1;
  const std::size_t smaller = operands[1]->is_constant() ? 1 : 0;  // the operand that a small alpha multiplies
  constexpr std::array<std::pair<const char*, const char*>, 2> names{
      {{"transBatchA", "transA"}, {"transBatchB", "transB"}}};
  const auto is_set = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0) != 0; };
  for (std::size_t i = 0; i < 2; ++i) {
    const bool moves_batch = is_set(names[i].first), swaps = is_set(names[i].second);
    const Shape shape = operands[i]->shape();
    if (is_small && i == smaller) operands[i] = &scaled(*operands[i]);
    if (!moves_batch && !swaps) continue;
    if (!shape.known() || shape.rank() < 2)
      return Verdict::no("the rank of a transposed operand is not known, or is 1");
    const Ints axes = operand_axes(shape.rank(), moves_batch, swaps);
    operands[i] = &rewriter.op("Transpose", {operands[i]}, {{"perm", axes}});
  }
  Value& product = rewriter.op("MatMul", {operands[0], operands[1]});
  return rewriter.replace(*node.output(0), alpha == 1 || is_small ? product : scaled(product));
}

}  // namespace detail

namespace rules {

inline constexpr auto decompose_fused_matmul = rule<"decompose-fused-matmul">(
    op<"com.microsoft::FusedMatMul">(any, any).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_matmul(rewriter, m[outer]); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_fused_matmul = rules::decompose_fused_matmul.view();

GRAFT_INLINE Pass decompose_fused_products() {
  return on_typed_graph("decompose_fused_products",
                        sweep(decompose_fused_matmul, decompose_fused_conv, decompose_fused_gemm));
}

GRAFT_INLINE Pass decompose_fused_operators() {
  return (decompose_attentions() | decompose_embed_layer_normalizations() | decompose_layer_normalizations() |
          simplified_layer_norms_to_rms_norms() | decompose_gelus() | decompose_quick_gelus() |
          decompose_rotary_embeddings())
      .named("decompose_fused_operators");
}

}  // namespace graft::inline v1
