#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

/// An attribute for a node, made of a name and a value: {"axis", 1}, {"pads", {0, 0, 1, 1}}, {"mode", "constant"}. An
/// empty list needs its type: {"axes", Ints{}}.
class Attribute {
 public:
  template <std::integral T>
  Attribute(std::string_view name, T value) : Attribute(name, onnx::AttributeProto::INT) {
    proto_.set_i(static_cast<std::int64_t>(value));
  }
  template <std::floating_point T>
  Attribute(std::string_view name, T value) : Attribute(name, onnx::AttributeProto::FLOAT) {
    proto_.set_f(static_cast<float>(value));
  }
  /// A dtype as an int, as in the `to` of Cast.
  Attribute(std::string_view name, DType value) : Attribute(name, static_cast<std::int32_t>(value)) {}
  Attribute(std::string_view name, std::string_view value) : Attribute(name, onnx::AttributeProto::STRING) {
    proto_.set_s(std::string(value));
  }
  Attribute(std::string_view name, const char* value) : Attribute(name, std::string_view(value)) {}
  Attribute(std::string_view name, const std::string& value) : Attribute(name, std::string_view(value)) {}

  Attribute(std::string_view name, std::span<const std::int64_t> values) : Attribute(name, onnx::AttributeProto::INTS) {
    proto_.mutable_ints()->Add(values.begin(), values.end());
  }
  Attribute(std::string_view name, const Ints& values) : Attribute(name, std::span<const std::int64_t>(values)) {}
  Attribute(std::string_view name, std::span<const float> values) : Attribute(name, onnx::AttributeProto::FLOATS) {
    proto_.mutable_floats()->Add(values.begin(), values.end());
  }
  Attribute(std::string_view name, const Floats& values) : Attribute(name, std::span<const float>(values)) {}
  Attribute(std::string_view name, const std::vector<std::string>& values);
  template <class T>
  Attribute(std::string_view name, std::initializer_list<T> values) : Attribute(name, list_from(values)) {}

  Attribute(std::string_view name, Tensor value) : Attribute(name, onnx::AttributeProto::TENSOR) {
    write_tensor(std::move(value), *proto_.mutable_t());
  }
  Attribute(std::string_view name, onnx::TensorProto value) : Attribute(name, onnx::AttributeProto::TENSOR) {
    *proto_.mutable_t() = std::move(value);
  }
  Attribute(std::string_view name, onnx::GraphProto value) : Attribute(name, onnx::AttributeProto::GRAPH) {
    *proto_.mutable_g() = std::move(value);
  }
  Attribute(std::string_view name, onnx::AttributeProto value) : Attribute(std::move(value)) {
    proto_.set_name(std::string(name));
  }
  explicit Attribute(onnx::AttributeProto value) : proto_(std::move(value)) {}

  const std::string& name() const { return proto_.name(); }
  const onnx::AttributeProto& proto() const& { return proto_; }
  onnx::AttributeProto&& proto() && { return std::move(proto_); }

 private:
  Attribute(std::string_view name, onnx::AttributeProto::AttributeType type);
  template <class T>
  static auto list_from(std::initializer_list<T> values) {
    if constexpr (std::integral<T>) {
      return Ints(values.begin(), values.end());
    } else if constexpr (std::floating_point<T>) {
      Floats list;
      for (const T value : values) list.push_back(static_cast<float>(value));
      return list;
    } else {
      return std::vector<std::string>(values.begin(), values.end());
    }
  }

  onnx::AttributeProto proto_;
};

using Attributes = std::vector<Attribute>;

}  // namespace graft::inline v1
