#pragma once
#include <graft/precision/detail/float_plan.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/shape.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Products take most of the time, so they are converted wherever they may be.
inline bool takes_most_time(const Node& node) {
  constexpr std::array<std::string_view, 9> standard{"Attention", "Conv", "ConvTranspose", "Einsum", "GRU",
                                                     "Gemm",      "LSTM", "MatMul",        "RNN"};
  constexpr std::array<std::string_view, 7> contrib{
      "Attention",   "FusedConv",         "FusedGemm", "FusedMatMul", "GroupQueryAttention",
      "MatMulNBits", "MultiHeadAttention"};
  const auto is_in = [&](const auto& ops) { return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end(); };
  return node.domain().empty() ? is_in(standard) : node.domain() == "com.microsoft" && is_in(contrib);
}

/// The number of elements. Unknown extents count as 64.
inline std::int64_t typical_elements(const Value& value) {
  constexpr double open_extent = 64, limit = 1e11;
  const Shape shape = value.shape();
  double elements = shape.known() ? 1 : open_extent * open_extent;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis)
    elements *= shape[axis].known() ? static_cast<double>(shape[axis].value()) : open_extent;
  return static_cast<std::int64_t>(std::min(elements, limit));
}

/// Whether the floats of this input or output stay, whatever the node computes in.
GRAFT_INLINE bool FloatPlan::is_apart(const Node& node, std::string_view parameter) const {
  if (conversion_.widens()) return false;
  if (node.is("Resize")) return parameter == "roi" || parameter == "scales";
  if (node.is("GridSample")) return parameter == "grid";
  return node.is("LayerNormalization") && (parameter == "Mean" || parameter == "InvStdDev");
}

GRAFT_INLINE FloatPlan::FloatPlan(Model& model, const FloatConversion& conversion, const FloatPlanOptions& options)
    : conversion_(conversion), options_(&options), scopes_(with_bodies(model.graph())) {
  for (Graph* const scope : scopes_) add(*scope, scope == scopes_.front());
  for (const Value* const value : values_) add_casts(*value);
  side_ = cut_.source_side();
}

GRAFT_INLINE std::size_t FloatPlan::converted_nodes() const {
  return static_cast<std::size_t>(
      std::count_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return side_[node.second]; }));
}

/// ONNX lists no sequences and optionals of bf16, and no Cast of it before opset 13.
GRAFT_INLINE bool FloatPlan::permits(const Value& value) const {
  if (conversion_.to == DType::bf16) return !is_container(value);
  return element_dtype(value) != DType::bf16 || value.graph().opset() >= 13;
}

GRAFT_INLINE std::string_view FloatPlan::why_kept(const Node& node) const {
  const std::string_view why = options_->why_kept ? options_->why_kept(node) : std::string_view();
  const auto body = kept_bodies_.find(&node.graph());
  return why.empty() && body != kept_bodies_.end() ? body->second : why;
}

GRAFT_INLINE std::string_view FloatPlan::why_returned(const Value& value, const Value* result) const {
  const bool is_stored = options_->why_returned && conversion_.converts(value) && is_in_model(value);
  return is_stored ? options_->why_returned(value, result) : std::string_view();
}

GRAFT_INLINE void FloatPlan::want(Use& use, Vertex vertex) {
  if (use.value() == nullptr || !conversion_.converts(*use.value())) return;
  wanted_.try_emplace(&use, permits(*use.value()) ? vertex : MinCut::sink);
}

GRAFT_INLINE void FloatPlan::make(const Value& value, Vertex vertex) {
  if (!conversion_.converts(value)) return;
  if (made_.try_emplace(&value, permits(value) ? vertex : MinCut::sink).second) values_.push_back(&value);
}

GRAFT_INLINE void FloatPlan::add(Graph& scope, bool is_main) {
  const Vertex at_border = options_->keep_io ? MinCut::sink : MinCut::source;
  if (is_main) {
    for (const Value* const input : scope.inputs())
      if (!is_in_model(*input)) make(*input, is_container(*input) ? MinCut::sink : at_border);
    for (std::size_t i = 0; i < scope.output_count(); ++i) {
      const Value* const output = scope.output(i);
      if (output == nullptr) continue;
      const std::string_view why = options_->keep_io ? std::string_view() : why_returned(*output, nullptr);
      if (!why.empty()) ++kept_[why];
      want(scope.output_use(i), is_container(*output) || !why.empty() ? MinCut::sink : at_border);
    }
  }
  for (Value* const value : scope.initializers())
    if (!is_in_model(*value)) make(*value, at_border);
  for (Node& node : scope.nodes()) {
    if (!node.bodies().empty()) add_bodies(node);
    else if (!is_dense_constant(node)) add(node);
  }
}

GRAFT_INLINE bool FloatPlan::follows(const Node& node, const schema::Parameter* parameter, const Value& value) const {
  if (parameter == nullptr || !conversion_.converts(value) || !permits(value)) return false;
  if (is_apart(node, parameter->name())) return false;
  const schema::TypeSet& types = node.schema()->type(*parameter);
  if (!is_container(value)) return types.contains(conversion_.to);
  return value.type()->has_optional_type() ? types.optionals() : types.sequences();
}

/// Whether ONNX permits the node with converted floats.
GRAFT_INLINE bool FloatPlan::can_convert(const Node& node) const {
  const schema::Operator* const schema = node.schema();
  if (schema == nullptr) return false;
  if (node.is("Cast") && node.attr<DType>("to") == DType::string) return false;  // digits differ
  if (node.attribute("value_float") != nullptr || node.attribute("sparse_value") != nullptr) return false;
  bool any = false;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (const Value* const input = node.input(i)) any = any || follows(node, schema->input(i), *input);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value& output = *node.output(i);
    const schema::Parameter* const parameter = schema->output(i);
    const bool is_one = follows(node, parameter, output);
    any = any || is_one;
    if (!is_one && conversion_.converts(output) && !(parameter != nullptr && is_apart(node, parameter->name())))
      return false;
  }
  return any;
}

/// What it gains to convert the node, in bytes.
GRAFT_INLINE std::int64_t FloatPlan::gain(const Node& node) const {
  constexpr std::int64_t always = std::int64_t{1} << 42;
  if (node.is("Shape") || node.is("Size")) return 0;
  if (conversion_.widens()) return node.is("Cast") || node.is("Identity") ? 0 : always;
  if (takes_most_time(node)) return always;
  std::int64_t saved = 0;
  const auto count = [&](const Value* value) {
    if (value != nullptr && conversion_.converts(*value)) saved += 2 * typical_elements(*value);
  };
  for (const Value* const input : node.inputs()) count(input);
  for (const Value& output : node.outputs()) count(&output);
  return saved;
}

GRAFT_INLINE void FloatPlan::add(Node& node) {
  const auto is_float = [&](const Value* value) { return value != nullptr && conversion_.converts(*value); };
  const bool has_floats =
      std::any_of(node.inputs().begin(), node.inputs().end(), is_float) ||
      std::any_of(node.outputs().begin(), node.outputs().end(), [&](const Value& value) { return is_float(&value); });
  const std::string_view why = why_kept(node);
  if (!has_floats) return;
  const bool may_convert = can_convert(node);
  Vertex vertex = MinCut::sink;
  if (why.empty() && may_convert) {
    vertex = cut_.add_vertex();
    cut_.add_edge(MinCut::source, vertex, gain(node));
  } else {
    ++kept_[may_convert ? why : "type that ONNX does not permit"];
  }
  nodes_.emplace(&node, vertex);
  const schema::Operator* const schema = node.schema();
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* const input = node.input(i);
    if (input == nullptr) continue;
    const bool is_one = schema != nullptr && follows(node, schema->input(i), *input);
    want(node.use(i), is_one ? vertex : MinCut::sink);
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value& output = *node.output(i);
    const bool is_one = schema != nullptr && follows(node, schema->output(i), output);
    make(output, is_one ? vertex : MinCut::sink);
  }
}

GRAFT_INLINE void FloatPlan::add_bodies(Node& node) {
  const std::string_view why = why_kept(node);
  if (!why.empty()) {
    ++kept_[why];
    for (const Body& body : node.bodies()) kept_bodies_.emplace(body.graph, why);
  }
  const auto vertices = [&](std::size_t count) {
    std::vector<Vertex> all(count, MinCut::sink);
    const bool takes_type =
        why.empty() && (conversion_.to != DType::bf16 || (node.opset() >= 16 && !node.is("SequenceMap")));
    for (Vertex& vertex : all)
      if (takes_type) vertex = cut_.add_vertex();
    return all;
  };
  /// Joins a place of the node and its place in the body.
  const auto at_input = [&](Vertex vertex, std::size_t i, const Graph& body, std::size_t inner) {
    if (i < node.input_count()) want(node.use(i), vertex);
    if (inner < body.inputs().size()) make(*body.inputs()[inner], vertex);
  };
  const auto at_output = [&](Vertex vertex, std::size_t i, Graph& body, std::size_t inner) {
    const Value* const output = node.output(i);
    if (output != nullptr) make(*output, vertex);
    if (inner >= body.output_count() || body.output(inner) == nullptr) return;
    want(body.output_use(inner), vertex);
    const std::string_view why_not = why_returned(*body.output(inner), output);
    if (why_not.empty() || vertex == MinCut::sink) return;
    cut_.add_edge(vertex, MinCut::sink, MinCut::unlimited);
    ++kept_[why_not];
  };
  Graph* const body = node.body("body");
  if (node.is("If")) {
    const std::vector<Vertex> outputs = vertices(node.output_count());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (const Body& branch : node.bodies()) at_output(outputs[i], i, *branch.graph, i);
  } else if (node.is("Loop") && body != nullptr) {
    const std::size_t states = body->inputs().size() < 2 ? 0 : body->inputs().size() - 2;
    const std::vector<Vertex> all = vertices(std::max(states, node.output_count()));
    for (std::size_t k = 0; k < states; ++k) at_input(all[k], k + 2, *body, k + 2);
    for (std::size_t k = 0; k < all.size(); ++k) at_output(all[k], k, *body, k + 1);
  } else if (node.is("Scan") && body != nullptr) {
    const std::size_t first = node.opset() < 9 ? 1 : 0;  // after sequence_lens
    const std::size_t inputs = body->inputs().size();
    const auto scanned = static_cast<std::size_t>(node.attr<std::int64_t>("num_scan_inputs").value_or(0));
    const std::size_t states = inputs - std::min(scanned, inputs);
    const std::vector<Vertex> all = vertices(inputs), outputs = vertices(node.output_count());
    for (std::size_t k = 0; k < inputs; ++k) at_input(all[k], k + first, *body, k);
    for (std::size_t k = 0; k < outputs.size(); ++k) at_output(k < states ? all[k] : outputs[k], k, *body, k);
  } else if (node.is("SequenceMap") && body != nullptr) {
    const std::vector<Vertex> inputs = vertices(node.input_count()), outputs = vertices(node.output_count());
    for (std::size_t k = 0; k < inputs.size(); ++k) at_input(inputs[k], k, *body, k);
    for (std::size_t k = 0; k < outputs.size(); ++k) at_output(outputs[k], k, *body, k);
  } else {
    ++kept_["body of an unknown operator"];
    for (std::size_t i = 0; i < node.input_count(); ++i) want(node.use(i), MinCut::sink);
    for (const Value& output : node.outputs()) make(output, MinCut::sink);
    for (const Body& each : node.bodies()) {
      for (const Value* const input : each.graph->inputs()) make(*input, MinCut::sink);
      for (std::size_t i = 0; i < each.graph->output_count(); ++i)
        if (each.graph->output(i) != nullptr) want(each.graph->output_use(i), MinCut::sink);
    }
  }
}

/// One Cast serves all readers that want the other dtype. Containers cannot be cast.
GRAFT_INLINE void FloatPlan::add_casts(const Value& value) {
  const Vertex maker = made_.at(&value);
  std::vector<Vertex> readers;
  for (const Use& use : value.uses())
    if (const auto found = wanted_.find(&use); found != wanted_.end()) readers.push_back(found->second);
  std::sort(readers.begin(), readers.end());
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  std::erase(readers, maker);
  if (readers.empty()) return;
  if (is_container(value)) {
    for (const Vertex reader : readers) {
      cut_.add_edge(maker, reader, MinCut::unlimited);
      cut_.add_edge(reader, maker, MinCut::unlimited);
    }
    return;
  }
  const std::int64_t cost = options_->cast_cost + 6 * typical_elements(value);
  const Vertex widened = cut_.add_vertex(), narrowed = cut_.add_vertex();
  cut_.add_edge(maker, widened, cost);
  cut_.add_edge(narrowed, maker, cost);
  for (const Vertex reader : readers) {
    cut_.add_edge(widened, reader, MinCut::unlimited);
    cut_.add_edge(reader, narrowed, MinCut::unlimited);
  }
}

}  // namespace graft::inline v1::detail
