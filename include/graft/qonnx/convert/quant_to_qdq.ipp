#pragma once
#include <graft/qonnx/convert/quant_to_qdq.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/convert/capabilities.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/convert/detail/linear_form.hpp>
#include <graft/qonnx/convert/detail/quant_lowering.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {
namespace detail {

/// Inserts the form before the Quant, and returns its result.
inline Value& insert(const LinearForm& form, const Node& quant, Rewriter& rewriter) {
  const std::string hint(quant.input(0)->name());
  Attributes attributes;
  if (form.axis) attributes.emplace_back("axis", *form.axis);
  std::vector<Value*> parameters{&rewriter.constant(form.scale, hint + "_scale")};
  if (form.zero_point) parameters.push_back(&rewriter.constant(form.zero_point, hint + "_zero_point"));
  const auto with = [&](Value& first) {
    std::vector<Value*> inputs{&first};
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    return inputs;
  };
  Value& x = *quant.input(0);
  Value* integers = form.integers ? &rewriter.constant(form.integers, hint + "_quantized")
                                  : &rewriter.op("QuantizeLinear", with(x), attributes);
  if (form.clip) {
    const auto bound = [&](std::int64_t value) {
      return &rewriter.constant(Tensor::of<std::int64_t>(form.dtype, {}, {value}), hint + "_bound");
    };
    integers = &rewriter.op("Clip", {integers, bound(form.clip->lowest), bound(form.clip->highest)});
  }
  return rewriter.op("DequantizeLinear", with(*integers), attributes);
}

/// One run of the pass.
class QuantToQdq {
 public:
  QuantToQdq(std::string_view name, Graph& graph, Context& context, Format format, const QuantToQdqOptions& options)
      : graph_(graph), context_(context), target_{format, 0, options}, rewriter_(graph, context) {
    report_.rules.push_back({std::string(name)});
    if (options.lower_rest) report_.rules.push_back({std::string(name) + " (float)"});
  }

  Report run() {
    for (Graph* const scope : scopes_of(graph_))
      for (Node& node : scope->nodes()) {
        if (!is_quantizer(node)) continue;
        if (context_.is_cancelled()) report_.outcome = Outcome::cancelled;
        if (report_.converged()) visit(node);
      }
    if (report_.changes != 0)
      for (const std::string_view name : domains) graph_.model().drop_unused_opset(name);
    return std::move(report_);
  }

 private:
  void visit(Node& node) {
    RuleCount& count = report_.rules.front();
    ++count.tried;
    const std::string called = display_name(node);
    std::string why;
    bool is_exact = true;
    if (replace(
            node, [&] { return convert(node, is_exact, why); }, why)) {
      ++count.applied;
      if (!is_exact) report_.notes.push_back(inexactness(called));
      return;
    }
    ++count.declined;
    if (target_.options.lower_rest) {
      RuleCount& lowered = report_.rules.back();
      ++lowered.tried;
      std::string why_not_lowered;
      if (replace(
              node, [&] { return lower(node, why_not_lowered); }, why_not_lowered)) {
        ++lowered.applied;
        return;
      }
      ++lowered.declined;
      if (why_not_lowered != why) why += "; nor has it a form in float operators: " + why_not_lowered;
    }
    if (context_.refusals) report_.refusals.push_back({report_.rules.front().rule, called, why});
  }

  /// Replaces the node by the result of `make`, unless it is nullptr or does not fit.
  template <class Make>
  bool replace(Node& node, Make make, std::string& why) {
    rewriter_.at(node);
    Value* result = nullptr;
    try {
      result = make();
    } catch (const Error& error) {
      why = error.what();
    }
    if (result != nullptr) {
      Verdict done = rewriter_.replace(*node.output(0), *result);
      if (done) done = rewriter_.accept();
      if (done) {
        ++report_.changes;
        return true;
      }
      why = to_string(done.reason());
    }
    rewriter_.rollback();
    return false;
  }

  /// Whether its inputs are present, and have the dtype in which QONNX computes.
  static bool is_sound(const Node& node, std::string& why) {
    if (!check_float_quantizer(node, why)) return false;
    const DType dtype = node.input(0)->dtype();
    if (dtype != DType::f32 && dtype != DType::undefined)
      why = "its input is of dtype " + std::string(to_string(dtype));
    return why.empty();
  }

  Value* convert(const Node& node, bool& is_exact, std::string& why) {
    if (!is_quant(node) && !is_bipolar_quant(node)) {
      why = std::string(node.op_type()) + " has no form in " + std::string(to_string(target_.format));
      return nullptr;
    }
    if (!is_sound(node, why)) return nullptr;
    target_.opset = node.graph().opset();
    const std::optional<LinearForm> form = form_of(node, why);
    if (!form) return nullptr;
    is_exact = form->is_exact;
    return &insert(*form, node, rewriter_);
  }

  /// The reason why quantizer_of() failed.
  static std::string why_unknown(const Node& node) {
    for (std::size_t i = 1; i < node.input_count(); ++i) {
      const Value& parameter = *node.input(i);
      const std::string name = "its parameter '" + std::string(parameter.name()) + "'";
      if (parameter.is_constant()) continue;
      return parameter.initializer() == nullptr
                 ? name + " is not constant"
                 : name + " is a graph input too, which a caller may set: freeze_inputs() makes it constant";
    }
    return "its parameters are not all float32";
  }

  std::optional<LinearForm> form_of(const Node& node, std::string& why) const {
    const std::optional<Tensor> x = node.input(0)->constant();
    const bool is_bipolar = is_bipolar_quant(node);
    if (is_bipolar && !x) {
      why = "BipolarQuant outputs -1 or 1, and no QuantizeLinear rounds to these two";
      return std::nullopt;
    }
    std::optional<Quantizer> quantizer;
    if (is_bipolar) {
      if (std::optional<Tensor> scale = node.input(1)->constant(); scale && scale->dtype() == DType::f32)
        quantizer = Quantizer{*std::move(scale), {}, {}, true, false, RoundingMode::half_even};
    } else {
      quantizer = quantizer_of(node);
    }
    if (!quantizer) {
      why = why_unknown(node);
      return std::nullopt;
    }
    if (x && x->dtype() == DType::f32) return linear_form_of_constant(*quantizer, is_bipolar, *x, target_, why);
    return linear_form(*quantizer, node.input(0)->shape(), target_, why);
  }

  Value* lower(const Node& node, std::string& why) {
    if (!is_sound(node, why)) return nullptr;
    if (is_op(node, "Trunc")) return lower_trunc(node, rewriter_, why);
    if (is_op(node, "FloatQuant")) return lower_float_quant(node, rewriter_, why);
    return lower_quant(node, rewriter_, why);
  }

  Graph& graph_;
  Context& context_;
  LinearTarget target_;
  Rewriter rewriter_;
  Report report_;
};

inline Pass quant_to_qdq(std::string name, Format format, const QuantToQdqOptions& options) {
  const auto run = [name, format, options](Graph& graph, Context& context) {
    infer_shapes(graph, context.infer_options());
    return QuantToQdq(name, graph, context, format, options).run();
  };
  return knowing_qonnx(pass(name, run).preserves_all());
}

}  // namespace detail

GRAFT_INLINE Pass quant_to_qcdq(const QuantToQdqOptions& options) {
  return detail::quant_to_qdq("quant_to_qcdq", Format::qcdq, options);
}

GRAFT_INLINE Pass quant_to_qdq(const QuantToQdqOptions& options) {
  return detail::quant_to_qdq("quant_to_qdq", Format::qdq, options);
}

}  // namespace graft::inline v1::qonnx
