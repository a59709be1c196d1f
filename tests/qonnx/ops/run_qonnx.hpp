#pragma once
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/build.hpp>
#include <graft/qonnx/ops/kernels.hpp>

/// The only output of a model of one node. The opset is that of the operator's domain; 0 leaves the domain out of the
/// imports.
inline graft::Tensor run_qonnx(std::string_view op, const std::vector<graft::Tensor>& inputs,
                               const graft::Attributes& attributes = {}, int opset = 1) {
  using namespace graft;
  Builder builder(13);
  builder.import(OpName::parse(op).domain, 1);
  std::vector<Value*> values;
  Feeds feeds;
  for (const Tensor& input : inputs) {
    const std::string name = "x" + std::to_string(values.size());
    values.push_back(&builder.input(name, input.dtype(), std::vector<Dim>(input.dims().begin(), input.dims().end())));
    feeds.emplace_back(name, input);
  }
  Node& node = builder.graph().insert(op, values, 1, attributes, nullptr, "the node");
  builder.output(*node.output(0), "y");
  onnx::ModelProto proto = builder.build().proto();
  for (auto& import : *proto.mutable_opset_import())
    if (import.domain() == OpName::parse(op).domain) import.set_version(opset);
  if (opset == 0) proto.mutable_opset_import()->RemoveLast();
  const Model model{std::move(proto)};
  return Evaluator(model.graph(), qonnx::kernels()).run(feeds).front();
}

/// What run_qonnx() throws, or "" if nothing.
inline std::string qonnx_failure(std::string_view op, const std::vector<graft::Tensor>& inputs,
                                 const graft::Attributes& attributes = {}, int opset = 1) {
  try {
    run_qonnx(op, inputs, attributes, opset);
  } catch (const graft::Error& error) {
    return error.what();
  }
  return "";
}

/// f32 of rank 1.
inline graft::Tensor vector_of(const std::vector<float>& values) {
  return graft::Tensor::of({static_cast<std::int64_t>(values.size())}, values);
}
inline graft::Tensor number(float value) { return graft::Tensor::scalar(value); }

/// The elements, all NaN as one and -0 as 0: so that == compares them.
inline std::vector<float> numbers(const graft::Tensor& tensor) {
  std::vector<float> values = tensor.to<float>();
  for (float& value : values) value = std::isnan(value) ? 12345.0F : value + 0.0F;
  return values;
}
/// As numbers() has it.
constexpr float nan_here = 12345.0F;
