#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/schema.hpp>
#include <graft/testing/detail/token_reader.hpp>

namespace graft::inline v1::detail {

/// Reads attributes. The reader of graphs reads bodies.
class AttributeReader : protected TokenReader {
 public:
  AttributeReader(std::string_view whole, Operators operators)
      : TokenReader(whole), operators_(std::move(operators)) {}
  virtual ~AttributeReader() = default;

 protected:
  /// Reads NAME=VALUE for a node of that opset.
  void attribute(onnx::NodeProto& node, int opset) {
    if (peek().kind != Token::Kind::word) throw unexpected("the name of an attribute");
    const Token at = take();
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(at.text);
    expect("=");
    const schema::Operator* known = operators_.schema(node.domain(), node.op_type());
    if (known == nullptr) known = schema::find(node.domain(), node.op_type(), opset);
    const schema::Attribute* const fact = known ? known->attribute(at.text) : nullptr;
    if (known != nullptr && fact == nullptr)
      throw error(at, node.op_type() + " has no attribute '" + at.text + "' in opset " + std::to_string(opset));
    const auto wanted = fact ? static_cast<AttributeKind>(fact->type) : onnx::AttributeProto::UNDEFINED;
    if (accept("[")) {
      list("]", [&] { element(at, attribute); });
      settle_list(attribute, wanted);
    } else {
      single(at, attribute, wanted);
    }
    if (wanted != onnx::AttributeProto::UNDEFINED && attribute.type() != wanted) {
      throw error(at, "'" + at.text + "' of " + node.op_type() + " is " + std::string(to_string(wanted)) + ", not " +
                          std::string(to_string(attribute.type())));
    }
  }

 private:
  virtual void body(const std::string& attribute, onnx::GraphProto& graph) = 0;

  void refuse_any(const Token& at, const onnx::TensorProto& tensor) const {
    if (has_any_contents(tensor)) throw error(at, "the tensor of an attribute has contents, not _");
  }

  void single(const Token& at, onnx::AttributeProto& attribute, AttributeKind wanted) {
    if (const std::optional<Numeral> number = try_number()) {
      const bool is_int = number->whole && wanted != onnx::AttributeProto::FLOAT;
      attribute.set_type(is_int ? onnx::AttributeProto::INT : onnx::AttributeProto::FLOAT);
      if (is_int) attribute.set_i(number->integer);
      if (!is_int) attribute.set_f(static_cast<float>(number->value));
    } else if (peek().kind == Token::Kind::text) {
      attribute.set_type(onnx::AttributeProto::STRING);
      attribute.set_s(take().text);
    } else if (at_dtype() && !peek(1).is("[")) {
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(static_cast<std::int64_t>(dtype()));
    } else if (at_dtype()) {
      attribute.set_type(onnx::AttributeProto::TENSOR);
      *attribute.mutable_t() = tensor(at.text);
      refuse_any(at, attribute.t());
    } else if (peek().is("{")) {
      attribute.set_type(onnx::AttributeProto::GRAPH);
      body(at.text, *attribute.mutable_g());
    } else {
      throw unexpected("the value of an attribute");
    }
  }

  void element(const Token& at, onnx::AttributeProto& attribute) {
    if (const std::optional<Numeral> number = try_number()) {
      if (number->whole) attribute.add_ints(number->integer);
      attribute.add_floats(static_cast<float>(number->value));
    } else if (peek().kind == Token::Kind::text) {
      attribute.add_strings(take().text);
    } else if (at_dtype()) {
      *attribute.add_tensors() = tensor(at.text + std::to_string(attribute.tensors_size()));
      refuse_any(at, attribute.tensors(attribute.tensors_size() - 1));
    } else if (peek().is("{")) {
      body(at.text, *attribute.add_graphs());
    } else {
      throw unexpected("an element of a list");
    }
  }

  /// Each number is stored as both kinds; the last element shows which one is meant. For an empty list the schema
  /// decides.
  void settle_list(onnx::AttributeProto& attribute, AttributeKind wanted) {
    using A = onnx::AttributeProto;
    const int numbers = attribute.floats_size();
    const int others[] = {attribute.strings_size(), attribute.tensors_size(), attribute.graphs_size()};
    const int kinds = (numbers != 0) +
                      static_cast<int>(std::count_if(std::begin(others), std::end(others), [](int n) { return n; }));
    if (kinds > 1) throw unexpected("a list whose elements are of one kind");
    const bool ints = numbers != 0 ? attribute.ints_size() == numbers && wanted != A::FLOATS : true;
    if (kinds == 0) {
      attribute.set_type(wanted == A::UNDEFINED ? A::INTS : wanted);
    } else if (numbers == 0) {
      attribute.set_type(others[0] ? A::STRINGS : others[1] ? A::TENSORS : A::GRAPHS);
    } else {
      attribute.set_type(ints ? A::INTS : A::FLOATS);
    }
    if (ints) attribute.clear_floats();
    if (!ints) attribute.clear_ints();
  }

 private:
  Operators operators_;  // of the user
};

}  // namespace graft::inline v1::detail
