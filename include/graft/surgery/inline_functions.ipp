#pragma once
#include <graft/surgery/inline_functions.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/raise_nodes.hpp>
#include <graft/surgery/detail/remove_with_imports.hpp>
#include <graft/surgery/raise_opset.hpp>

namespace graft::inline v1 {
namespace detail {

// A local function for one call (ONNX IR, Functions). Attributes by reference have the call's value, else the
// function's default, else they are absent. Inputs that the call omits are absent.

class FunctionCall {
 public:
  FunctionCall(const Node& call, const Graph& function)
      : call_(call),
        function_(*function.function_proto()),
        payload_(payload_of(call)),
        defaults_(attribute_protos_of(function_)) {
    for (std::size_t i = 0; i < function.inputs().size(); ++i)
      if (i >= call.input_count() || call.input(i) == nullptr) absent_.insert(function.inputs()[i]->name());
  }

  /// The body as a model, in the caller's version of the main domain. Absent inputs are unused inputs of it. Throws
  /// Error if a node cannot be raised.
  Model body() const {
    onnx::ModelProto proto;
    proto.set_ir_version(10);
    *proto.mutable_opset_import() = function_.opset_import();
    onnx::GraphProto& graph = *proto.mutable_graph();
    for (int i = 0; i < function_.input_size(); ++i) {
      onnx::ValueInfoProto& info = *graph.add_input();
      info.set_name(function_.input(i));
      if (absent_.count(info.name()) != 0) continue;
      const Value& given = *call_.input(static_cast<std::size_t>(i));
      if (given.type() != nullptr) *info.mutable_type() = *given.type();
    }
    for (const std::string& name : function_.output()) graph.add_output()->set_name(name);
    *graph.mutable_node() = function_.node();
    for (onnx::NodeProto& node : *graph.mutable_node()) specialize(node);
    Model model(std::move(proto));
    model.add_operators(call_.graph().model().operators());
    const int opset = call_.graph().opset();
    if (model.opset() != 0 && model.opset() < opset) {
      infer_shapes(model.graph());
      raise_opset(model, opset);
    }
    return model;
  }

 private:
  void specialize(onnx::NodeProto& node) const {
    for (std::string& name : *node.mutable_input())
      if (absent_.count(name) != 0) name.clear();
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size() - 1; i >= 0; --i) {
      if (is_reference(attributes[i]) && !resolve(attributes[i])) {
        attributes.DeleteSubrange(i, 1);
        continue;
      }
      if (attributes[i].has_g()) specialize(*attributes[i].mutable_g());
      for (onnx::GraphProto& graph : *attributes[i].mutable_graphs()) specialize(graph);
    }
  }
  void specialize(onnx::GraphProto& graph) const {
    for (onnx::NodeProto& node : *graph.mutable_node()) specialize(node);
  }

  /// False if the attribute has neither a value in the call nor a default.
  bool resolve(onnx::AttributeProto& attribute) const {
    const std::string name = attribute.name(), wanted = attribute.ref_attr_name();
    const auto take = [&](const auto& candidates) {
      for (const onnx::AttributeProto& candidate : candidates) {
        if (candidate.name() != wanted) continue;
        attribute = candidate;
        attribute.set_name(name);
        return true;
      }
      return false;
    };
    return take(payload_.attribute()) || take(defaults_);
  }

  const Node& call_;
  const onnx::FunctionProto& function_;
  onnx::NodeProto payload_;
  std::vector<onnx::AttributeProto> defaults_;
  std::unordered_set<std::string_view> absent_;
};

GRAFT_INLINE FunctionInliner::FunctionInliner(Model& model, std::size_t max_nodes)
    : model_(model),
      max_nodes_(max_nodes),
      functions_(model),
      chosen_(model.functions().begin(), model.functions().end()) {}

GRAFT_INLINE FunctionInliner::FunctionInliner(Model& model, std::unordered_set<const Graph*> chosen)
    : FunctionInliner(model) {
  chosen_ = std::move(chosen);
}

GRAFT_INLINE std::size_t FunctionInliner::run() {
  const auto refuse_too_many = [this](std::size_t nodes) {
    if (nodes > max_nodes_) throw Error("inlining its functions would make too many nodes").file(model_.file());
  };
  refuse_too_many(size_of(model_.graph()));
  agree_on_opsets();
  std::vector<Graph*> scopes{&model_.graph()};
  for (Graph* const function : model_.functions()) {
    if (chosen_.contains(function)) continue;
    refuse_too_many(size_of(*function));
    scopes.push_back(function);
  }
  std::size_t calls = 0;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (Node& node : scopes[i]->nodes()) {
      if (const Graph* const function = function_of(node)) {
        expand(node, *function);
        ++calls;
      } else {
        for (const Body& body : node.bodies()) scopes.push_back(body.graph);
      }
    }
  }
  return calls;
}

GRAFT_INLINE Graph* FunctionInliner::function_of(const Node& node) const {
  Graph* const function = functions_.called_by(node);
  return function != nullptr && chosen_.contains(function) ? function : nullptr;
}

GRAFT_INLINE std::size_t FunctionInliner::size_of(const Graph& root, std::size_t depth) {
  std::size_t size = 0;
  std::vector<const Graph*> scopes{&root};
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (const Node& node : scopes[i]->nodes()) {
      size += depth == 0 ? 0 : 1;
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
      const Graph* const function = function_of(node);
      if (function == nullptr) continue;
      const auto [known, is_new] = sizes_.try_emplace(function, being_counted);
      if (is_new) {
        if (depth == deepest) throw Error("functions call each other too deep").file(model_.file());
        const std::size_t inside = size_of(*function, depth + 1);
        sizes_[function] = inside;
        size += inside;
      } else if (known->second == being_counted) {
        throw Error("calls itself").field("function '" + std::string(function->name()) + "'").file(model_.file());
      } else {
        size += known->second;
      }
      size = std::min(size, max_nodes_ + 1);
    }
  }
  return size;
}

GRAFT_INLINE void FunctionInliner::agree_on_opsets() {
  std::vector<const Graph*> called;
  for (const Graph* const function : model_.functions())
    if (sizes_.contains(function)) called.push_back(function);
  int newest = 0;
  for (const Graph* const function : called) newest = std::max(newest, function->opset());
  if (model_.opset() < newest) {
    infer_shapes(model_.graph());
    raise_main_graph(model_, newest);  // functions stay: calls raise them with known types
  }
  for (const bool is_unread : {false, true})  // a domain with operators gets their version
    for (const Graph* const function : called) agree_on_domains(*function, is_unread);
}

GRAFT_INLINE void FunctionInliner::agree_on_domains(const Graph& function, bool is_unread) {
  for (const onnx::OperatorSetIdProto& import : function.function_proto()->opset_import()) {
    const auto version = static_cast<int>(import.version());
    const std::string& domain = import.domain();
    if (canonical_domain(domain).empty() || model_.opset(domain) == version) continue;
    const bool is_new = model_.opset(domain) == 0, is_read = is_read_otherwise(function, domain);
    if (is_new && (is_read || is_unread)) model_.set_opset(version, domain);
    if (!is_new && is_read)
      throw Error("imports another version than the model")
          .field("opset_import '" + domain + "' of function '" + std::string(function.name()) + "'")
          .file(model_.file());
  }
}

GRAFT_INLINE bool FunctionInliner::is_read_otherwise(const Graph& function, const std::string& domain) const {
  std::vector<const Graph*> scopes{&function};
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (const Node& node : scopes[i]->nodes()) {
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
      if (node.domain() != domain || function_of(node) != nullptr) continue;
      const schema::Operator* const there = node.schema();
      if (there == nullptr || there != model_.find_schema(domain, node.op_type(), model_.opset(domain))) return true;
    }
  }
  return false;
}

GRAFT_INLINE void FunctionInliner::expand(Node& call, const Graph& function) {
  if (call.input_count() > function.inputs().size() || call.output_count() > function.output_count())
    throw refusal(call, "has more inputs or outputs than its function");
  const Model source = FunctionCall(call, function).body();
  Graph& scope = call.graph();
  name_inner_values(source, scope);
  Substitution substitution;
  Graph& inside = source.graph();
  for (std::size_t i = 0; i < inside.inputs().size(); ++i)
    substitution.emplace(inside.inputs()[i], i < call.input_count() ? call.input(i) : nullptr);
  Node* const end = call.next();
  copy_nodes(inside, scope, substitution,
             [&](onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs) -> Node& {
               return scope.insert(std::move(payload), inputs, outputs, end);
             });
  handed_out_.clear();
  for (std::size_t i = 0; i < call.output_count(); ++i)
    if (!call.output(i)->name().empty()) hand_over(call, i, substituted(inside.output(i), substitution), end);
  scope.erase(call);
}

GRAFT_INLINE void FunctionInliner::name_inner_values(const Model& source, Graph& scope) {
  for (Graph* const body : source.scopes()) {
    if (body->owner() == nullptr) continue;
    const auto rename = [&](Value& value) {
      if (!value.name().empty()) body->rename(value, scope.fresh_name(value.name()));
    };
    for (Value* const input : body->inputs()) rename(*input);
    for (Value* const value : body->initializers())
      if (!value->is_graph_input()) rename(*value);
    for (Node& node : body->nodes()) {
      if (!node.name().empty()) body->rename(node, scope.fresh_name(node.name()));
      for (Value& output : node.outputs()) rename(output);
    }
  }
}

GRAFT_INLINE void FunctionInliner::hand_over(Node& call, std::size_t i, Value* result, Node* end) {
  Graph& scope = call.graph();
  Value& old = *call.output(i);
  if (result == nullptr) throw refusal(call, "returns an absent input");
  const Node* const producer = result->producer();
  const bool is_inside = producer != nullptr && &result->graph() == &scope && call.before(*producer) &&
                         (end == nullptr || producer->before(*end));
  if (!is_inside || !handed_out_.insert(result).second)
    result = scope.insert("Identity", {result}, 1, {}, end).output(0);
  if (!scope.replace_uses(old, *result)) throw refusal(call, "would close a cycle");
  if (old.type() != nullptr) scope.set_type(*result, *old.type());
  hand_over_outputs(old, *result);
}

}  // namespace detail

GRAFT_INLINE Pass inline_functions() {
  return pass("inline_functions",
              [](Graph& graph, Context&) {
                Report report;
                Model& model = graph.model();
                if (model.functions().empty()) return report;
                Transaction transaction(graph);
                report.changes = detail::FunctionInliner(model).run();
                if (model.proto().training_info_size() == 0) {  // it may call them
                  report.changes += model.functions().size();
                  detail::remove_with_imports(model, model.functions());
                }
                transaction.keep();
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
