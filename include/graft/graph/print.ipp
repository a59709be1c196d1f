#pragma once
#include <graft/graph/print.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

GRAFT_INLINE std::string number(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

/// "[1,2,3]", cut after a few elements.
std::string list(const auto& values, std::size_t most = 16) {
  std::string text = "[";
  std::size_t count = 0;
  for (const auto& value : values) {
    if (count != 0) text += ",";
    if (count++ == most) return text + "...]";
    text += number(value);
  }
  return text + "]";
}

GRAFT_INLINE std::string type_text(const Value& value) {
  if (value.type() != nullptr) return to_string(*value.type());
  if (value.initializer() == nullptr) return "";
  return std::string(to_string(value.dtype())) + to_string(value.shape());
}

}  // namespace detail

GRAFT_INLINE std::string to_string(const Value& value) {
  const std::string type = detail::type_text(value);
  return to_string(&value) + (type.empty() ? "" : " : " + type);
}

GRAFT_INLINE std::string to_string(const Tensor& tensor) {
  std::string text(to_string(tensor.dtype()));
  if (!tensor) return text;
  text += to_string(Shape(std::span<const std::int64_t>(tensor.dims())));
  if (tensor.size() == 0 || is_complex(tensor.dtype())) return text;
  constexpr std::int64_t most = 17;  // one more than shown
  const Tensor first = Tensor::borrow(tensor.dtype(), {std::min(tensor.size(), most)}, tensor.bytes().data());
  if (tensor.dtype() == DType::f64) return text + " " + detail::list(first.to<double>());
  if (is_float(tensor.dtype())) return text + " " + detail::list(first.to<float>());
  return text + " " + detail::list(first.to<std::int64_t>());
}

GRAFT_INLINE std::string to_string(const onnx::AttributeProto& attribute) {
  std::string text = attribute.name() + "=";
  if (is_reference(attribute)) return text + "@" + attribute.ref_attr_name();
  switch (kind(attribute)) {
    case onnx::AttributeProto::FLOAT: return text + detail::number(attribute.f());
    case onnx::AttributeProto::INT: return text + std::to_string(attribute.i());
    case onnx::AttributeProto::STRING: return text + '"' + attribute.s() + '"';
    case onnx::AttributeProto::INTS: return text + detail::list(attribute.ints());
    case onnx::AttributeProto::FLOATS: return text + detail::list(attribute.floats());
    case onnx::AttributeProto::TENSOR: {
      const onnx::TensorProto& tensor = attribute.t();
      return text + std::string(to_string(static_cast<DType>(tensor.data_type()))) + to_string(Shape(tensor));
    }
    case onnx::AttributeProto::GRAPH: return text + "graph " + attribute.g().name();
    default: return text + "...";
  }
}

GRAFT_INLINE std::string to_string(const Node& node) {
  std::string text;
  for (const Value& output : node.outputs()) text += (text.empty() ? "" : ", ") + to_string(&output);
  text += " = ";
  if (!node.domain().empty()) text += std::string(node.domain()) + "::";
  text += std::string(node.op_type()) + "(";
  bool first = true;
  for (const Value* const input : node.inputs()) {
    text += (std::exchange(first, false) ? "" : ", ") + to_string(input);
  }
  text += ")";
  if (node.proto().attribute_size() > 0) {
    first = true;
    text += " {";
    for (const onnx::AttributeProto& attribute : node.proto().attribute())
      text += (std::exchange(first, false) ? "" : ", ") + to_string(attribute);
    text += "}";
  }
  std::string types;
  for (const Value& output : node.outputs()) {
    const std::string type = detail::type_text(output);
    types += (types.empty() ? "" : ", ") + (type.empty() ? "?" : type);
  }
  return types.find_first_not_of("?, ") == std::string::npos ? text : text + " : " + types;
}

namespace detail {

/// The comment "  # name" behind a node whose name differs from its first output.
inline std::string name_comment(const Node& node) {
  const bool is_told = node.output_count() != 0 && node.output(0)->name() == node.name();
  return node.name().empty() || is_told ? "" : "  # " + std::string(node.name());
}

}  // namespace detail

GRAFT_INLINE std::string to_string(const Graph& graph) {
  std::string text;
  struct Place {
    const Graph* graph;
    const Node* next;
    std::size_t body = 0;  // the next body of the node before `next`
  };
  std::vector<Place> open;
  const auto line = [&](const std::string& content) { text += std::string(2 * open.size() - 2, ' ') + content + "\n"; };
  const auto enter = [&](const Graph& scope, std::string_view label) {
    open.push_back({&scope, scope.first_node()});
    std::string head = std::string(label) + " " + std::string(scope.name()) + "(";
    bool first = true;
    for (const Value* const input : scope.inputs()) {
      const std::string type = detail::type_text(*input);
      head += (std::exchange(first, false) ? "" : ", ") + to_string(input) + (type.empty() ? "" : " : " + type);
    }
    line(head + ") {");
    for (const Value* const value : scope.initializers()) {
      const onnx::TensorProto& tensor = *value->initializer();
      line("  " + to_string(value) + " = initializer : " +
           std::string(to_string(static_cast<DType>(tensor.data_type()))) + to_string(Shape(tensor)));
    }
  };
  enter(graph, graph.is_function() ? "function" : "graph");
  while (!open.empty()) {
    Place& place = open.back();
    const Node* const done = place.next ? place.next->prev() : place.graph->last_node();
    if (done != nullptr && place.body < done->bodies().size()) {
      const Body& body = done->bodies()[place.body++];
      enter(*body.graph, body.attribute);
      continue;
    }
    if (place.next != nullptr) {
      line("  " + to_string(*place.next) + detail::name_comment(*place.next));
      place.next = place.next->next();
      place.body = 0;
      continue;
    }
    std::string result = "  return ";
    bool first = true;
    for (const Value* const output : place.graph->outputs())
      result += (std::exchange(first, false) ? "" : ", ") + to_string(output);
    line(result);
    line("}");
    open.pop_back();
  }
  return text;
}

GRAFT_INLINE std::string to_string(const Model& model) {
  std::string text = "model, IR version " + std::to_string(model.ir_version());
  for (const onnx::OperatorSetIdProto& import : model.proto().opset_import()) {
    const std::string_view domain = canonical_domain(import.domain());
    text += (domain.empty() ? ", opset " : ", " + std::string(domain) + " ") + std::to_string(model.opset(domain));
  }
  text += "\n" + to_string(model.graph());
  for (const Graph* const function : model.functions()) text += to_string(*function);
  return text;
}

}  // namespace graft::inline v1
