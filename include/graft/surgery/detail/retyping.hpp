#pragma once
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/problem.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verify.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/declared_types.hpp>

namespace graft::inline v1::detail {

/// Infers the types of a graph and its bodies again after a surgery that changes shapes. Create it before the surgery,
/// run it after. Types that cannot be inferred stay, or become what adjust() returns. Declared types stay declared.
class Retyping {
 public:
  explicit Retyping(Graph& graph) : graph_(graph) {
    infer_shapes(graph, {.name_unknown = false});
    for (const Problem& problem : verify(graph.model())) problems_.insert(problem.text);
    note();
  }

  /// Forgets the shapes.
  void strip() const {
    for (const Old& old : old_) {
      if (!stands(old)) continue;
      onnx::TypeProto type = *old.value->type();
      type.mutable_tensor_type()->clear_shape();
      old.value->graph().set_type(*old.value, type);
    }
  }

  /// The values with their previous types.
  template <class F>
  void for_each(F&& f) const {
    for (const Old& old : old_)
      if (stands(old)) f(*old.value, old.type);
  }

  /// The first new fault of the model; "" if there is none.
  std::string run(const std::function<void(const Value&, onnx::TypeProto&)>& adjust = {}) {
    note();
    strip();
    infer_shapes(graph_, {.name_unknown = false, .refresh = true});
    for (const Old& old : old_) {
      if (!stands(old)) continue;
      onnx::TypeProto before = old.type;
      if (adjust) adjust(*old.value, before);
      const onnx::TypeProto type = merged(*old.value, before);
      if (old.is_declared || old.value->is_graph_output() || old.value->is_graph_input()) {
        old.value->graph().declare_type(*old.value, type);
      } else {
        old.value->graph().set_type(*old.value, type);
      }
    }
    return new_problem();
  }

  std::string new_problem() const {
    for (const Problem& problem : verify(graph_.model()))
      if (problems_.count(problem.text) == 0) return to_string(problem);
    return "";
  }

 private:
  struct Old {
    Value* value;
    onnx::TypeProto type;
    bool is_declared;
  };

  /// Stores the types of values that it has not seen before.
  void note() {
    for (Graph* const scope : with_bodies(graph_)) {
      const Declared declared(*scope);
      const auto add = [&](Value& value) {
        if (value.type() == nullptr || !value.type()->has_tensor_type() || value.name().empty()) return;
        if (noted_.insert(&value).second) old_.push_back({&value, *value.type(), declared.holds(value)});
      };
      for (Value* const input : scope->inputs())
        if (scope != &graph_) add(*input);
      for (Node& node : scope->nodes())
        for (Value& output : node.outputs()) add(output);
    }
  }

  static bool stands(const Old& old) {
    return !old.value->erased() && old.value->graph().reachable() && old.value->type() != nullptr &&
           old.value->type()->has_tensor_type();
  }

  /// The inferred type, completed by the previous one.
  static onnx::TypeProto merged(const Value& value, const onnx::TypeProto& old) {
    const Shape now = value.shape(), before(old);
    if (!now.known()) return before.known() ? tensor_type(value.dtype(), before) : *value.type();
    std::vector<Dim> dims;
    for (std::size_t axis = 0; axis < now.rank(); ++axis) {
      const bool is_known = now[axis].known() || now[axis].symbolic() || before.rank() != now.rank();
      dims.push_back(is_known ? now[axis] : before[axis]);
    }
    return tensor_type(value.dtype(), Shape(std::move(dims)));
  }

  Graph& graph_;
  std::vector<Old> old_;
  std::unordered_set<const Value*> noted_;
  std::unordered_set<std::string> problems_;
};

}  // namespace graft::inline v1::detail
