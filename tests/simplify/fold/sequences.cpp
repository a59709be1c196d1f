#include <graft/simplify/fold/sequences.hpp>

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
            .refuses("used elsewhere"));
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

TEST_CASE("a split whose sizes are not known stays, and so does a sequence that is used as one") {
  for (const std::string_view text :
       {"x: f32[6]; s = SplitToSequence(x); y = SequenceAt(s, i64[] 0)",
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
