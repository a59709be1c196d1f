#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <graft/graph/onnx.hpp>

/// Models of any number of nodes, made without graft.
class SyntheticModel {
 public:
  /// A chain of Relu.
  static onnx::ModelProto chain(std::int64_t nodes) {
    SyntheticModel model;
    for (std::int64_t i = 0; i < nodes; ++i) model.node("Relu", {model.last_});
    return model.finish();
  }

  /// These operators of one operand in turn, over a matrix.
  static onnx::ModelProto repeated(std::int64_t nodes, const std::vector<std::string>& operators) {
    SyntheticModel model;
    for (std::size_t i = 0; i < static_cast<std::size_t>(nodes); ++i) {
      const std::string& op = operators[i % operators.size()];
      onnx::NodeProto& node = model.node(op.c_str(), {model.last_});
      if (op == "Transpose") ints(node, "perm", {1, 0});
    }
    onnx::ModelProto proto = model.finish();
    describe(*proto.mutable_graph()->mutable_input(0));
    describe(*proto.mutable_graph()->mutable_output(0));
    return proto;
  }

  /// Of ten nodes four are left, by six changes, once what undoes or repeats itself is gone.
  static onnx::ModelProto undone(std::int64_t nodes) {
    return repeated(nodes, {"Transpose", "Transpose", "Identity", "Relu", "Relu", "Relu", "Identity", "Neg", "Neg",
                            "Abs"});
  }

  /// The inverted residuals of MobileNetV2: Conv, Clip, depthwise Conv, Clip, Conv, Add, with weights of a few bytes.
  static onnx::ModelProto mobilenet(std::int64_t nodes) {
    SyntheticModel model;
    model.initializer("zero", {});
    model.initializer("six", {});
    while (model.proto_.graph().node_size() < nodes) {
      const std::string block = model.last_;
      model.clip(model.conv(1));
      model.clip(model.conv(32));
      model.conv(1);
      model.node("Add", {model.last_, block});
    }
    return model.finish();
  }

  /// `depth` nested Ifs, each in a branch of the one before, with a constant condition. Only the Neg in the innermost
  /// remains.
  static onnx::ModelProto nested_ifs(std::int64_t depth) {
    SyntheticModel model;
    onnx::GraphProto* scope = model.proto_.mutable_graph();
    onnx::TensorProto& condition = *scope->add_initializer();
    condition.set_name("condition");
    condition.set_data_type(onnx::TensorProto::BOOL);
    condition.set_raw_data("\1", 1);
    const auto node = [](onnx::GraphProto& to, const char* op, const std::string& input, const std::string& output) {
      onnx::NodeProto& added = *to.add_node();
      added.set_op_type(op);
      added.add_input(input);
      added.add_output(output);
      return &added;
    };
    const auto branch = [](onnx::NodeProto& of, const char* name, const std::string& output) {
      onnx::AttributeProto& attribute = *of.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::GRAPH);
      attribute.mutable_g()->add_output()->set_name(output);
      return attribute.mutable_g();
    };
    std::string output = "y";
    for (std::int64_t i = 0; i < depth; ++i) {
      onnx::NodeProto& made = *node(*scope, "If", "condition", output);
      const std::string other = "other." + std::to_string(i);
      node(*branch(made, "else_branch", other), "Abs", "x", other);
      output = "then." + std::to_string(i);
      scope = branch(made, "then_branch", output);
    }
    node(*scope, "Neg", "x", output);
    model.last_ = "y";
    return model.finish();
  }

 private:
  SyntheticModel() {
    proto_.set_ir_version(8);
    proto_.add_opset_import()->set_version(17);
    onnx::ValueInfoProto& input = *proto_.mutable_graph()->add_input();
    input.set_name("x");
    input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }

  onnx::NodeProto& node(const char* op, std::initializer_list<std::string> inputs) {
    onnx::NodeProto& node = *proto_.mutable_graph()->add_node();
    node.set_op_type(op);
    node.set_name(std::string(op) + "_" + std::to_string(proto_.graph().node_size()));
    for (const std::string& input : inputs) node.add_input(input);
    last_ = node.name() + "_output_0";
    node.add_output(last_);
    return node;
  }
  /// As a matrix.
  static void describe(onnx::ValueInfoProto& value) {
    onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : {4, 8}) type.mutable_shape()->add_dim()->set_dim_value(dim);
  }
  static void ints(onnx::NodeProto& node, const char* name, std::initializer_list<std::int64_t> values) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) attribute.add_ints(value);
  }
  void initializer(const std::string& name, std::initializer_list<std::int64_t> dims) {
    onnx::TensorProto& tensor = *proto_.mutable_graph()->add_initializer();
    tensor.set_name(name);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.set_raw_data("\0\0\200?", 4);
  }
  std::string conv(std::int64_t group) {
    const std::string stem = "layers." + std::to_string(proto_.graph().node_size());
    initializer(stem + ".weight", {1, 1, 1, 1});
    initializer(stem + ".bias", {1});
    onnx::NodeProto& conv = node("Conv", {last_, stem + ".weight", stem + ".bias"});
    ints(conv, "dilations", {1, 1});
    ints(conv, "kernel_shape", {3, 3});
    ints(conv, "pads", {1, 1, 1, 1});
    ints(conv, "strides", {1, 1});
    onnx::AttributeProto& attribute = *conv.add_attribute();
    attribute.set_name("group");
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(group);
    return last_;
  }
  void clip(const std::string& x) { node("Clip", {x, "zero", "six"}); }

  onnx::ModelProto finish() {
    proto_.mutable_graph()->add_output()->set_name(last_);
    return std::move(proto_);
  }

  onnx::ModelProto proto_;
  std::string last_ = "x";
};
