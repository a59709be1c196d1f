#pragma once
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

#include <graft/graph/attribute.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1::detail {

/// Where an input has the batch.
struct BatchAxis {
  Value* input;
  std::size_t axis;
};

/// The extents of inputs at these axes become another one, and the model follows.
///
/// A trial run with a number that the model does not hold finds out which Reshapes have the old batch in their
/// constants, and whether all other nodes take another one: with a symbol nothing would contradict, and a number might
/// agree by accident. Then the change is made.
class BatchChange {
 public:
  BatchChange(Graph& graph, Context& context, std::vector<BatchAxis> inputs)
      : graph_(graph), context_(context), inputs_(std::move(inputs)), types_(graph, context) {
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

  /// batch < 0: the symbol.
  void run(std::int64_t batch, const std::string& symbol, Report& report) {
    try_out(report);
    set_inputs(batch, symbol);
    for (const ReshapeChange& change : changes_) write(change, batch);
    const std::string problem = types_.run([&](const Value& value, onnx::TypeProto& type) {
      adjust(value, type, batch, symbol);
    });
    if (!problem.empty()) throw Error(problem);
    report.changes = inputs_.size() + changes_.size();
  }

 private:
  /// Entry `place` of a Reshape's shape is the batch times a factor.
  struct ReshapeChange {
    Node* node;
    Ints shape;
    std::size_t place;
    std::int64_t factor;
    bool copies;  // it may be 0: as the input has it
  };

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
    Inference inference({.custom = context_.shape_functions, .name_unknown = false, .refresh = true});
    sweep(graph_, inference);
    if (const std::string problem = types_.new_problem(); !problem.empty())
      throw Error("the model takes no other batch: " + problem);
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

  /// What the trial found for a value.
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
      if (node.is("Reshape") && node.input_count() == 2) follow(node);
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

  /// Puts the batch of the trial into the constant shape, where the old one holds it.
  void follow(Node& node) {
    Value *const data = node.input(0), *const wanted = node.input(1);
    if (data == nullptr || wanted == nullptr) return;
    const auto known = old_.find(data);
    const auto result = old_.find(node.output(0));
    if (known == old_.end() || result == old_.end()) return;
    const Shape before(known->second), now = data->shape(), out(result->second);
    if (!before.known() || !now.known() || !out.known() || before.rank() != now.rank()) return;
    std::optional<std::size_t> axis;
    for (std::size_t i = 0; i < now.rank(); ++i) {
      if (!now[i].known() || now[i].value() == 0 || now[i].value() % trial_ != 0) continue;
      if (axis && before[i].known()) return refuse(node, "the batch is in several extents of its input");
      if (!axis || before[i].known()) axis = i;
    }
    if (!axis) return;
    const std::optional<Tensor> constant = wanted->constant();
    if (!constant && wanted->initializer() != nullptr)
      return refuse(node, "its shape is a default, which a caller may override: freeze_inputs() comes first");
    if (!constant || constant->dtype() != DType::i64) return;
    if (!before[*axis].known() || !now[*axis].known()) return follow_symbol(node, before, out, *axis, *constant);
    if (before[*axis].value() == 0 || now[*axis].value() % trial_ != 0)
      return refuse(node, "an extent is no multiple of it");
    const std::int64_t factor = now[*axis].value() / trial_, old = before[*axis].value() / factor;
    Ints shape = constant->to<std::int64_t>();
    if (factor != 1 && inner_.count(before[*axis].value()) != 0) return refuse(node, "the batch is in an inner place");
    const bool keeps_zero = node.attr<std::int64_t>("allowzero").value_or(0) != 0;
    const auto place = place_of(before, out, *axis, old);
    if (const auto free = std::find(shape.begin(), shape.end(), -1); free != shape.end()) {
      const auto at = static_cast<std::size_t>(free - shape.begin());
      const bool stands_elsewhere = place && *place != at && out[*place] == Dim(old);
      if (!stands_elsewhere && absorbs(before, out, *axis, at, place)) return;
    }
    if (!place || *place >= shape.size()) return refuse(node, "its shape does not hold the batch in one extent");
    const std::int64_t entry = shape[*place];
    if (entry == 0 && !keeps_zero && *place == *axis) return;
    if (entry <= 0) return refuse(node, "its shape does not hold the batch in one extent");
    if (old == 1 && entry != 1 && std::find(shape.begin(), shape.end(), 1) != shape.end())
      return refuse(node, "which extent of its shape is the batch is not clear");
    changes_.push_back({&node, shape, *place, entry / old,
                        *place == *axis && entry == before[*axis].value() && !keeps_zero});
    shape[*place] = entry / old * trial_;
    put(node, std::move(shape));
  }

  /// A symbolic batch is right in its place already, but for a 1 there: then the model is for one sample, whatever it
  /// says.
  void follow_symbol(Node& node, const Shape& before, const Shape& out, std::size_t axis, const Tensor& constant) {
    Ints shape = constant.to<std::int64_t>();
    if (axis >= shape.size() || shape[axis] != 1) return;
    for (std::size_t i = 0; i < axis; ++i)
      if (i >= out.rank() || !same_size(before[i], out[i])) return;
    const bool keeps_zero = node.attr<std::int64_t>("allowzero").value_or(0) != 0;
    changes_.push_back({&node, shape, axis, 1, !keeps_zero});
    shape[axis] = trial_;
    put(node, std::move(shape));
  }

  /// How many elements stand before the axis; nothing if that is not known.
  static std::optional<std::int64_t> elements_before(const Shape& shape, std::size_t axis) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < axis; ++i) {
      if (!shape[i].known()) return std::nullopt;
      count *= shape[i].value();
    }
    return count;
  }

  /// Where the batch, the outer factor of the extent of the input at that axis, is found in the result, in row-major
  /// order: as the outer factor of the extent before which as many elements are.
  static std::optional<std::size_t> place_of(const Shape& in, const Shape& out, std::size_t axis, std::int64_t batch) {
    const auto holds = [&](std::size_t i) { return out[i].known() && out[i].value() % batch == 0; };
    bool same_before = axis < out.rank();
    for (std::size_t i = 0; same_before && i < axis; ++i) same_before = same_size(in[i], out[i]);
    if (same_before && holds(axis)) return axis;
    const auto wanted = elements_before(in, axis);
    for (std::size_t i = 0; wanted && i < out.rank(); ++i)
      if (elements_before(out, i) == wanted && holds(i)) return i;
    return std::nullopt;
  }

  /// Whether the extent that is -1 takes the batch in without mixing the samples.
  bool absorbs(const Shape& in, const Shape& out, std::size_t axis, std::size_t at, std::optional<std::size_t> place) {
    if (place == at) return true;
    const auto wanted = elements_before(in, axis), first = elements_before(out, at);
    if (!wanted || !first || !out[at].known() || *wanted < *first || *wanted > *first * out[at].value()) return false;
    if (*wanted > *first) inner_.insert(out[at].value());
    return true;
  }

  [[noreturn]] static void refuse(const Node& node, const char* why) {
    throw Error(std::string("takes no other batch: ") + why).node(display_name(node));
  }

  static void put(Node& node, Ints shape) {
    Graph& scope = node.graph();
    Value& value = scope.add_initializer(Tensor::list(shape), node.input(1)->name());
    Value& old = *node.input(1);
    if (!scope.set_input(node, 1, &value)) throw Error("would close a cycle").node(display_name(node));
    if (!old.is_used() && old.producer() == nullptr && !old.is_graph_input()) old.graph().erase(old);
  }

  void write(const ReshapeChange& change, std::int64_t batch) {
    Ints shape = change.shape;
    std::int64_t& entry = shape[change.place];
    if (batch >= 0) {
      entry = batch * change.factor;
    } else if (change.copies) {
      entry = 0;
    } else {
      for (const std::int64_t other : shape)
        if (other == -1) refuse(*change.node, "its shape cannot hold a multiple of a symbol beside -1");
      entry = -1;
    }
    put(*change.node, std::move(shape));
  }

  /// What is known of a value where inference with the new batch finds nothing.
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
    if (found == found_.end()) {  // nobody knows what it depends on
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
  Context& context_;
  std::vector<BatchAxis> inputs_;
  Retyping types_;
  std::unordered_map<const Value*, onnx::TypeProto> old_;
  std::unordered_map<const Value*, std::vector<std::int64_t>> found_;
  std::unordered_set<std::int64_t> numbers_;
  std::unordered_set<std::int64_t> inner_;  // extents that hold the batch, not as their outer factor
  std::vector<ReshapeChange> changes_;
  std::int64_t trial_ = 7919;
};

}  // namespace graft::inline v1::detail
