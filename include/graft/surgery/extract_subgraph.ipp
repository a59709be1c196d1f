#pragma once
#include <graft/surgery/extract_subgraph.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/read_behind.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/simplify/eliminate/eliminate_dead_code.hpp>
#include <graft/surgery/detail/expose.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {

namespace detail {

class Extraction {
 public:
  Extraction(Graph& graph, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs)
      : graph_(graph) {
    if (outputs.empty()) throw Error("nothing is to be computed: no output is named");
    std::unordered_set<std::string> seen;
    for (const std::string& name : inputs) {
      if (!seen.insert(name).second) throw Error("stands twice among the inputs").field(name);
      inputs_.push_back(&value_called(graph, name));
    }
    seen.clear();
    for (const std::string& name : outputs) {
      if (!seen.insert(name).second) throw Error("stands twice among the outputs").field(name);
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
  /// An input in place of a value that was computed.
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
        if (has_default)
          inputs_.push_back(input);
        else
          missing += (missing.empty() ? "'" : ", '") + std::string(input->name()) + "'";
        continue;
      }
      graph_.remove_input(*input);
      if (has_default) graph_.erase(*input);
    }
    if (!missing.empty()) throw Error("the outputs are computed from other inputs too: " + missing);
  }

  Graph& graph_;
  std::vector<Value*> inputs_, outputs_;
};

}  // namespace detail

GRAFT_INLINE Pass extract_subgraph(std::vector<std::string> inputs, std::vector<std::string> outputs) {
  return pass("extract_subgraph", [inputs = std::move(inputs), outputs = std::move(outputs)](Graph& graph,
                                                                                            Context& context) {
    detail::Extraction extraction(graph, inputs, outputs);
    infer_shapes(graph, context.infer_options());
    Transaction transaction(graph);
    const std::size_t before = graph.nodes().size();
    extraction.run(context);
    transaction.keep();
    Report report;
    report.changes = before - graph.nodes().size() + 1;
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
