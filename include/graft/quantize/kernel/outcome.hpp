#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/node.hpp>

namespace graft::inline v1 {

enum class Severity : std::uint8_t {
  none,
  info,
  warning,  ///< slower or less accurate than it looks
  error,    ///< the runtime refuses the model, or computes something else
};

/// "none", "info", "warning", "error".
std::string_view to_string(Severity severity);

/// How a quantized model computes an operator.
enum class OperatorForm : std::uint8_t {
  in_float,
  integers,     ///< by an integer kernel, between Q/DQ pairs
  dynamic,      ///< in integers, of activations that are quantized as the model runs
  weight_only,  ///< of activations in float, by a weight in integers
  refused,      ///< the runtime does not load the model
  within,       ///< it vanishes into the integer kernel of another operator
  left_out,     ///< the backend leaves it to another one, which computes it if the session may use one
};

/// "float", "integers", "dynamic", "weight-only", "refused", "within another kernel", "left to another backend".
std::string_view to_string(OperatorForm form);

/// What reports call a scope: nothing for the main graph, a function by its name, a body by the scope, the name and the
/// graph of its owner: "loop1.body".
std::string scope_name(const Graph& graph);

/// What becomes of one operator, and its most severe problem. Placement, the choice of forms, goals and the audit write
/// it.
struct OperatorOutcome {
  std::string node{}, op{};  ///< by its display_name()
  OperatorForm form = OperatorForm::in_float;
  Severity severity = Severity::none;
  std::string_view code{};    ///< "graph_output", a literal; empty if there is nothing to say
  std::string text{};         ///< why
  std::string_view remedy{};  ///< a literal
  bool float_result = false;  ///< of a kernel in integers: no integers come out of it
  bool is_kept = false;       ///< placement, a goal or the user left it in float
  bool is_product = false;    ///< in the outcomes of quantize(): a MatMul or Gemm by a constant
  std::string scope{};        ///< the function or body that the node is in, by scope_name()
  std::string within{};       ///< of form within: the node whose kernel that is, by its display_name()

  /// An outcome of a node and its scope.
  static OperatorOutcome of(const Node& node, OperatorForm form);
  /// Whether an integer kernel computes it.
  bool fused() const { return form == OperatorForm::integers; }
  /// "'conv1' stays in float: its weight is not constant"
  std::string note() const { return "'" + node + "' stays in float: " + text; }
};

using Finding [[deprecated("use OperatorOutcome")]] = OperatorOutcome;
using ProductResult [[deprecated("use OperatorOutcome")]] = OperatorOutcome;

/// "conv1 (Conv): not fused: 'y' has 2 users; put a pair of quantizers behind it that all of them share",
/// "relu1 (Relu): within 'conv1'"
std::string to_string(const OperatorOutcome& outcome);
inline std::ostream& operator<<(std::ostream& out, const OperatorOutcome& outcome) { return out << to_string(outcome); }

/// A fact: the nodes that inject_qdq(), quantize_dynamic() and quantize_weights_blockwise() left in float, of those
/// that they are about, and why.
struct FloatOutcomes {
  static constexpr std::string_view fact_name = "float_outcomes", fact_maker = "inject_qdq";

  using Key = std::pair<std::string, std::string>;
  std::map<Key, OperatorOutcome> by_node{};  ///< by its display_name() and scope_name()

  std::size_t size() const { return by_node.size(); }
  /// nullptr if the node is not listed.
  const OperatorOutcome* find(const std::string& node, const std::string& scope = "") const;
  const OperatorOutcome* find(const Node& node) const;
  /// Replaces what is there of the node.
  const OperatorOutcome& add(const Node& node, std::string_view code, std::string text);
  /// In every scope.
  void rename_node(std::string_view from, std::string_view to);
};

/// A fact: of how many tensors the last passes made integers. quantize_dynamic() and quantize_weights_blockwise() count
/// products, and they and quantize_embeddings() tables.
struct IntegerCounts {
  static constexpr std::string_view fact_name = "integer_counts", fact_maker = "quantize_embeddings";

  std::size_t products = 0, tables = 0;
};

using InFloat [[deprecated("use FloatOutcomes")]] = FloatOutcomes;

}  // namespace graft::inline v1
