#include "graph/infer/told.hpp"

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <graft/graph/build.hpp>
#include <graft/graph/infer.hpp>

using namespace graft;

namespace {

/// The strings of the dims live as long as the program: a Dim looks at them.
Dim dim_of(std::string_view text) {
  if (text == "?") return {};
  if (text.find_first_not_of("0123456789") == std::string_view::npos) return Dim(std::stoll(std::string(text)));
  static std::vector<std::unique_ptr<std::string>> symbols;
  return Dim(std::string_view(*symbols.emplace_back(std::make_unique<std::string>(text))));
}

struct OneNode {
  OneNode(std::string_view op, std::initializer_list<Operand> operands, const Attributes& attributes,
          const Setting& setting)
      : build(setting.opset) {
    const OpName name = OpName::parse(op);
    if (!name.domain.empty()) build.import(name.domain, 1);
    std::vector<Value*> inputs;
    for (const Operand& operand : operands) {
      const std::string id = "i" + std::to_string(inputs.size());
      if (operand.constant) {
        inputs.push_back(&build.constant(operand.constant, id));
      } else if (operand.type.empty()) {
        inputs.push_back(nullptr);
      } else {
        inputs.push_back(&build.graph().add_input(id, type_of(operand.type)));
      }
    }
    node = &build.graph().insert(op, inputs, setting.outputs, attributes);
  }

  Builder build;
  Node* node;
};

std::string text(const Integer& integer) {
  return integer.known() ? std::to_string(integer.value()) : to_string(integer.dim());
}

}  // namespace

onnx::TypeProto type_of(std::string_view spelled) {
  if (spelled.starts_with("seq(")) {
    onnx::TypeProto type;
    *type.mutable_sequence_type()->mutable_elem_type() = type_of(spelled.substr(4, spelled.size() - 5));
    return type;
  }
  if (spelled.starts_with("optional(")) {
    onnx::TypeProto type;
    *type.mutable_optional_type()->mutable_elem_type() = type_of(spelled.substr(9, spelled.size() - 10));
    return type;
  }
  const std::size_t bracket = spelled.find('[');
  const DType dtype = dtype_named(spelled.substr(0, bracket));
  if (dtype == DType::undefined) throw std::logic_error("no dtype: " + std::string(spelled));
  if (bracket == std::string_view::npos) return tensor_type(dtype);
  std::vector<Dim> dims;
  std::string_view rest = spelled.substr(bracket + 1);
  rest.remove_suffix(1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    dims.push_back(dim_of(rest.substr(0, comma)));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return tensor_type(dtype, Shape(std::move(dims)));
}

std::string told(std::string_view op, std::initializer_list<Operand> inputs, const Attributes& attributes,
                 Setting setting) {
  OneNode one(op, inputs, attributes, setting);
  const Verdict verdict = infer_node(*one.node);
  if (!verdict) return "no: " + to_string(verdict.reason());
  std::string text;
  for (const Value& output : one.node->outputs()) {
    text += (text.empty() ? "" : " ") + (output.type() != nullptr ? to_string(*output.type()) : "?");
  }
  return text;
}

std::string contents(std::string_view op, std::initializer_list<Operand> inputs, const Attributes& attributes,
                     Setting setting) {
  OneNode one(op, inputs, attributes, setting);
  KnownContents known;
  const Contents* const found = known.contents(*one.node->output(setting.outputs - 1));
  if (found == nullptr) return "?";
  if (found->dims.empty()) return text(found->elements.at(0));
  std::string list = found->dims.size() == 1 ? "" : to_string(found->dims);
  std::string separator = "[";
  for (const Integer& element : found->elements) list += std::exchange(separator, ",") + text(element);
  return found->elements.empty() ? list + "[]" : list + "]";
}
