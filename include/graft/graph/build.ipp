#pragma once
#include <graft/graph/build.hpp>

#include <string>

#include <graft/config.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Value& Builder::constant(Tensor tensor, std::string_view name) {
  onnx::TensorProto proto;
  write_tensor(std::move(tensor), proto);
  proto.set_name(std::string(name));
  return graph().add_initializer(std::move(proto));
}

GRAFT_INLINE Node& Builder::node(std::string_view op, std::initializer_list<Value*> inputs, std::size_t outputs,
                                 const Attributes& attributes) {
  for (const Value* const input : inputs)
    if (input != nullptr) check_own(*input);
  return graph().insert(op, inputs, outputs, attributes);
}

GRAFT_INLINE void Builder::output(Value& value, std::string_view name) {
  check_own(value);
  if (!name.empty()) graph().rename(value, name);
  graph().add_output(value);
}

GRAFT_INLINE Model Builder::build() {
  infer_shapes(graph(), {.name_unknown = false});
  for (Value* const output : graph().outputs())
    if (output->type() != nullptr) graph().declare_type(*output, *output->type());
  model_->commit();
  Model built = std::move(*model_);
  model_.reset();
  return built;
}

GRAFT_INLINE onnx::ModelProto Builder::empty(int opset, std::string_view name) {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.mutable_graph()->set_name(std::string(name));
  proto.add_opset_import()->set_version(opset);
  return proto;
}

GRAFT_INLINE Model& Builder::model() {
  if (!model_) throw Error("the builder has already built its model");
  return *model_;
}

}  // namespace graft::inline v1
