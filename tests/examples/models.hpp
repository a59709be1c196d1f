#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include <graft/graph/build.hpp>
#include <graft/graph/tensor_proto.hpp>

#include "support/folder.hpp"

/// x f32[1,3,4,4] -> Conv 'conv' (w, b) -> Relu 'relu' -> y
inline onnx::ModelProto conv_relu() {
  using namespace graft;
  Builder b(13);
  Value& x = b.input("x", DType::f32, {1, 3, 4, 4});
  Value& w = b.constant(Tensor::of<float>({2, 3, 1, 1}, {1, -2, 3, 0.5f, 0.25f, -1}), "w");
  Value& bias = b.constant(Tensor::of<float>({2}, {0.5f, -0.25f}), "b");
  Value& c = b.op("Conv", {&x, &w, &bias});
  b.graph().rename(*c.producer(), "conv");
  Value& y = b.op("Relu", {&c});
  b.graph().rename(c, "c");
  b.graph().rename(*y.producer(), "relu");
  b.output(y, "y");
  return b.build().commit();
}

inline void write_tensor_file(const std::filesystem::path& path, graft::Tensor tensor) {
  onnx::TensorProto proto;
  graft::write_tensor(std::move(tensor), proto);
  write_file(path, proto.SerializeAsString());
}

/// What x takes: -1.5 to 3.2, or all of one value.
inline graft::Tensor ramp(graft::Dims dims = {1, 3, 4, 4}) {
  graft::Tensor tensor(graft::DType::f32, std::move(dims));
  float value = -1.5f;
  for (float& element : tensor.mutable_data<float>()) element = value, value += 0.1f;
  return tensor;
}
inline graft::Tensor filled(float value, graft::Dims dims = {1, 3, 4, 4}) {
  graft::Tensor tensor(graft::DType::f32, std::move(dims));
  for (float& element : tensor.mutable_data<float>()) element = value;
  return tensor;
}
