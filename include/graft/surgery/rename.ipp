#pragma once
#include <graft/surgery/rename.hpp>

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/dim_names.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {
namespace detail {

/// Renames several values at once, so that two may swap their names.
class SimultaneousRename {
 public:
  explicit SimultaneousRename(Graph& graph) : graph_(graph), scopes_(with_bodies(graph)) {}

  void add(Value& value, const std::string& to) {
    const std::string from(value.name());
    if (to.empty()) throw Error("the new name is empty").field(from);
    if (!values_.insert(&value).second) throw Error("is renamed twice").field(from);
    if (!names_.insert(to).second) throw Error("is the new name of two values").field(to);
    renames_.push_back({&value, from, to});
  }

  /// Replaces these graph outputs by a copy of their value, and returns the copy.
  Value& copy_output(const std::vector<std::size_t>& positions) {
    Value& value = *graph_.output(positions.front());
    Value& copy = *graph_.insert("Identity", {&value}).output(0);
    if (value.type() != nullptr) graph_.declare_type(copy, *value.type());
    for (const std::size_t i : positions) graph_.set_output(i, copy);
    return copy;
  }

  /// Returns the number of renamed values.
  std::size_t run() {
    for (const Rename& rename : renames_) {
      for (const Graph* const scope : scopes_) {
        const Value* const other = own_value(*scope, rename.to);
        if (other == nullptr || values_.count(other) != 0) continue;
        throw Error("cannot be renamed to '" + rename.to + "': the name is taken" +
                    (scope == &graph_ ? "" : " in a body"))
            .field(rename.from);
      }
    }
    std::size_t changes = 0;
    for (const Rename& rename : renames_)
      if (rename.value->name() != rename.to) graph_.rename(*rename.value, graph_.fresh_name(rename.from));
    for (const Rename& rename : renames_) {
      if (rename.from != rename.to) ++changes;
      graph_.rename(*rename.value, rename.to);
    }
    return changes;
  }

  /// Renames facts about the tensors, too. Precondition: the edits stand.
  template <class Facts>
  void tell(Facts& facts) const {
    std::vector<std::string> between;
    for (const Rename& rename : renames_) {
      between.push_back(graph_.fresh_name(rename.from));
      facts.tensor_renamed(rename.from, between.back());
    }
    for (std::size_t i = 0; i < renames_.size(); ++i) facts.tensor_renamed(between[i], renames_[i].to);
  }

 private:
  struct Rename {
    Value* value;
    std::string from, to;
  };
  Graph& graph_;
  std::vector<Graph*> scopes_;
  std::vector<Rename> renames_;
  std::unordered_set<const Value*> values_;
  std::unordered_set<std::string> names_;
};

}  // namespace detail

GRAFT_INLINE Pass rename_inputs(std::vector<std::pair<std::string, std::string>> names) {
  return pass("rename_inputs",
              [names = std::move(names)](Graph& graph, Context& context) {
                Report report;
                Transaction transaction(graph);
                detail::SimultaneousRename rename(graph);
                for (const auto& [from, to] : names) {
                  Value& input = detail::input_called(graph, from);
                  rename.add(input, to);
                  const auto positions = detail::output_positions(graph, input);
                  if (from != to && !positions.empty()) rename.add(rename.copy_output(positions), from);
                }
                report.changes = rename.run();
                transaction.keep();
                rename.tell(context.facts);
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass rename_outputs(std::vector<std::pair<std::string, std::string>> names) {
  return pass("rename_outputs",
              [names = std::move(names)](Graph& graph, Context& context) {
                Report report;
                Transaction transaction(graph);
                detail::SimultaneousRename rename(graph);
                for (const auto& [from, to] : names) {
                  Value& output = detail::output_called(graph, from);
                  if (from == to) continue;
                  const bool is_borrowed = output.is_graph_input() || &output.graph() != &graph;
                  rename.add(is_borrowed ? rename.copy_output(detail::output_positions(graph, output)) : output, to);
                }
                report.changes = rename.run();
                transaction.keep();
                rename.tell(context.facts);
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass rename_dim(std::string from, std::string to) {
  return pass("rename_dim",
              [from = std::move(from), to = std::move(to)](Graph& graph, Context&) {
                Report report;
                if (from.empty() || to.empty()) throw Error("the old or the new name of the dim is empty");
                if (from == to) return report;
                bool is_taken = false;
                detail::change_dims(graph, [&](const detail::DimProto& dim) {
                  is_taken = is_taken || detail::with_symbol(dim.dim_param(), to, to).has_value();
                  return false;
                });
                if (is_taken) throw Error("a dim of the model has this name already").field(to);
                Transaction transaction(graph);
                report.changes = detail::replace_symbol(graph, from, to);
                if (report.changes == 0) throw Error("no dim of the model has this name").field(from);
                transaction.keep();
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass rename_input_dims(std::string input, std::size_t axis, std::string symbol) {
  return pass("rename_input_dims",
              [name = std::move(input), axis, symbol = std::move(symbol)](Graph& graph, Context&) {
                Report report;
                Value& value = detail::input_called(graph, name);
                if (symbol.empty()) throw Error("the new name of its dim is empty").field(name);
                if (axis >= value.shape().rank()) throw Error("has no axis " + std::to_string(axis)).field(name);
                const std::string old(value.shape()[axis].symbol());
                if (old == symbol) return report;
                detail::Retyping types(graph);
                Transaction transaction(graph);
                const bool is_its_own = !old.empty() && detail::count_in_inputs(graph, old) == 1;
                onnx::TypeProto type = *value.type();
                type.mutable_tensor_type()->mutable_shape()->mutable_dim(static_cast<int>(axis))->set_dim_param(symbol);
                graph.declare_type(value, type);
                const auto rename = [&](detail::DimProto& dim) {
                  const auto renamed = detail::with_symbol(dim.dim_param(), old, symbol);
                  if (renamed) dim.set_dim_param(*renamed);
                  return renamed.has_value();
                };
                if (is_its_own) detail::change_dims(graph, rename);
                const std::string problem = types.run([&](const Value&, onnx::TypeProto& known) {
                  if (is_its_own) detail::for_each_dim(known, rename);
                });
                if (!problem.empty()) throw Error("its dim cannot have this name: " + problem).field(name);
                transaction.keep();
                report.changes = 1;
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass rename_output_dims(std::string output, std::size_t axis, std::string symbol) {
  return pass("rename_output_dims",
              [name = std::move(output), axis, symbol = std::move(symbol)](Graph& graph, Context& context) {
                Report report;
                Value& value = detail::output_called(graph, name);
                if (symbol.empty()) throw Error("the new name of its dim is empty").field(name);
                infer_shapes(graph, context.infer_options({.name_unknown = false}));
                if (axis >= value.shape().rank()) throw Error("has no axis " + std::to_string(axis)).field(name);
                const std::string old(value.shape()[axis].symbol());
                if (old == symbol) return report;
                Transaction transaction(graph);
                onnx::TypeProto type =
                    value.type() != nullptr ? *value.type() : tensor_type(value.dtype(), value.shape());
                type.mutable_tensor_type()->mutable_shape()->mutable_dim(static_cast<int>(axis))->set_dim_param(symbol);
                graph.declare_type(value, type);
                if (!old.empty() && detail::count_in_inputs(graph, old) == 0)
                  detail::replace_symbol(graph, old, symbol);
                transaction.keep();
                report.changes = 1;
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass unique_node_names() {
  return pass("unique_node_names",
              [](Graph& graph, Context& context) {
                Report report;
                std::unordered_set<std::string> taken;
                for (Graph* const scope : scopes_of(graph)) {
                  for (Node& node : scope->nodes()) {
                    std::string name = display_name(node);
                    const bool is_free = taken.insert(name).second;
                    if (!node.name().empty() && is_free) continue;
                    if (!is_free) name = scope->fresh_name(name);
                    if (scope == &graph) context.facts.node_copied(node.name(), name);
                    scope->rename(node, name);
                    ++report.changes;
                  }
                }
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
