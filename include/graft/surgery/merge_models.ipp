#pragma once
#include <graft/surgery/merge_models.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/problem.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/unite_annotations.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verify.hpp>
#include <graft/rewrite/read_behind.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/dim_names.hpp>
#include <graft/surgery/detail/model_connections.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/raise_opset.hpp>

namespace graft::inline v1 {
namespace detail {

/// Joins two models that it owns.
class ModelMerger {
 public:
  ModelMerger(Model first, Model second, const MergeOptions& options)
      : first_(std::move(first)), second_(std::move(second)), options_(options) {}

  Model run() {
    agree_on_versions();
    infer_shapes(first_.graph(), {.name_unknown = false});
    infer_shapes(second_.graph(), {.name_unknown = false});
    for (Model* const model : {&first_, &second_})
      for (const Problem& problem : verify(*model)) problems_.insert(problem.text);
    connections_ = connections_of(first_.graph(), second_.graph(), options_);
    for (const Connection& connection : connections_)
      if (!connection.is_shared) connected_.emplace(connection.output->name());
    agree_on_symbols();
    tell_names_apart();
    feed();
    Model merged = join();
    // Clears declared outputs of the parts: a number in one part may be a symbol in the other.
    std::vector<Value*> open;
    std::ranges::copy_if(merged.graph().outputs(), std::back_inserter(open), is_open);
    infer_shapes(merged.graph(), {.name_unknown = false});
    for (Value* const output : open)
      if (output->type() != nullptr) merged.graph().declare_type(*output, *output->type());
    for (const Problem& problem : verify(merged))
      if (problems_.count(problem.text) == 0) throw Error("do not fit together: " + to_string(problem));
    merged.commit();
    return merged;
  }

 private:
  /// Whether inference may add to the type.
  static bool is_open(const Value* value) {
    const Shape shape = value->shape();
    bool has_all = value->dtype() != DType::undefined && shape.known();
    for (std::size_t axis = 0; has_all && axis < shape.rank(); ++axis)
      has_all = shape[axis].known() || shape[axis].symbolic();
    return !has_all;
  }

  void agree_on_versions() {
    const int newest = std::max(first_.opset(), second_.opset());
    for (Model* const model : {&first_, &second_}) {
      if (model->opset() == newest) continue;
      if (model->opset() == 0) {
        model->set_opset(newest);
        continue;
      }
      infer_shapes(model->graph());
      raise_opset(*model, newest);
    }
    for (const onnx::OperatorSetIdProto& import : second_.proto().opset_import()) {
      const auto version = static_cast<int>(import.version());
      if (canonical_domain(import.domain()).empty() || first_.opset(import.domain()) == version) continue;
      if (first_.opset(import.domain()) != 0)
        throw Error("the models import two versions of it").field("opset_import '" + import.domain() + "'");
      first_.set_opset(version, import.domain());
    }
    const int ir_version = std::max(first_.ir_version(), second_.ir_version());
    first_.set_ir_version(ir_version);
    second_.set_ir_version(ir_version);
  }

  /// Makes each symbol stand for one size. Symbols of the second model that a connection makes equal to those of the
  /// first get their names; others get new names if they clash.
  void agree_on_symbols() {
    std::unordered_set<std::string> taken;
    change_dims(first_.graph(), [&](const DimProto& dim) {
      if (dim.has_dim_param()) taken.insert(dim.dim_param());
      return false;
    });
    std::unordered_map<std::string, DimProto> meanings;
    for (const Connection& connection : connections_) {
      const Shape given = connection.output->shape(), wanted = connection.input->shape();
      for (std::size_t axis = 0; axis < std::min(given.rank(), wanted.rank()); ++axis) {
        if (!wanted[axis].symbolic() || (!given[axis].known() && !given[axis].symbolic())) continue;
        const auto [meaning, is_new] = meanings.try_emplace(std::string(wanted[axis].symbol()));
        if (!is_new && meaning->second.has_dim_value()) {
          if (given[axis].known() && given[axis].value() != meaning->second.dim_value())
            throw Error("one of its extents would be two numbers").field(connection.input->name());
          continue;
        }
        if (given[axis].known()) {
          meaning->second.set_dim_value(given[axis].value());
        } else if (is_new) {
          meaning->second.set_dim_param(std::string(given[axis].symbol()));
        }
      }
    }
    change_dims(second_.graph(), [&](DimProto& dim) {
      if (!dim.has_dim_param() || dim.dim_param().empty()) return false;
      const auto meaning = meanings.find(dim.dim_param());
      if (meaning != meanings.end()) {
        dim = meaning->second;
      } else if (taken.count(dim.dim_param()) != 0) {
        std::string name = options_.prefix + dim.dim_param();
        while (taken.count(name) != 0) name += '_';
        dim.set_dim_param(name);
      } else {
        for (const auto& [symbol, _] : meanings)  // expressions
          if (with_symbol(dim.dim_param(), symbol, symbol)) return dim.clear_value(), true;
        return false;
      }
      return true;
    });
  }

  std::string another(const std::string& name, const std::unordered_set<std::string>& taken) const {
    std::string result = options_.prefix + name;
    while (taken.count(result) != 0) result = second_.graph().fresh_name(result);
    return result;
  }

  void tell_names_apart() {
    std::unordered_set<std::string> values, nodes, all;
    for (Graph* const scope : with_bodies(first_.graph())) {
      for_each_value(*scope, [&](const Value& value) { values.emplace(value.name()); });
      for (const Node& node : scope->nodes()) nodes.emplace(node.name());
    }
    values.erase("");
    nodes.erase("");
    all = values;
    std::unordered_set<std::string> all_nodes = nodes;
    const std::vector<Graph*> scopes = with_bodies(second_.graph());
    for (Graph* const scope : scopes) {
      for_each_value(*scope, [&](const Value& value) { all.emplace(value.name()); });
      for (const Node& node : scope->nodes()) all_nodes.emplace(node.name());
    }
    std::unordered_set<const Value*> agreed;  // inputs with the name of their source
    for (const Connection& connection : connections_)
      if (connection.output->name() == connection.input->name()) agreed.insert(connection.input);
    for (Graph* const scope : scopes) {
      for_each_value(*scope, [&](Value& value) {
        if (values.count(std::string(value.name())) == 0 || agreed.count(&value) != 0) return;
        const std::string name = another(std::string(value.name()), all);
        all.insert(name);
        scope->rename(value, name);
      });
      for (Node& node : scope->nodes()) {
        if (nodes.count(std::string(node.name())) == 0) continue;
        const std::string name = another(std::string(node.name()), all_nodes);
        all_nodes.insert(name);
        scope->rename(node, name);
      }
    }
  }

  /// Gives connected inputs the names of their sources.
  void feed() {
    Graph& graph = second_.graph();
    for (const Connection& connection : connections_) {
      const std::string name(connection.output->name());
      Value& input = *connection.input;
      const std::string old(input.name());
      if (const auto positions = output_positions(graph, input); !positions.empty() && old != name) {
        Value& copy = *graph.insert("Identity", {&input}).output(0);
        if (input.type() != nullptr) graph.declare_type(copy, *input.type());
        for (const std::size_t i : positions) graph.set_output(i, copy);
        graph.rename(input, graph.fresh_name(old));
        graph.rename(copy, old);
      }
      Value* const twin = own_value(graph, name);
      if (twin != nullptr && twin != &input) {  // another input has the same source
        read_behind(input, *twin);
        const bool has_default = input.initializer() != nullptr;
        graph.remove_input(input);
        if (has_default) graph.erase(input);
      } else {
        graph.rename(input, name);
      }
      fed_.insert(name);
    }
  }

  Model join() {
    onnx::ModelProto merged = first_.commit(), second = second_.commit();
    tell_functions_apart(second, merged, options_.prefix);
    const ExternalData& data = *first_.external_data();
    bring_data(second, *second_.external_data(), data);
    onnx::GraphProto &to = *merged.mutable_graph(), &from = *second.mutable_graph();
    const auto append = [](auto& field, auto& more, auto&& is_wanted) {
      for (auto& message : more)
        if (is_wanted(message.name())) *field.Add() = std::move(message);
    };
    const auto is_not_fed = [&](const std::string& name) { return fed_.count(name) == 0; };
    const auto all = [](const std::string&) { return true; };
    if (!options_.keeps_connected) drop_connected(to);
    std::unordered_set<std::string> handed_out;
    for (const onnx::ValueInfoProto& output : to.output()) handed_out.insert(output.name());
    append(*to.mutable_node(), *from.mutable_node(), all);
    append(*to.mutable_initializer(), *from.mutable_initializer(), is_not_fed);
    append(*to.mutable_input(), *from.mutable_input(), is_not_fed);
    append(*to.mutable_output(), *from.mutable_output(),
           [&](const std::string& name) { return handed_out.count(name) == 0; });
    append(*to.mutable_value_info(), *from.mutable_value_info(), is_not_fed);
    for (auto& tensor : *from.mutable_sparse_initializer()) *to.add_sparse_initializer() = std::move(tensor);
    for (auto& annotation : *from.mutable_quantization_annotation())
      *to.add_quantization_annotation() = std::move(annotation);
    unite_annotations(to);
    append(*merged.mutable_functions(), *second.mutable_functions(), all);
    for (const onnx::StringStringEntryProto& entry : second.metadata_props()) add_metadata(merged, entry);
    Model model(std::move(merged), first_);
    model.add_operators(second_.operators());
    return model;
  }

  /// Turns outputs that feed the second model into inner values.
  void drop_connected(onnx::GraphProto& graph) const {
    auto& outputs = *graph.mutable_output();
    for (int i = outputs.size() - 1; i >= 0; --i) {
      if (connected_.count(outputs[i].name()) == 0) continue;
      const bool is_inner = own_value(first_.graph(), outputs[i].name())->producer() != nullptr;
      if (outputs[i].has_type() && is_inner) *graph.add_value_info() = outputs[i];
      outputs.DeleteSubrange(i, 1);
    }
  }

  void add_metadata(onnx::ModelProto& model, const onnx::StringStringEntryProto& entry) const {
    const auto& present = model.metadata_props();
    const auto find = [&](const std::string& key) {
      return std::find_if(present.begin(), present.end(), [&](const auto& other) { return other.key() == key; });
    };
    std::string key = entry.key();
    for (auto other = find(key); other != present.end(); other = find(key)) {
      if (other->value() == entry.value()) return;
      key = options_.prefix.empty() ? key + '_' : options_.prefix + key;
    }
    onnx::StringStringEntryProto& added = *model.add_metadata_props();
    added.set_key(key);
    added.set_value(entry.value());
  }

  Model first_, second_;
  const MergeOptions& options_;
  std::vector<Connection> connections_;
  std::unordered_set<std::string> connected_;  // outputs of the first with connections
  std::unordered_set<std::string> fed_;        // connected inputs of the second
  std::unordered_set<std::string> problems_;
};

}  // namespace detail

GRAFT_INLINE Model merge_models(Model& first, Model& second, const MergeOptions& options) {
  return detail::ModelMerger(first.clone(), second.clone(), options).run();
}

}  // namespace graft::inline v1
