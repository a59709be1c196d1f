#pragma once
#include <graft/surgery/change_batch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
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
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/reshape_batches.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {
namespace detail {

/// An input and its batch axis.
struct BatchAxis {
  Value* input;
  std::size_t axis;
};

/// Changes the extents of inputs at these axes, and adapts the model.
///
/// First, a trial run uses a number that the model does not have. It finds the Reshapes with the old batch in their
/// constants, and shows whether all other nodes accept another batch. A symbol would contradict nothing, and another
/// number might agree by accident. Then the change is made.
class BatchChange {
 public:
  BatchChange(Graph& graph, std::vector<BatchAxis> inputs)
      : graph_(graph), inputs_(std::move(inputs)), types_(graph) {
    types_.for_each([&](const Value& value, const onnx::TypeProto& type) {
      old_.emplace(&value, type);
      note_dims(Shape(type));
    });
    for (const Value* const input : graph.inputs()) {
      if (input->type() == nullptr) continue;
      old_.emplace(input, *input->type());
      note_dims(input->shape());
    }
    while (numbers_.count(trial_) != 0) trial_ += 2;
  }

  BatchChange(const BatchChange&) = delete;
  BatchChange& operator=(const BatchChange&) = delete;

  /// batch < 0: the symbol.
  void run(std::int64_t batch, const std::string& symbol, Report& report) {
    try_out(report);
    set_inputs(batch, symbol);
    reshapes_.write(batch);
    const std::string problem =
        types_.run([&](const Value& value, onnx::TypeProto& type) { adjust(value, type, batch, symbol); });
    if (!problem.empty()) throw Error(problem);
    report.changes = inputs_.size() + reshapes_.count();
  }

 private:
  void note_dims(const Shape& shape) {
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis].known()) numbers_.insert(shape[axis].value());
  }

  void set_inputs(std::int64_t batch, const std::string& symbol) {
    for (const auto& [input, axis] : inputs_) {
      onnx::TypeProto type = *input->type();
      auto& dim = *type.mutable_tensor_type()->mutable_shape()->mutable_dim(static_cast<int>(axis));
      if (batch >= 0) {
        dim.set_dim_value(batch);
      } else {
        dim.set_dim_param(symbol);
      }
      graph_.declare_type(*input, type);
    }
  }

  void try_out(Report& report) {
    Transaction trial(graph_);
    set_inputs(trial_, "");
    types_.strip();
    Inference inference({.name_unknown = false, .refresh = true});
    sweep(graph_, inference);
    if (const std::string problem = types_.new_problem(); !problem.empty())
      throw Error("the model does not support another batch: " + problem);
    types_.for_each([&](const Value& value, const onnx::TypeProto& type) { check(value, Shape(type)); });
    for (const Value* const output : graph_.outputs()) {
      if (output == nullptr || !output->shape().known() || output->shape().rank() == 0) continue;
      if (output->is_graph_input() || depends(*output)) continue;
      report.notes.push_back("the output '" + std::string(output->name()) + "' does not change with the batch");
    }
  }

  bool depends(const Value& value) const {
    const Shape now = value.shape();
    for (std::size_t axis = 0; axis < now.rank(); ++axis)
      if (!now[axis].known() || (now[axis].value() != 0 && now[axis].value() % trial_ == 0)) return true;
    return false;
  }

  /// Checks the result of the trial for a value.
  void check(const Value& value, const Shape& old) {
    const Shape now = value.shape();
    if (!old.known() || !now.known()) return;
    found_[&value] = dims_of(now);
    if (now.rank() == old.rank()) return;
    Error error("is of rank " + std::to_string(old.rank()) + " for a batch of " + to_string(old_batch()) + " only");
    throw error.node(value.producer() != nullptr ? display_name(*value.producer()) : "").field(value.name());
  }

  static std::vector<std::int64_t> dims_of(const Shape& shape) {
    std::vector<std::int64_t> dims;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
      dims.push_back(shape[axis].known() ? shape[axis].value() : -1);
    return dims;
  }

  Dim old_batch() const { return Shape(old_.at(inputs_.front().input))[inputs_.front().axis]; }

  void sweep(Graph& scope, Inference& inference) {
    for (Node& node : scope.nodes()) {
      if (node.is("Reshape") && node.input_count() == 2) reshapes_.follow(node);
      static_cast<void>(inference.run(node));
      if (node.is("LSTM") || node.is("GRU") || node.is("RNN")) check_states(node);
      if (node.bodies().empty()) continue;
      for (const Body& body : node.bodies()) sweep(*body.graph, inference);
      static_cast<void>(inference.run(node));
    }
  }

  static void check_states(const Node& node) {
    const bool is_batch_first = node.attr<std::int64_t>("layout").value_or(0) != 0;
    const Shape x = node.input(0) != nullptr ? node.input(0)->shape() : Shape();
    for (const std::size_t i : {std::size_t{5}, std::size_t{6}}) {
      if (node.input(i) == nullptr || (i == 6 && !node.is("LSTM"))) continue;
      const Shape state = node.input(i)->shape();
      if (x.rank() != 3 || state.rank() != 3) continue;
      const Dim here = state[is_batch_first ? 0 : 1], there = x[is_batch_first ? 0 : 1];
      if (here.known() && here != there)
        throw Error("its initial state is for a batch of " + to_string(here)).node(display_name(node));
    }
  }

  /// Keeps known extents of a value if inference with the new batch finds none.
  void adjust(const Value& value, onnx::TypeProto& type, std::int64_t batch, const std::string& symbol) const {
    const auto found = found_.find(&value);
    const Shape old(type);
    if (!old.known()) return;
    auto& dims = *type.mutable_tensor_type()->mutable_shape()->mutable_dim();
    const auto set = [&](auto& dim) {
      if (batch >= 0) {
        dim.set_dim_value(batch);
      } else {
        dim.set_dim_param(symbol);
      }
    };
    if (found == found_.end()) {  // its dependence is unknown
      if (old.rank() > 0 && same_size(old[0], old_batch())) set(*dims.Mutable(0));
      return;
    }
    for (int i = 0; i < dims.size(); ++i) {
      const std::int64_t tried = found->second[static_cast<std::size_t>(i)];
      auto& dim = *dims.Mutable(i);
      if (tried == trial_) {
        set(dim);
      } else if (tried >= 0 && (!dim.has_dim_value() || dim.dim_value() != tried)) {
        dim.clear_value();
      } else if (tried < 0 && dim.has_dim_value()) {
        dim.clear_value();
      }
    }
  }

  Graph& graph_;
  std::vector<BatchAxis> inputs_;
  Retyping types_;
  ReshapeBatches::Types old_;
  std::unordered_map<const Value*, std::vector<std::int64_t>> found_;
  std::unordered_set<std::int64_t> numbers_;
  std::int64_t trial_ = 7919;
  ReshapeBatches reshapes_{old_, trial_};
};

inline std::vector<BatchAxis> batch_axes(const Graph& graph, const std::vector<BatchInput>& named) {
  std::vector<BatchAxis> axes;
  for (const auto& [name, axis] : named) {
    Value& input = input_called(graph, name);
    if (axis >= input.shape().rank()) throw Error("has no axis " + std::to_string(axis)).field(name);
    axes.push_back({&input, axis});
  }
  if (!named.empty()) return axes;
  for (Value* const input : graph.inputs()) {
    if (input->initializer() != nullptr || input->shape().rank() == 0) continue;
    if (axes.empty() || axes.front().input->shape()[0] == input->shape()[0]) axes.push_back({input, 0});
  }
  if (axes.empty()) throw Error("no input of the graph has a leading extent");
  return axes;
}

/// batch < 0: the symbol.
inline Pass change_batch(std::int64_t batch, std::string symbol, std::vector<BatchInput> inputs) {
  return pass("change_batch",
              [batch, symbol = std::move(symbol), inputs = std::move(inputs)](Graph& graph, Context&) {
                Report report;
                BatchChange change(graph, batch_axes(graph, inputs));
                Transaction transaction(graph);
                change.run(batch, symbol, report);
                transaction.keep();
                return report;
              });
}

}  // namespace detail

GRAFT_INLINE Pass change_batch(std::int64_t batch, std::vector<BatchInput> inputs) {
  if (batch < 0) throw Error("the batch is negative").pass("change_batch");
  return detail::change_batch(batch, "", std::move(inputs));
}

GRAFT_INLINE Pass change_batch(std::string symbol, std::vector<BatchInput> inputs) {
  if (symbol.empty()) throw Error("the name of the batch is empty").pass("change_batch");
  return detail::change_batch(-1, std::move(symbol), std::move(inputs));
}

}  // namespace graft::inline v1
