#pragma once
#include <graft/qonnx/cleanup/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/qonnx/datatype/data_type.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass unique_parameters() {
  return pass("unique_parameters",
              [](Graph& graph, Context&) {
                Report report;
                std::unordered_set<const Value*> seen;
                for (Graph* const scope : scopes_of(graph)) {
                  for (Node& node : scope->nodes()) {
                    for (std::size_t i = 0; i < node.input_count(); ++i) {
                      Value* const value = node.input(i);
                      if (value == nullptr || value->initializer() == nullptr || !value->is_constant()) continue;
                      if (!value->is_graph_output() && seen.insert(value).second) continue;
                      Value& copy = value->graph().add_initializer(onnx::TensorProto(*value->initializer()));
                      if (value->type() != nullptr) copy.graph().set_type(copy, *value->type());
                      if (!scope->set_input(node, i, &copy)) throw Error("a copy of an initializer closes no cycle");
                      ++report.changes;
                    }
                  }
                }
                return report;
              })
      .preserves_all();
}

namespace detail {

struct FixedPointTensor {
  Tensor tensor{};
  double error = 0;
  bool clamped = false;
};

inline FixedPointTensor fixed_point(const Tensor& x, const FixedPoint& type, RoundingMode rounding) {
  const float step = std::exp2(static_cast<float>(type.integer - type.width));
  const float highest = std::exp2(static_cast<float>(type.integer - 1)) - step;
  const float lowest = -std::exp2(static_cast<float>(type.integer - 1));
  std::vector<float> values = x.to<float>();
  FixedPointTensor result;
  for (float& value : values) {
    const float rounded = qonnx::round(value / step, rounding) * step;
    const float clamped = std::clamp(rounded, lowest, highest);
    result.clamped |= clamped != rounded;
    result.error = std::max(result.error, std::fabs(static_cast<double>(value) - static_cast<double>(clamped)));
    value = clamped;
  }
  result.tensor = Tensor::of<float>(x.dims(), values);
  return result;
}

class FixedPointConstants {
 public:
  explicit FixedPointConstants(const FixedPointOptions& options) : options_(options) {}

  void run(Value& value, const Graph& scope) {
    if (!value.is_constant() || value.dtype() != DType::f32 || scope.is_function()) return;
    std::vector<Use*> chosen;
    bool is_whole = value.initializer() != nullptr && &value.graph() == &scope;
    for (Use& use : value.uses()) {
      if (is_chosen(value, use)) chosen.push_back(&use);
      else is_whole = false;
    }
    const std::optional<Tensor> contents = chosen.empty() ? std::nullopt : value.constant();
    if (!contents) return;
    FixedPointTensor made = fixed_point(*contents, options_.type, options_.rounding);
    report_.notes.push_back("'" + std::string(value.name()) + "' moved by " + std::to_string(made.error) + " at most" +
                            (made.clamped ? ", and was clamped" : ""));
    if (options_.moved) options_.moved(value, made.error, made.clamped);
    if (made.tensor.same_bytes(*contents)) return;
    ++report_.changes;
    Graph& graph = value.graph();
    if (is_whole) {
      graph.set_initializer(value, std::move(made.tensor));
      return;
    }
    Value& copy = graph.add_initializer(std::move(made.tensor), std::string(value.name()) + "_fixed");
    for (Use* const use : chosen)
      if (!use->graph().set_input(*use, &copy)) throw Error("an initializer closes no cycle").field(value.name());
  }

  Report& report() { return report_; }

 private:
  bool is_chosen(const Value& value, const Use& use) const {
    if (use.is_graph_output()) return false;
    if (!options_.names.empty())
      return std::ranges::any_of(options_.names, [&](const NamePattern& name) { return name.matches(value.name()); });
    const Node& user = *use.user();
    return user.domain().empty() && std::ranges::find(options_.ops, user.op_type()) != options_.ops.end();
  }

  const FixedPointOptions& options_;
  Report report_;
};

}  // namespace detail

GRAFT_INLINE Pass fixed_point_parameters(FixedPointOptions options) {
  constexpr int max_bits = 24, least_exponent = -126, max_exponent = 127;
  const auto [width, integer] = options.type;
  if (width < 1 || width > max_bits) throw Error("the width must be 1 to 24 bits").pass("fixed_point_parameters");
  DataType::fixed(width, integer);
  if (integer - width < least_exponent || integer - 1 > max_exponent)
    throw Error("float32 does not hold the numbers of " + to_string(DataType::fixed(width, integer)))
        .pass("fixed_point_parameters");
  return pass("fixed_point_parameters", [options = std::move(options)](Graph& graph, Context&) {
    Transaction transaction(graph);
    detail::FixedPointConstants constants(options);
    for (Graph* const scope : scopes_of(graph)) {
      for (Value* const initializer : scope->initializers()) constants.run(*initializer, *scope);
      for (Node& node : scope->nodes())
        if (node.is("Constant")) constants.run(*node.output(0), *scope);
    }
    transaction.keep();
    return std::move(constants.report());
  });
}

}  // namespace graft::inline v1::qonnx
