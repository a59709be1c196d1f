#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/attribute.hpp>
#include <graft/graph/tensor.hpp>

/// An input of a node in a test: a graph input of a type ("f32[2,N,?]", "f32", "seq(f32[2])"), a constant, or absent
/// ("").
struct Operand {
  Operand(const char* spelled_type) : type(spelled_type) {}
  /// A list of i64.
  Operand(std::initializer_list<std::int64_t> values)
      : constant(graft::Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values)) {}
  Operand(graft::Tensor tensor) : constant(std::move(tensor)) {}

  std::string type;
  graft::Tensor constant;
};

inline Operand scalar(std::int64_t value) { return graft::Tensor::scalar(value); }
inline Operand floats(std::initializer_list<float> values) {
  return graft::Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

struct Setting {
  int opset = 21;
  std::size_t outputs = 1;
};

/// What inference tells of the outputs of one node, op or domain::op: "f32[2,N]", for several "f32[2,N] i64[2]", "?"
/// for nothing. "no: ..." if the inputs do not fit.
std::string told(std::string_view op, std::initializer_list<Operand> inputs, const graft::Attributes& attributes = {},
                 Setting setting = {});

/// The known contents of the node's last output: "[2,N,?]", "7" for a scalar, "[2,2][1,2,3,4]" for other
/// ranks; "?" for nothing.
std::string contents(std::string_view op, std::initializer_list<Operand> inputs,
                     const graft::Attributes& attributes = {}, Setting setting = {});

/// The type that is spelled like to_string() prints it.
onnx::TypeProto type_of(std::string_view spelled);
