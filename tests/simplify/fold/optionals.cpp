#include <graft/simplify/fold/optionals.hpp>

#include <google/protobuf/text_format.h>
#include <catch2/catch.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Model parsed(const char* text) {
  onnx::ModelProto proto;
  if (!google::protobuf::TextFormat::ParseFromString(text, &proto)) throw Error("is no model");
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("the element of an Optional is what it was made of") {
  CHECK(given("x: f32[2]; o = Optional(x); y = Relu(OptionalGetElement(o))")
            .rule(element_of_optional)
            .becomes("x: f32[2]; y = Relu(x)"));
  CHECK(given("opset 18; x: f32[2]; y = Relu(OptionalGetElement(x))")
            .rule(element_of_optional)
            .becomes("opset 18; x: f32[2]; y = Relu(x)"));
  CHECK(given("x: f32[2]; o = Optional(x); y = Relu(OptionalGetElement(o)); h = OptionalHasElement(o); return y, h")
            .rule(element_of_optional)
            .becomes("x: f32[2]; o = Optional(x); y = Relu(x); h = OptionalHasElement(o); return y, h"));
}

TEST_CASE("whether an Optional has an element is known") {
  CHECK(given("x: f32[2]; b: bool[]; y = And(OptionalHasElement(Optional(x)), b)")
            .rule(optional_has_element)
            .becomes("x: f32[2]; b: bool[]; y = And(bool[] true, b)"));
  CHECK(given("opset 18; x: f32[2]; b: bool[]; y = And(OptionalHasElement(x), b)")
            .rule(optional_has_element)
            .becomes("opset 18; x: f32[2]; b: bool[]; y = And(bool[] true, b)"));
  CHECK(given("opset 18; b: bool[]; y = And(OptionalHasElement(), b)")
            .rule(optional_has_element)
            .becomes("opset 18; b: bool[]; y = And(bool[] false, b)"));
}

TEST_CASE("an optional that callers give is not known") {
  Model model = parsed(R"(
    ir_version: 8 opset_import { version: 18 }
    graph {
      name: "g"
      input { name: "o" type { optional_type { elem_type {
        tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } } } }
      node { op_type: "OptionalHasElement" input: "o" output: "h" }
      node { op_type: "OptionalGetElement" input: "o" output: "e" }
      output { name: "h" type { tensor_type { elem_type: 9 shape {} } } }
      output { name: "e" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
    })");
  CHECK(fixpoint(element_of_optional, optional_has_element).run(model).changes == 0);
}

TEST_CASE("an If over a known Optional gives way to its branch") {
  CHECK(given("x: f32[2]; o = Optional(x); h = OptionalHasElement(o);"
              "y = If(h) {then_branch={ e = OptionalGetElement(o); t = Relu(e) }, else_branch={ f = Neg(x) }}")
            .pass(simplify())
            .becomes("x: f32[2]; y = Relu(x)"));
}
