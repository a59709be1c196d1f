#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>

#include "../support/error_of.hpp"

using namespace graft;

namespace {

const InferFunction twice_as_long = [](InferContext& c) {
  c.set_shape(0, {Dim(2 * c.shape(0)[0].value())});
  return Verdict::yes();
};

OperatorSchema schema_of_op() {
  return {.inputs = {{"x", "T"}, {"axes", "I", schema::Option::optional}},
          .outputs = {{"y", "T"}},
          .defaults = {{"times", 2}, {"mode", "fast"}, {"axes", Ints{1, -1}}, {"alpha", 0.1}},
          .required = {{"kind", schema::AttributeType::string}},
          .optional = {{"weights", schema::AttributeType::floats}},
          .types = {{"T", {DType::f32, DType::f16}}, {"I", {DType::i64}}}};
}

/// A model of one node mine::Op.
Model model_of(const Operators& operators, const Attributes& attributes, DType dtype = DType::f32) {
  Builder b(17);
  b.import("mine", 1);
  b.add_operators(operators);
  b.output(b.op("mine::Op", {&b.input("x", dtype, {3})}, attributes), "y");
  return b.build();
}

std::vector<std::string> problems_of(Model& model) {
  std::vector<std::string> texts;
  for (const Problem& problem : verify(model)) texts.push_back(problem.text);
  return texts;
}

}  // namespace

TEST_CASE("an absent attribute has the default of a user's schema") {
  const Model model = model_of(Operators().add("mine::Op", {.schema = schema_of_op()}), {{"kind", "a"}});
  const Node& node = *model.graph().first_node();
  CHECK(node.attr<std::int64_t>("times") == 2);
  CHECK(node.attr<std::string>("mode") == "fast");
  CHECK(node.attr<Ints>("axes") == Ints{1, -1});
  CHECK(node.attr<float>("alpha") == 0.1F);
  CHECK_FALSE(node.attr<Floats>("weights"));
  CHECK(node.attr<std::string>("kind") == "a");
  CHECK(node.output().dtype() == DType::f32);  // the type of x
  CHECK(node.schemas().size() == 1);
}

TEST_CASE("a user's schema is verified") {
  const Operators operators = Operators().add("mine::Op", {.schema = schema_of_op()});
  const auto problems = [&](const Attributes& attributes, DType dtype = DType::f32) {
    Model model = model_of(operators, attributes, dtype);
    return problems_of(model);
  };
  using Texts = std::vector<std::string>;
  CHECK(problems({{"kind", "a"}, {"weights", Floats{1, 2}}}).empty());
  CHECK(problems({}) == Texts{"lacks the attribute 'kind'"});
  CHECK(problems({{"kind", 1}}) == Texts{"the attribute 'kind' is int, not string"});
  CHECK(problems({{"kind", "a"}, {"more", 1}}) == Texts{"has the attribute 'more', which mine::Op-1 does not have"});
  CHECK(problems({{"kind", "a"}}, DType::i32).size() == 1);
  Model later = model_of(Operators().add("mine::Op", {.schema = OperatorSchema{.since_version = 2}}), {});
  CHECK(problems_of(later) == Texts{"mine::Op is not an operator of opset 1"});
}

TEST_CASE("counts of inputs and outputs follow from a user's schema") {
  const auto row = [](const OperatorSchema& schema) {
    static Operators operators;
    operators = Operators().add("mine::Op", {.schema = schema});
    return operators.schema("mine", "Op");
  };
  using enum schema::Option;
  const schema::Operator* op = row({.inputs = {{"a"}, {"b", "", optional}, {"c"}, {"d", "", optional}}});
  CHECK(op->min_inputs == 3);
  CHECK(op->max_inputs == 4);
  CHECK(op->max_outputs == 0);
  op = row({.inputs = {{"a"}, {"rest", "", variadic}}, .commutative = true});
  CHECK(op->accepts_inputs(9));
  CHECK_FALSE(op->accepts_inputs(1));
  CHECK(op->input(7)->name() == "rest");
  CHECK(op->commutative());
  CHECK(op->deterministic());
  CHECK_FALSE(row({.deterministic = false})->deterministic());
  CHECK(row({.optional = {{"body", schema::AttributeType::graph}}})->has_bodies());
}

TEST_CASE("a schema that contradicts itself is refused") {
  const auto fault = [](const OperatorSchema& schema) {
    return error_of([&] { Operators().add("mine::Op", {.schema = schema}); });
  };
  CHECK_THAT(fault({.inputs = {{"a", "", schema::Option::variadic}, {"b"}}}), Catch::Contains("'a' is variadic"));
  CHECK_THAT(fault({.defaults = {{"a", 1}}, .required = {{"a", schema::AttributeType::int_}}}),
             Catch::Contains("'mine::Op'") && Catch::Contains("'a' is listed twice"));
  CHECK_THAT(fault({.defaults = {{"a", Floats{1}}}}), Catch::Contains("the default of 'a'"));
  CHECK_THAT(fault({.since_version = 0}), Catch::Contains("since_version"));
  CHECK_THAT(error_of([] { Operators().add("mine::", {}); }), Catch::Contains("needs a name"));
}

TEST_CASE("a later definition replaces the parts that it has") {
  const Kernel kernel = [](KernelContext&) {};
  Operators first = Operators().add("mine::Op", {.shape = twice_as_long});
  const Operators shapes = first;
  CHECK(first == shapes);
  first.add("mine::Op", {.kernel = kernel}).add("ai.onnx::Relu", {.kernel = kernel});
  CHECK_FALSE(first == shapes);
  CHECK(shapes.kernel("mine", "Op") == nullptr);  // a copy is independent
  CHECK(first.names() == std::vector<std::string>{"Relu", "mine::Op"});
  CHECK(first.shape("mine", "Op") == shapes.shape("mine", "Op"));
  CHECK(first.kernel("mine", "Op") != nullptr);
  CHECK(first.kernel("ai.onnx", "Relu") == first.kernel("", "Relu"));
  CHECK(first.schema("mine", "Op") == nullptr);
  CHECK(first.without_kernels().kernel("mine", "Op") == nullptr);
  CHECK(first.without_kernels().shape("mine", "Op") != nullptr);
  Operators both = Operators().add("mine::Other", {.kernel = kernel}).add(first);
  CHECK(both.names().size() == 3);
  const Operators same = both;
  CHECK(both.add(first) == same);  // it has them already
  CHECK(Operators().add(first) == first);
  CHECK(Operators().empty());
}

TEST_CASE("a model and its clones know the operators that were added") {
  Model model = model_of({}, {});
  CHECK(model.graph().first_node()->schema() == nullptr);
  CHECK(problems_of(model).empty());
  model.add_operators(Operators().add(
      "mine::Op", {.schema = OperatorSchema{.inputs = {{"x"}}, .outputs = {{"y"}}}, .shape = twice_as_long}));
  model.graph().set_type(*model.graph().find("y"), onnx::TypeProto());
  CHECK(model.graph().first_node()->schema() != nullptr);
  CHECK(model.find_schema("mine", "Op", 1) == model.graph().first_node()->schema());
  CHECK(model.find_schema("mine", "Op", 0) == nullptr);
  CHECK(model.find_schema("ai.onnx", "Relu", 17)->since_version == 14);
  infer_shapes(model.graph());
  CHECK(to_string(model.graph().find("y")->shape()) == "[6]");
  Model clone = model.clone();
  const Model copy(model.proto(), model);
  CHECK(clone.operators() == model.operators());
  CHECK(clone.graph().first_node()->schema() == model.graph().first_node()->schema());
  CHECK(copy.operators() == model.operators());
}
