#pragma once
#include <cstdint>
#include <ostream>
#include <string>

#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

namespace detail {

std::string number(double value);
std::string number(float value);
inline std::string number(std::int64_t value) { return std::to_string(value); }

std::string type_text(const Value& value);

}  // namespace detail

/// "%name"; "_" for nullptr.
inline std::string to_string(const Value* value) { return value ? "%" + std::string(value->name()) : "_"; }

/// "%x : f32[1,3]", with the known part of the type.
std::string to_string(const Value& value);

/// "f32[2] [1,2]", cut after a few elements. Complex and empty tensors show no contents.
std::string to_string(const Tensor& tensor);

/// "strides=[2,2]"
std::string to_string(const onnx::AttributeProto& attribute);

inline std::string to_string(const Attribute& attribute) { return to_string(attribute.proto()); }

/// "%y = Conv(%x, %w) {strides=[2,2]} : f32[1,32,112,112]"
std::string to_string(const Node& node);

/// One line for each input, initializer, node and output. A node's line ends with its name if that differs from the
/// name of its first output. Bodies are indented below their node.
std::string to_string(const Graph& graph);

/// The versions of the model, its graph and its local functions.
std::string to_string(const Model& model);

inline std::ostream& operator<<(std::ostream& out, const Value& value) { return out << to_string(value); }
inline std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << to_string(tensor); }
inline std::ostream& operator<<(std::ostream& out, const Attribute& attribute) { return out << to_string(attribute); }
inline std::ostream& operator<<(std::ostream& out, const Node& node) { return out << to_string(node); }
inline std::ostream& operator<<(std::ostream& out, const Graph& graph) { return out << to_string(graph); }
inline std::ostream& operator<<(std::ostream& out, const Model& model) { return out << to_string(model); }

}  // namespace graft::inline v1
