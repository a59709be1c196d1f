#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/op_id.hpp>
#include <graft/graph/shape.hpp>
#include <graft/testing/detail/attribute_reader.hpp>

namespace graft::inline v1::detail {

/// Reads the text form of a graph, which testing/text.hpp describes, into a ModelProto.
class GraphReader : private AttributeReader {
 public:
  GraphReader(std::string_view whole, const Operators& operators) : AttributeReader(whole, operators) {
    for (const Token& token : tokens()) taken_.insert(token.text);
  }

  onnx::ModelProto read() {
    model_.set_ir_version(8);
    import("", 17);
    onnx::GraphProto& graph = *model_.mutable_graph();
    graph.set_name("graph");
    scope(graph);
    if (!at_end()) throw unexpected("a statement");
    return std::move(model_);
  }

 private:
  struct Scope {
    onnx::GraphProto& graph;
    std::vector<std::string> names{};     // all names
    std::vector<std::string> computed{};  // the named outputs of nodes
    bool returned = false;
  };

  /// Reads statements up to the closing brace of a body or the end of the text.
  void scope(onnx::GraphProto& graph) {
    const Depth deeper(*this);
    Scope scope{graph};
    bool separated = true;
    while (!at_end() && !peek().is("}")) {
      if (accept(";")) {
        separated = true;
        continue;
      }
      if (!separated && !peek().first_of_line) throw unexpected("a new line or ';'");
      statement(scope);
      separated = false;
    }
    if (!scope.returned) {
      for (const std::string& name : scope.computed)
        if (!names_.at(name)) scope.graph.add_output()->set_name(name);
    }
    if (scope.graph.output().empty())
      throw unexpected("an output: there is no return, and every value is read by a node");
    for (const std::string& name : scope.names) names_.erase(name);
  }

  void statement(Scope& scope) {
    const bool keyword = !peek(1).is(":") && !peek(1).is("=") && !peek(1).is(",");
    if (keyword && (peek().is_word("opset") || peek().is_word("ir"))) return directive(scope);
    if (keyword && peek().is_word("return")) return outputs(scope);
    std::vector<Token> names;
    do {
      names.push_back(name());
    } while (accept(","));
    if (names.size() == 1 && accept(":")) return input(scope, names[0]);
    expect("=");
    if (at_dtype() && !peek(1).is("(")) {
      if (names.size() != 1) throw error(names[1], "a tensor has one name");
      define(scope, names[0]);
      tensor_named(scope, names[0].text);
      return;
    }
    nodes(scope, names);
  }

  void directive(Scope& scope) {
    const Token keyword = take();
    if (&scope.graph != &model_.graph() || !scope.graph.node().empty())
      throw error(keyword, "'" + keyword.text + "' belongs before all nodes");
    if (keyword.text == "ir") {
      model_.set_ir_version(integer());
      return;
    }
    const bool domain = peek().kind == Token::Kind::word;
    const std::string of = domain ? take().text : "";
    import(of, integer());
  }

  void outputs(Scope& scope) {
    const Token at = take();
    if (std::exchange(scope.returned, true)) throw error(at, "a graph returns once");
    do {
      scope.graph.add_output()->set_name(value_of(name()));
    } while (accept(","));
  }

  void input(Scope& scope, const Token& name) {
    define(scope, name);
    onnx::ValueInfoProto& info = *scope.graph.add_input();
    info.set_name(name.text);
    const Token& at = peek();
    *info.mutable_type() = type();
    if (!accept("=")) return;
    const std::optional<Dims> dims = Shape(info.type()).dims();
    if (!dims) throw error(at, "an input with a default needs a dtype and dims that are numbers, as f32[2,3]");
    onnx::TensorProto& tensor = *scope.graph.add_initializer();
    tensor = contents(elem_type(info.type()), *dims, name.text);
    tensor.set_name(name.text);
  }

  void tensor_named(Scope& scope, const std::string& name) {
    onnx::TensorProto proto = tensor(name);
    proto.set_name(name);
    *scope.graph.add_initializer() = std::move(proto);
  }

  void nodes(Scope& scope, const std::vector<Token>& names) {
    onnx::NodeProto node = call(scope);
    for (const Token& output : names) {
      const bool omitted = output.is_word("_");
      if (!omitted) define(scope, output);
      node.add_output(omitted ? "" : output.text);
      if (omitted) continue;
      scope.computed.push_back(output.text);
      if (node.name().empty()) node.set_name(output.text);
    }
    if (accept(":")) types(scope, node);
    *scope.graph.add_node() = std::move(node);
  }

  /// f32[2], ?  the types of a node's outputs, in order.
  void types(Scope& scope, const onnx::NodeProto& node) {
    int i = 0;
    do {
      if (i == node.output_size()) throw unexpected("no more types than outputs");
      const std::string& output = node.output(i++);
      if (accept("?")) continue;
      onnx::ValueInfoProto& info = *scope.graph.add_value_info();
      info.set_name(output);
      *info.mutable_type() = type();
    } while (accept(","));
  }

  /// Op(arguments) {attributes}, without outputs. Nodes of nested calls are added first.
  onnx::NodeProto call(Scope& scope) {
    const Depth deeper(*this);
    if (peek().kind != Token::Kind::word) throw unexpected("an operator");
    onnx::NodeProto node;
    const Token at = take();
    node.set_op_type(at.text);
    if (accept("::")) {
      node.set_domain(std::string(canonical_domain(node.op_type())));
      if (peek().kind != Token::Kind::word) throw unexpected("an operator");
      node.set_op_type(take().text);
    }
    if (node.domain().empty() && schema::find("", node.op_type(), schema::newest_opset) == nullptr)
      throw error(at, "ONNX has no operator '" + node.op_type() + "'");
    if (!imports_.contains(node.domain())) import(node.domain(), 1);
    const auto opset = static_cast<int>(imports_.at(node.domain()));
    expect("(");
    list(")", [&] { node.add_input(argument(scope)); });
    if (accept("{")) list("}", [&] { attribute(node, opset); });
    return node;
  }

  std::string argument(Scope& scope) {
    if (peek().is_word("_")) {
      take();
      return "";
    }
    const bool is_call = peek().kind == Token::Kind::word && (peek(1).is("(") || peek(1).is("::"));
    if (is_call) {
      onnx::NodeProto node = call(scope);
      const std::string output = fresh(node.op_type());
      node.set_name(output);
      node.add_output(output);
      *scope.graph.add_node() = std::move(node);
      return output;
    }
    if (at_dtype()) {
      const std::string constant = fresh("constant");
      tensor_named(scope, constant);
      return constant;
    }
    return value_of(name());
  }

  void body(const std::string& attribute, onnx::GraphProto& graph) override {
    expect("{");
    graph.set_name(attribute);
    scope(graph);
    expect("}");
  }

  /// The name of a value, or _.
  Token name() {
    const Token::Kind kind = peek().kind;
    if (kind == Token::Kind::word || kind == Token::Kind::value || kind == Token::Kind::text) return take();
    throw unexpected("the name of a value");
  }

  void define(Scope& scope, const Token& name) {
    if (name.is_word("_")) throw error(name, "a value needs a name");
    if (!names_.try_emplace(name.text, false).second) {
      throw error(name, "there is a value '" + name.text + "' already");
    }
    scope.names.push_back(name.text);
  }

  std::string value_of(const Token& name) {
    const auto found = names_.find(name.text);
    if (found == names_.end()) throw error(name, "there is no value '" + name.text + "'");
    found->second = true;
    return name.text;
  }

  std::string fresh(const std::string& hint) {
    for (;;) {
      std::string name = hint + "_" + std::to_string(++counts_[hint]);
      if (taken_.insert(name).second) return name;
    }
  }

  void import(const std::string& domain, std::int64_t version) {
    imports_[std::string(canonical_domain(domain))] = version;
    for (onnx::OperatorSetIdProto& present : *model_.mutable_opset_import()) {
      if (present.domain() != canonical_domain(domain)) continue;
      present.set_version(version);
      return;
    }
    onnx::OperatorSetIdProto& added = *model_.add_opset_import();
    added.set_domain(std::string(canonical_domain(domain)));
    added.set_version(version);
  }

  onnx::ModelProto model_;
  std::unordered_map<std::string, std::int64_t> imports_;
  std::unordered_map<std::string, bool> names_;  // the visible names, and whether they have been read
  std::unordered_set<std::string> taken_;        // all names in the text; generated names must differ
  std::unordered_map<std::string, int> counts_;
};

}  // namespace graft::inline v1::detail
