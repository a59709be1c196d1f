#pragma once
#include <graft/testing/detail/grow/growth.hpp>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/testing/detail/drop_unused.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

namespace graft::inline v1::detail {

/// A graph for a body, over some values of the outer graph, by their names. Its own names end in `suffix`.
class BodyGrower {
 public:
  BodyGrower(GraphGrower& around, std::string suffix)
      : around_(&around), suffix_(std::move(suffix)), model_(empty(around)) {}

  /// Grows the graph over these values. Throws Unfit if that fails.
  void grow(const std::vector<Value*>& read) {
    Vocabulary vocabulary = around_->vocabulary();
    vocabulary.bodies = false;
    GraphGrower grower(model_, vocabulary, static_cast<std::uint64_t>(around_->dice().between(0, 1 << 30)));
    for (const Value* const value : read) {
      grower.adopt_input(*value, around_->sample(*value), around_->is_exact(*value));
      outer_.emplace(value->name(), value->name());
    }
    const std::size_t given = read.size();
    detail::grow(grower, 2 + around_->dice().below(3));
    std::vector<Value*> made = grower.made();
    if (made.empty() || model_.graph().inputs().size() != given) throw Unfit();  // a body has no inputs of its own
    result_ = made.back();
    if (result_->type() == nullptr || result_->name().empty()) throw Unfit();
    model_.graph().add_output(*result_);
    drop_unused(model_.graph());
  }

  const Value& result() const { return *result_; }

  onnx::GraphProto body() {
    onnx::GraphProto proto = model_.commit().graph();
    proto.set_name("body" + suffix_);
    proto.clear_input();
    proto.clear_value_info();
    const auto rename = [&](std::string* name) {
      if (!name->empty() && outer_.count(*name) == 0) *name += suffix_;
    };
    for (onnx::NodeProto& node : *proto.mutable_node()) {
      if (around_->opset(node.domain()) == 0) around_->graph().model().set_opset(1, node.domain());
      for (std::string& name : *node.mutable_input()) rename(&name);
      for (std::string& name : *node.mutable_output()) rename(&name);
      if (!node.name().empty()) node.set_name(node.name() + suffix_);
    }
    for (onnx::TensorProto& tensor : *proto.mutable_initializer()) rename(tensor.mutable_name());
    for (onnx::ValueInfoProto& output : *proto.mutable_output()) rename(output.mutable_name());
    return proto;
  }

 private:
  static Model empty(const GraphGrower& around) {
    onnx::ModelProto proto;
    proto.set_ir_version(8);
    proto.mutable_graph()->set_name("body");
    for (const char* const domain : {"", "com.microsoft"}) {
      const int version = around.opset(domain);
      if (version == 0) continue;
      onnx::OperatorSetIdProto& import = *proto.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
    }
    return Model(std::move(proto));
  }

  GraphGrower* around_;
  std::string suffix_;
  Model model_;
  std::unordered_map<std::string, std::string> outer_;
  Value* result_ = nullptr;
};

/// The body with another node behind its output that keeps its type.
inline onnx::GraphProto other_branch(onnx::GraphProto body, bool is_number) {
  onnx::NodeProto& last = *body.add_node();
  const std::string name = body.output(0).name();
  last.set_op_type(is_number ? "Neg" : "Identity");
  last.add_input(name);
  last.add_output(name + "_other");
  body.mutable_output(0)->set_name(name + "_other");
  return body;
}

inline onnx::ValueInfoProto formal(const std::string& name, const onnx::TypeProto& type) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  *info.mutable_type() = type;
  return info;
}

inline void append(onnx::GraphProto& body, const char* op, const std::string& input, const std::string& output) {
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type(op);
  node.add_input(input);
  node.add_output(output);
}

GRAFT_INLINE void add_control(GraphGrower& grower) {
  Dice& dice = grower.dice();
  const std::string suffix = "_" + grower.graph().fresh_name("in");
  std::vector<Value*> read{&grower.pick({.numeric = true})};
  if (Value& other = grower.pick({.numeric = true}); &other != read[0]) read.push_back(&other);
  for (const Value* const value : read)
    if (value->name().empty()) throw Unfit();
  BodyGrower inner(grower, suffix);
  inner.grow(read);
  onnx::GraphProto body = inner.body();
  const bool is_number = is_float(inner.result().dtype());
  if (dice.one_in(2)) {
    Value& condition = dice.one_in(2) ? grower.constant(Tensor::scalar(dice.one_in(2)))
                                      : grower.pick(Want{.max_rank = 0}.of(dtype_bit(DType::boolean)));
    onnx::GraphProto other = other_branch(body, is_number);
    for (onnx::NodeProto& node : *other.mutable_node()) {
      for (std::string& name : *node.mutable_input())
        if (name.find(suffix) != std::string::npos) name += "e";
      for (std::string& name : *node.mutable_output()) name += name.empty() ? "" : "e";
    }
    for (onnx::TensorProto& tensor : *other.mutable_initializer()) tensor.set_name(tensor.name() + "e");
    other.mutable_output(0)->set_name(other.output(0).name() + "e");
    Value* const inputs[] = {&condition};
    grower.add("If", inputs, 1, {{"then_branch", std::move(body)}, {"else_branch", std::move(other)}});
    return;
  }
  // Two rounds that pass a value along, and collect the outputs of the body.
  const std::string result = body.output(0).name();
  const onnx::TypeProto carried = *read[0]->type();
  body.mutable_input()->Clear();
  *body.add_input() = formal("i" + suffix, tensor_type(DType::i64, Shape(Dims{})));
  *body.add_input() = formal("go" + suffix, tensor_type(DType::boolean, Shape(Dims{})));
  *body.add_input() = formal("was" + suffix, carried);
  append(body, "Identity", "go" + suffix, "goes" + suffix);
  append(body, is_float(read[0]->dtype()) ? "Neg" : "Identity", "was" + suffix, "is" + suffix);
  onnx::ValueInfoProto collected = body.output(0);
  body.clear_output();
  *body.add_output() = formal("goes" + suffix, tensor_type(DType::boolean, Shape(Dims{})));
  *body.add_output() = formal("is" + suffix, carried);
  collected.set_name(result);
  *body.add_output() = std::move(collected);
  Value* const inputs[] = {&grower.constant(Tensor::scalar<std::int64_t>(2)), nullptr, read[0]};
  grower.add("Loop", inputs, 2, {{"body", std::move(body)}});
}

}  // namespace graft::inline v1::detail
