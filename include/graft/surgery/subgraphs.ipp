#pragma once
#include <graft/surgery/subgraphs.hpp>

#include <algorithm>
#include <unordered_set>

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
#include <graft/rewrite/read_behind.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/surgery/detail/expose.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {
namespace detail {

class Extraction {
 public:
  Extraction(Graph& graph, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs)
      : graph_(graph) {
    if (outputs.empty()) throw Error("no outputs are given");
    std::unordered_set<std::string> seen;
    for (const std::string& name : inputs) {
      if (!seen.insert(name).second) throw Error("is repeated among the inputs").field(name);
      inputs_.push_back(&value_called(graph, name));
    }
    seen.clear();
    for (const std::string& name : outputs) {
      if (!seen.insert(name).second) throw Error("is repeated among the outputs").field(name);
      outputs_.push_back(&value_called(graph, name));
    }
  }

  void run(Context& context) {
    while (graph_.output_count() != 0) graph_.remove_output(graph_.output_count() - 1);
    for (Value*& input : inputs_) {
      if (input->is_graph_input()) continue;
      Value& cut = make_input(*input);
      std::replace(outputs_.begin(), outputs_.end(), input, &cut);
      input = &cut;
    }
    for (Value* const output : outputs_) expose(graph_, *output);
    eliminate_dead_code().run(graph_, context);
    drop_other_inputs();
    graph_.reorder_inputs(inputs_);
  }

 private:
  /// Replaces a computed value by an input.
  Value& make_input(Value& value) {
    const std::string name(value.name());
    if (!has_type(value)) throw Error("cannot be an input: its type is not known").field(name);
    const onnx::TypeProto type = value.type() != nullptr ? *value.type() : tensor_type(value.dtype(), value.shape());
    graph_.rename(value, graph_.fresh_name(name));
    Value& input = graph_.add_input(name, type);
    read_behind(value, input);
    return input;
  }

  void drop_other_inputs() {
    const std::vector<Value*> all(graph_.inputs().begin(), graph_.inputs().end());
    std::string missing;
    for (Value* const input : all) {
      if (std::find(inputs_.begin(), inputs_.end(), input) != inputs_.end()) continue;
      const bool has_default = input->initializer() != nullptr;
      if (input->is_used()) {
        if (has_default) inputs_.push_back(input);
        else missing += (missing.empty() ? "'" : ", '") + std::string(input->name()) + "'";
        continue;
      }
      graph_.remove_input(*input);
      if (has_default) graph_.erase(*input);
    }
    if (!missing.empty()) throw Error("the outputs depend on other inputs, too: " + missing);
  }

  Graph& graph_;
  std::vector<Value*> inputs_, outputs_;
};

}  // namespace detail

GRAFT_INLINE Pass extract_subgraph(std::vector<std::string> inputs, std::vector<std::string> outputs) {
  return pass("extract_subgraph",
              [inputs = std::move(inputs), outputs = std::move(outputs)](Graph& graph, Context& context) {
                detail::Extraction extraction(graph, inputs, outputs);
                infer_shapes(graph, context.infer_options());
                Transaction transaction(graph);
                const std::size_t before = graph.nodes().size();
                extraction.run(context);
                transaction.keep();
                Report report;
                report.changes = before - graph.nodes().size() + 1;
                return report;
              })
      .preserves_all();
}

namespace detail {

/// Assigns the nodes of the main graph to two models, and finds the values between them.
class Split {
 public:
  Split(Graph& graph, const std::vector<std::string>& values) : graph_(graph) {
    if (values.empty()) throw Error("no values are given at which to split the model");
    std::vector<const Node*> open;
    for (const std::string& name : values) {
      const Value& value = value_called(graph, name);
      if (value.producer() == nullptr) throw Error("is not computed by a node").field(name);
      add(cuts_, name);
      open.push_back(value.producer());
    }
    while (!open.empty()) {
      const Node& node = *open.back();
      open.pop_back();
      if (!first_.insert(&node).second) continue;
      for_each_read(node, [&](Value& value) {
        if (value.producer() != nullptr) open.push_back(value.producer());
      });
    }
    sort_reads();
    sort_outputs();
  }

  Model first(Model model) const {
    extract_subgraph(first_inputs_, first_outputs_).run(model);
    return model;
  }
  Model second(Model model) const {
    extract_subgraph(second_inputs_, second_outputs_).run(model);
    return model;
  }

 private:
  static void add(std::vector<std::string>& names, std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }

  /// The values of the main graph that the node reads, in its bodies, too.
  template <class F>
  void for_each_read(const Node& node, F&& f) const {
    std::vector<const Node*> open{&node};
    const auto read = [&](Value* value) {
      if (value != nullptr && &value->graph() == &graph_) f(*value);
    };
    while (!open.empty()) {
      const Node& reader = *open.back();
      open.pop_back();
      for (Value* const value : reader.inputs()) read(value);
      for (const Body& body : reader.bodies()) {
        for (Value* const value : body.graph->outputs()) read(value);
        for (const Node& inner : body.graph->nodes()) open.push_back(&inner);
      }
    }
  }

  bool is_in_first(const Value& value) const {
    return value.producer() != nullptr && first_.count(value.producer()) != 0;
  }

  void sort_reads() {
    std::unordered_set<const Value*> read_by_first, read_by_second;
    bool has_second = false;
    for (const Node& node : graph_.nodes()) {
      const bool is_first = first_.count(&node) != 0;
      has_second = has_second || !is_first;
      for_each_read(node, [&](Value& value) {
        (is_first ? read_by_first : read_by_second).insert(&value);
        if (!is_first && is_in_first(value) && !value.is_constant()) add(cuts_, value.name());
      });
    }
    if (!has_second) throw Error("the values need the whole model: nothing is left for the second");
    for (const std::string& cut : cuts_)
      if (read_by_second.count(graph_.find(cut)) != 0) second_inputs_.push_back(cut);
    for (const Value* const input : graph_.inputs()) {
      if (input->initializer() != nullptr) continue;  // stays with its readers
      const bool in_second = read_by_second.count(input) != 0;
      if (in_second || input->is_graph_output()) second_inputs_.emplace_back(input->name());
      if (read_by_first.count(input) != 0 || (!in_second && !input->is_graph_output()))
        first_inputs_.emplace_back(input->name());
    }
  }

  void sort_outputs() {
    for (const Value* const output : graph_.outputs())
      add(is_in_first(*output) ? first_outputs_ : second_outputs_, output->name());
    for (const std::string& cut : cuts_) add(first_outputs_, cut);
    if (second_outputs_.empty()) throw Error("the first model computes all outputs: nothing is left for the second");
  }

  Graph& graph_;
  std::unordered_set<const Node*> first_;
  std::vector<std::string> cuts_, first_inputs_, second_inputs_, first_outputs_, second_outputs_;
};

}  // namespace detail

GRAFT_INLINE std::pair<Model, Model> split_model(Model& model, const std::vector<std::string>& values) {
  const detail::Split split(model.graph(), values);
  return {split.first(model.clone()), split.second(model.clone())};
}

}  // namespace graft::inline v1
