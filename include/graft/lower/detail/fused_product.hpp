#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Whether a fused product can be taken apart: into operators of floats, which broadcast.
inline Verdict check_fused_product(const Node& node) {
  if (!is_float(node.output(0)->dtype())) return Verdict::no("the dtype is not known");
  if (node.graph().opset() < 7) return Verdict::no("operators do not broadcast before opset 7");
  return Verdict::yes();
}

/// An activation, and its parameters in their order.
struct ActivationSpelling {
  std::string_view op;
  std::array<std::string_view, 2> parameters{};

  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(),
                                                  [](std::string_view name) { return !name.empty(); }));
  }
};
inline constexpr std::array<ActivationSpelling, 6> activation_spellings{{{"Relu"},
                                                                         {"Tanh"},
                                                                         {"Sigmoid"},
                                                                         {"LeakyRelu", {"alpha"}},
                                                                         {"HardSigmoid", {"alpha", "beta"}},
                                                                         {"Clip", {"min", "max"}}}};

/// Puts the activation of a fused node, with these numbers, behind a value, and that in the place of the node.
/// Precondition: check_fused_product().
inline Verdict put_activated(Rewriter& rewriter, const Node& node, Value& result, const Floats& numbers) {
  Value& old = *node.output(0);
  const auto name = node.attr<std::string>("activation").value_or("");
  if (name.empty()) return rewriter.replace(old, result);
  const auto known = std::find_if(activation_spellings.begin(), activation_spellings.end(),
                                  [&](const ActivationSpelling& one) { return one.op == name; });
  if (known == activation_spellings.end()) return Verdict::no("its activation is not known");
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

}  // namespace graft::inline v1::detail
