#include <graft/simplify/sequence.hpp>

#include <google/protobuf/text_format.h>
#include <catch2/catch.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("an element of a sequence is what the sequence was made of") {
  const std::string made = "a: f32[2,3]; b: f32[2,4]; c: f32[2,5]; s = SequenceConstruct(a, b, c);";
  for (const auto& [index, element] : {std::pair("0", "a"), std::pair("-1", "c"), std::pair("-3", "a")}) {
    INFO(index);
    CHECK(given(made + "y = Relu(SequenceAt(s, i64[] " + index + "))")
              .rule(element_of_sequence)
              .becomes("a: f32[2,3]; b: f32[2,4]; c: f32[2,5]; y = Relu(" + std::string(element) + ")"));
  }
  CHECK(given(made + "y = Relu(SequenceAt(s, i64[] 3))").rule(element_of_sequence).refuses("out of range"));
  CHECK(given(made + "i: i64[]; y = Relu(SequenceAt(s, i))").rule(element_of_sequence).refuses("not known"));
}

TEST_CASE("a sequence that is joined is a Concat") {
  const std::string made = "a: f32[2,3]; b: f32[2,3]; s = SequenceConstruct(a, b);";
  CHECK(given(made + "y = ConcatFromSequence(s) {axis=-1}")
            .rule(concat_of_sequence)
            .becomes("a: f32[2,3]; b: f32[2,3]; y = Concat(a, b) {axis=-1}"));
  CHECK(given(made + "y = ConcatFromSequence(s) {axis=-1, new_axis=1}")
            .rule(concat_of_sequence)
            .becomes("a: f32[2,3]; b: f32[2,3]; i = i64[1] {-1};"
                     "y = Concat(Unsqueeze(a, i), Unsqueeze(b, i)) {axis=-1}"));
  CHECK(given("opset 11;" + made + "y = ConcatFromSequence(s) {axis=1, new_axis=1}")
            .rule(concat_of_sequence)
            .becomes("opset 11; a: f32[2,3]; b: f32[2,3];"
                     "y = Concat(Unsqueeze(a) {axes=[1]}, Unsqueeze(b) {axes=[1]}) {axis=1}"));
  const std::string read_twice = made + "i: i64[]; z = SequenceAt(s, i);";
  CHECK(given(read_twice + "y = ConcatFromSequence(s) {axis=0, new_axis=1}")
            .rule(concat_of_sequence)
            .refuses("has other readers"));
  CHECK(given(read_twice + "y = ConcatFromSequence(s) {axis=0}")
            .rule(concat_of_sequence)
            .becomes(read_twice + "y = Concat(a, b) {axis=0}"));
}

TEST_CASE("the length of a sequence is known") {
  CHECK(given("a: f32; b: f32; y = Neg(SequenceLength(SequenceConstruct(a, b, a)))")
            .rule(length_of_sequence)
            .becomes("a: f32; b: f32; y = Neg(i64[] 3)"));
}

TEST_CASE("a split sequence is made of the parts") {
  CHECK(given("x: f32[2,7]; s = SplitToSequence(x, i64[3] {1, 2, 4}) {axis=-1}; y = Relu(SequenceAt(s, i64[] 1))")
            .rule(split_to_parts)
            .becomes("x: f32[2,7]; a, b, c = Split(x, i64[3] {1, 2, 4}) {axis=-1};"
                     "y = Relu(SequenceAt(SequenceConstruct(a, b, c), i64[] 1))"));
  const auto split = [](std::string_view from, std::string_view by, std::string_view sizes) {
    INFO(from);
    CHECK(given("x: " + std::string(from) + "; y = ConcatFromSequence(SplitToSequence(x, " + std::string(by) +
                ")) {axis=0}")
              .rule(split_to_parts)
              .becomes("x: " + std::string(from) + "; a, b = Split(x, i64[2] " + std::string(sizes) +
                       ") {axis=0}; y = ConcatFromSequence(SequenceConstruct(a, b)) {axis=0}"));
  };
  split("f32[6,2]", "i64[] 3", "{3, 3}");
  split("f32[5,2]", "i64[] 3", "{3, 2}");
  split("f32[N,2]", "i64[2] {4, 1}", "{4, 1}");
  CHECK(given("opset 12; x: f32[3,2]; y = ConcatFromSequence(SplitToSequence(x, i64[] 2)) {axis=0}")
            .pass(simplify())
            .becomes("opset 12; x: f32[3,2]; a, b = Split(x) {axis=0, split=[2,1]}; y = Concat(a, b) {axis=0}"));
}

TEST_CASE("a sequence that is split one by one is made of the parts, with the axis or without") {
  CHECK(given("x: f32[2,3]; s = SplitToSequence(x); y = ConcatFromSequence(s) {axis=0}")
            .rule(split_to_parts)
            .becomes("x: f32[2,3]; a, b = Split(x, i64[2] 1) {axis=0};"
                     "y = ConcatFromSequence(SequenceConstruct(a, b)) {axis=0}"));
  const std::string unbound = "x: f32[3,2]; s = SplitToSequence(x) {axis=-1, keepdims=0};";
  CHECK(given(unbound + "y = Add(SequenceAt(s, i64[] 0), SequenceAt(s, i64[] -1))")
            .pass(simplify())
            .becomes("x: f32[3,2]; a, b = Split(x, i64[2] 1) {axis=-1}; i = i64[1] -1;"
                     "y = Add(Squeeze(a, i), Squeeze(b, i))"));
  CHECK(given("opset 11;" + unbound + "y = Neg(SequenceAt(s, i64[] 1))")
            .pass(simplify())
            .becomes("opset 11; x: f32[3,2]; a, b = Split(x) {axis=-1, split=[1,1]};"
                     "y = Neg(Squeeze(b) {axes=[-1]}); return y"));
  CHECK(
      given(unbound + "y = ConcatFromSequence(s) {axis=0}").rule(split_to_parts).refuses("needs the sequence itself"));
  // Beside several sizes keepdims has no effect, neither in the standard nor in runtimes.
  CHECK(given("x: f32[3]; y = ConcatFromSequence(SplitToSequence(x, i64[2] {1, 2}) {keepdims=0}) {axis=0}")
            .pass(simplify())
            .becomes("x: f32[3]; a, b = Split(x, i64[2] {1, 2}) {axis=0}; y = Concat(a, b) {axis=0}"));
}

TEST_CASE("a sequence that grows and shrinks is made at once") {
  const std::string inputs = "a: f32[2]; b: f32[2]; c: f32[2]; i: i64[];",
                    made = inputs + "s = SequenceConstruct(a, b);";
  const auto edited = [&](const RuleView& rule, const std::string& edit, const std::string& elements) {
    INFO(edit);
    CHECK(given(made + "y = SequenceAt(" + edit + ", i)")
              .rule(rule)
              .becomes(inputs + "y = SequenceAt(SequenceConstruct(" + elements + "), i)"));
  };
  edited(insert_into_sequence, "SequenceInsert(s, c)", "a, b, c");
  edited(insert_into_sequence, "SequenceInsert(s, c, i64[] 2)", "a, b, c");
  edited(insert_into_sequence, "SequenceInsert(s, c, i64[] 0)", "c, a, b");
  edited(insert_into_sequence, "SequenceInsert(s, c, i64[] -1)", "a, c, b");
  edited(insert_into_sequence, "SequenceInsert(s, c, i64[] -2)", "c, a, b");
  edited(erase_from_sequence, "SequenceErase(s)", "a");
  edited(erase_from_sequence, "SequenceErase(s, i64[] 0)", "b");
  edited(erase_from_sequence, "SequenceErase(s, i32[] -1)", "a");
  CHECK(given(inputs + "e = SequenceEmpty() {dtype=f32}; s = SequenceInsert(e, a); y = SequenceAt(s, i)")
            .rule(insert_into_empty_sequence)
            .becomes(inputs + "y = SequenceAt(SequenceConstruct(a), i)"));
  CHECK(given(inputs + "e = SequenceEmpty(); s = SequenceInsert(SequenceInsert(e, b), a, i64[] 0);"
                       "y = ConcatFromSequence(SequenceErase(SequenceInsert(s, c), i64[] 1)) {axis=0}")
            .pass(simplify())
            .becomes(inputs + "y = Concat(a, c) {axis=0}"));
}

TEST_CASE("a sequence stays where its edits are not known, or where it is read before them") {
  const std::string made = "a: f32[2]; b: f32[2]; i: i64[]; s = SequenceConstruct(a, b);";
  CHECK(given(made + "y = SequenceAt(SequenceInsert(s, a, i), i)").rule(insert_into_sequence).refuses("not known"));
  CHECK(given(made + "y = SequenceAt(SequenceInsert(s, a, i64[] 3), i)")
            .rule(insert_into_sequence)
            .refuses("out of range"));
  CHECK(given(made + "y = SequenceAt(SequenceErase(s, i64[] 2), i)").rule(erase_from_sequence).refuses("out of range"));
  CHECK(given("a: f32[2]; s = SequenceConstruct(a); y = SequenceLength(SequenceErase(s))")
            .rule(erase_from_sequence)
            .refuses("no element is left"));
  for (const auto& [rule, edit] :
       {std::pair(insert_into_sequence, "SequenceInsert(s, a)"), std::pair(erase_from_sequence, "SequenceErase(s)")}) {
    const std::string text = made + "y = SequenceAt(" + edit + ", i); z = SequenceAt(s, i)";
    CHECK(given(text).rule(rule).becomes(text));
  }
}

TEST_CASE("a split whose sizes are not known stays, and so does a sequence that is used as one") {
  for (const std::string_view text :
       {"x: f32[N]; s = SplitToSequence(x); y = SequenceAt(s, i64[] 0)",
        "x: f32[2000]; s = SplitToSequence(x); y = SequenceAt(s, i64[] 0)",
        "x: f32[6]; s = SplitToSequence(x, i64[] 1) {keepdims=0}; y = SequenceAt(s, i64[] 0)",
        "x: f32[6]; z: i64[2]; s = SplitToSequence(x, z); y = SequenceAt(s, i64[] 0)",
        "x: f32[6]; s = SplitToSequence(x, i64[2] {4, 4}); y = SequenceAt(s, i64[] 0)",
        "x: f32[6]; s = SplitToSequence(x, i64[2] {8, -2}); y = SequenceAt(s, i64[] 0)",
        "x: f32[N]; s = SplitToSequence(x, i64[] 2); y = SequenceAt(s, i64[] 0)",
        "x: f32[0]; s = SplitToSequence(x, i64[] 2); y = SequenceAt(s, i64[] 0)",
        "x: f32[6]; s = SplitToSequence(x, i64[] 0); y = SequenceAt(s, i64[] 0)",
        "x: f32[2000]; s = SplitToSequence(x, i64[] 1); y = SequenceAt(s, i64[] 0)",
        "x: f32; s = SplitToSequence(x, i64[2] {1, 2}); y = SequenceAt(s, i64[] 0)",
        "x: f32[6]; i: i64[]; s = SplitToSequence(x, i64[] 3); y = SequenceAt(s, i)",
        "x: f32[6]; s = SplitToSequence(x, i64[] 3); y = SequenceInsert(s, x)"}) {
    INFO(text);
    CHECK(given(text).rule(split_to_parts).becomes(text));
  }
}

TEST_CASE("what goes through a sequence goes straight") {
  CHECK(given("x: f32[2,6]; s = SplitToSequence(x, i64[] 2) {axis=1}; a = SequenceAt(s, i64[] 0);"
              "b = SequenceAt(s, i64[] -1); n = SequenceLength(s);"
              "k: i64[]; y = ConcatFromSequence(SequenceConstruct(a, b)) {axis=0, new_axis=1}; z = Add(k, n)")
            .pass(simplify())
            .becomes("x: f32[2,6]; k: i64[]; a, m, b = Split(x, i64[3] {2, 2, 2}) {axis=1}; i = i64[1] 0;"
                     "y = Concat(Unsqueeze(a, i), Unsqueeze(b, i)) {axis=0}; z = Add(k, i64[] 3); return y, z"));
}

namespace {

Model parsed(const char* text) {
  onnx::ModelProto proto;
  if (!google::protobuf::TextFormat::ParseFromString(text, &proto)) throw Error("is not a model");
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
