#pragma once
#include <graft/qonnx/ops/canonical_operators.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/detail/parameters.hpp>
#include <graft/qonnx/detail/scopes.hpp>
#include <graft/qonnx/ops/kernels/quant.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Whether the node is an operator, and not a local function of the same name.
inline bool is_operator_of(const Node& node, std::string_view wanted) {
  return node.domain() == wanted && !calls_function(node);
}

/// Converts constant integer parameters of a quantizer, such as a bit width of int64, to float32. Returns their number.
/// A constant without other readers passes its name on.
inline std::size_t make_parameters_float(Node& node) {
  std::size_t made = 0;
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    Value* const parameter = node.input(i);
    const std::optional<Tensor> constant = parameter != nullptr ? parameter->constant() : std::nullopt;
    if (!constant || constant->dtype() == DType::f32) continue;
    const std::optional<Tensor> number = float_parameter(*constant);
    if (!number) continue;
    Graph& graph = node.graph();
    Value& floats = graph.add_initializer(*number, parameter->name());
    if (!graph.set_input(node, i, &floats)) continue;
    ++made;
    const bool is_left = parameter->use_count() == 0 && parameter->initializer() != nullptr &&
                         !parameter->is_graph_input() && &parameter->graph() == &graph;
    if (!is_left) continue;
    const std::string name(parameter->name());
    graph.erase(*parameter);
    graph.rename(floats, name);
  }
  return made;
}

/// The versions of the Trunc nodes of one domain.
struct TruncVersions {
  bool first = false, second = false;

  void add(const Node& node) { (trunc_version(node) == 1 ? first : second) = true; }
};

/// The import that the nodes of the model need: that of the domain, unless its Trunc has another version.
inline int wanted_version(const Model& model, const TruncVersions& versions) {
  const int imported = model.opset(domain);
  if (versions.second) return std::max(imported, 2);
  return versions.first ? 1 : std::max(imported, 1);
}

}  // namespace detail

GRAFT_INLINE Pass canonical_operators() {
  return pass("canonical_operators",
              [](Graph& graph, Context&) {
                Report report;
                Model& model = graph.model();
                const auto note = [&](const Node& node, std::string_view why) {
                  report.notes.push_back(display_name(node) + " stays " + std::string(node.domain()) +
                                         "::" + std::string(node.op_type()) + ": " + std::string(why));
                };
                detail::TruncVersions own, others;
                for (Graph* const scope : model.scopes()) {
                  if (detail::in_function(*scope)) continue;
                  for (const Node& node : scope->nodes())
                    if (is_op(node, "Trunc")) (node.domain() == domain ? own : others).add(node);
                }
                if (own.first && own.second) {  // without an import, the inputs decide: no version has both
                  report.notes.push_back("nodes stay as they are: no version of " + std::string(domain) +
                                         " has both kinds of Trunc");
                  return report;
                }
                const bool has_own = own.first || own.second;
                const int version = detail::wanted_version(model, has_own ? own : others);
                const int trunc = version >= 2 ? 2 : 1;

                bool used = false, channels_last = false;
                std::vector<std::string_view> left;
                for (Graph* const scope : scopes_of(graph)) {
                  const bool function = detail::in_function(*scope);
                  for (Node& node : scope->nodes()) {
                    channels_last = channels_last || (!function && detail::is_operator_of(node, channels_last_domain));
                    if (!function && is_quantizer(node)) report.changes += detail::make_parameters_float(node);
                    for (const std::string_view name : domains) {
                      if (!detail::is_operator_of(node, name)) continue;
                      const int there = function ? scope->opset(domain) : version;
                      if (there == 0 && name != domain) {
                        note(node, "its local function does not import " + std::string(domain));
                      } else if (is_op(node, "Trunc") &&
                                 trunc_version(node) != (function ? (there >= 2 ? 2 : 1) : trunc)) {
                        note(node, "it is of version " + std::to_string(trunc_version(node)) + ", others of version " +
                                       std::to_string(trunc_version(node) == 1 ? 2 : 1));
                        if (!function) left.push_back(name);
                      } else {
                        const bool is_old_name = node.op_type() == "IntQuant";
                        const std::string renamed = to_string(OpName{domain, is_old_name ? "Quant" : node.op_type()});
                        if ((name != domain || is_old_name) &&
                            model.find_function(renamed, overload_of(node.proto())) != nullptr) {
                          note(node, "a local function is called " + renamed);
                          continue;
                        }
                        used = used || !function;
                        if (name == domain && !is_old_name) continue;
                        scope->set_op(node, renamed);
                        ++report.changes;
                      }
                    }
                  }
                }
                const auto import = [&](std::string_view name, int wanted) {
                  if (model.opset(name) == wanted) return;
                  model.set_opset(wanted, name);
                  ++report.changes;
                };
                if (used) import(domain, version);
                for (const std::string_view name : left)
                  if (model.opset(name) == 0) import(name, trunc == 1 ? 2 : 1);
                if (channels_last && model.opset(channels_last_domain) == 0)
                  import(channels_last_domain, model.opset());
                for (const std::string_view name : domains) report.changes += model.drop_unused_opset(name) ? 1 : 0;
                report.changes += model.drop_unused_opset(channels_last_domain) ? 1 : 0;
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1::qonnx
