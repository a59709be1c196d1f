#include <graft/graph/infer/sequence.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::DType;

TEST_CASE("a sequence knows what its elements share") {
  CHECK(told("SequenceConstruct", {"f32[2,N]", "f32[3,N]"}) == "sequence(f32[?,N])");
  CHECK(told("SequenceConstruct", {"f32[2]", "f32[3,N]"}) == "sequence(f32)");
  CHECK(told("SequenceEmpty", {}, {{"dtype", DType::i64}}) == "sequence(i64)");
  CHECK(told("SequenceInsert", {"seq(f32[2,N])", "f32[2,3]"}) == "sequence(f32[2,?])");
  CHECK(told("SequenceErase", {"seq(f32[2,N])", "i64[]"}) == "sequence(f32[2,N])");
  CHECK(told("SequenceAt", {"seq(f32[2,N])", "i64[]"}) == "f32[2,N]");
  CHECK(told("SequenceLength", {"seq(f32[2,N])"}) == "i64[]");
}

TEST_CASE("splitting into sequences") {
  CHECK(told("SplitToSequence", {"f32[6,N]"}) == "sequence(f32[1,N])");
  CHECK(told("SplitToSequence", {"f32[6,N]"}, {{"keepdims", 0}}) == "sequence(f32[N])");
  CHECK(told("SplitToSequence", {"f32[6,N]", scalar(3)}) == "sequence(f32[3,N])");
  CHECK(told("SplitToSequence", {"f32[6,N]", scalar(4)}) == "sequence(f32[?,N])");
  CHECK(told("SplitToSequence", {"f32[6,N]", {3, 3}}) == "sequence(f32[3,N])");
  CHECK(told("SplitToSequence", {"f32[6,N]", {2, 4}}) == "sequence(f32[?,N])");
}

TEST_CASE("concatenating sequences") {
  CHECK(told("ConcatFromSequence", {"seq(f32[2,N])"}, {{"axis", 0}}) == "f32[?,N]");
  CHECK(told("ConcatFromSequence", {"seq(f32[2,N])"}, {{"axis", 0}, {"new_axis", 1}}) == "f32[?,2,N]");
}

TEST_CASE("optionals") {
  CHECK(told("Optional", {"f32[2,N]"}) == "optional(f32[2,N])");
  CHECK(told("OptionalGetElement", {"optional(f32[2,N])"}) == "f32[2,N]");
  CHECK(told("OptionalGetElement", {"f32[2,N]"}) == "f32[2,N]");
  CHECK(told("OptionalHasElement", {"optional(f32[2,N])"}) == "bool[]");
}

TEST_CASE("mapping a sequence") {
  onnx::GraphProto body;
  body.add_input()->set_name("element");
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type("Shape");
  node.add_input("element");
  node.add_output("shape");
  body.add_output()->set_name("shape");
  CHECK(told("SequenceMap", {"seq(f32[2,N])"}, {{"body", body}}) == "sequence(i64[2])");
}
