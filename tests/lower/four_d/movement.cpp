#include <graft/lower/four_d/movement.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include "same_elements.hpp"

using namespace graft;

TEST_CASE("what was flattened becomes a row of rank 4") {
  CHECK(given("x: f32[2,3,4]; y = Flatten(x) {axis=2}")
            .pass(flatten_to_reshape())
            .changes_signature()
            .becomes("x: f32[2,3,4]; y = Reshape(x, i64[4] {1,1,1,-1})"));
  CHECK(same_elements("x: f32[2,3,4]; y = Flatten(Relu(x))", flatten_to_reshape(), 0));
}

TEST_CASE("the dims of an output that was flattened follow, and names are unique") {
  Model model = graph("x: f32[2,3,4]; y = Flatten(x); z = Flatten(x) {axis=0}");
  for (Node& node : model.graph().nodes()) model.graph().rename(node, "");
  CHECK(flatten_to_reshape().run(model).changes == 2);
  CHECK(verify(model).empty());
  CHECK(model.graph().output(0)->name() == "y");
  CHECK(model.graph().output(0)->shape().dims() == Dims{1, 1, 1, 24});
}

TEST_CASE("Flatten becomes Reshape in older opsets") {
  CHECK(given("opset 9; x: f32[2,3,4]; y = Flatten(x)")
            .pass(flatten_to_reshape())
            .changes_signature()
            .becomes("opset 9; x: f32[2,3,4]; y = Reshape(x, i64[4] {1,1,1,-1})"));
  CHECK(given("opset 4; x: f32[2,3,4]; y = Flatten(x)").pass(flatten_to_reshape()).run().problems.empty());
}

TEST_CASE("what reads what was flattened waits for another surgery, unless it is an output too") {
  const std::string text = "x: f32[1,2,3]; h = Flatten(x); y = Gemm(h, f32[6,2] random)";
  const Run run = given(text).pass(flatten_to_reshape()).run();
  CHECK(run.changed);
  CHECK(run.problems.empty());
  CHECK(given(text + "; return h, y").pass(flatten_to_reshape()).refuses("would not be what it is declared as"));
}

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_reshape()).changes_signature(); }

}  // namespace

TEST_CASE("a shape of three entries gets a 1 in front of the first that is not 0") {
  CHECK(widened("x: f32[2,4,6]; y = Reshape(x, i64[3] {-1,6,4})")
            .becomes("x: f32[2,4,6]; y = Reshape(x, i64[4] {1,-1,6,4})"));
  CHECK(widened("x: f32[2,4,3,2]; y = Reshape(x, i64[3] {0,0,-1})")
            .becomes("x: f32[2,4,3,2]; y = Reshape(x, i64[4] {0,0,1,-1})"));
  CHECK(widened("x: f32[2,4,3,2]; y = Reshape(x, i64[3] 0)").becomes("x: f32[2,4,3,2]; y = Reshape(x, i64[4] 0)"));
  CHECK(widened("x: f32[2,0,6]; y = Reshape(x, i64[3] {0,2,6}) {allowzero=1}")
            .becomes("x: f32[2,0,6]; y = Reshape(x, i64[4] {1,0,2,6}) {allowzero=1}"));
}

TEST_CASE("the dims of an output follow its Reshape") {
  const Run run = widened("x: f32[2,4,6]; y = Relu(Reshape(x, i64[3] {-1,6,4}))").run();
  CHECK(run.model.graph().output(0)->shape().dims() == Dims{1, 2, 6, 4});
}

TEST_CASE("what is written of values around a Reshape follows, or goes") {
  const Run run = widened("x: f32[2,4,6]; h = Reshape(x, i64[3] {-1,6,4}) : f32[2,6,4]; y = Relu(h)").run();
  CHECK(run.model.proto().graph().value_info(0).type().tensor_type().shape().dim_size() == 4);
  // A Gemm does not take it: until a surgery replaces that, nothing is known.
  const Run open = widened(
                       "x: f32[1,4,6]; w = f32[6,2] random; h = Reshape(x, i64[3] {1,4,6}) : f32[1,4,6];"
                       "y = Gemm(Squeeze(h, i64[1] {0}), w)")
                       .run();
  CHECK(open.changed);
  CHECK(open.problems.empty());
  CHECK(!open.model.proto().graph().value_info(0).type().tensor_type().has_shape());
}

TEST_CASE("what else reads the shape of a Reshape keeps it") {
  CHECK(widened("s = i64[3] {2,3,4}; x: f32[24]; z: f32[4]; y = Reshape(x, s); e = Expand(z, s)")
            .becomes("s = i64[3] {2,3,4}; x: f32[24]; z: f32[4]; y = Reshape(x, i64[4] {1,2,3,4}); e = Expand(z, s)"));
}

TEST_CASE("other shapes stay, and those that copy extents of what is not 4-D") {
  CHECK(widened("x: f32[2,4,6]; y = Reshape(x, i64[2] {-1,6})").refuses("three entries"));
  CHECK(widened("x: f32[2,4,6]; y = Reshape(x, i64[3] {0,0,-1})").refuses("rank 3"));
  CHECK(widened("x: f32[2,4,6]; s: i64[3]; y = Reshape(x, s)").refuses("not constant"));
}

TEST_CASE("a shape of three entries gets a 1 in front, for this Expand alone") {
  CHECK(given("x: f32[4]; s = i64[3] {2,3,4}; y = Expand(x, s); z: f32[24]; r = Reshape(z, s)")
            .pass(four_d_expand())
            .changes_signature()
            .becomes("x: f32[4]; s = i64[3] {2,3,4}; y = Expand(x, i64[4] {1,2,3,4}); z: f32[24]; r = Reshape(z, s)"));
  CHECK(given("x: f32[4]; y = Expand(x, i64[3] {2,3,4})").pass(four_d_expand()).changes_signature().idempotent());
}

TEST_CASE("four_d_expand refuses") {
  CHECK(given("x: f32[4]; y = Expand(x, i64[2] {3,4})").pass(four_d_expand()).refuses("three entries"));
  CHECK(given("x: f32[4]; s: i64[3]; y = Expand(x, s)").pass(four_d_expand()).refuses("not constant"));
}

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_gather()).changes_signature(); }

}  // namespace

TEST_CASE("a Gather from the axis in the middle takes from axis 2, and keeps the rank") {
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[] 3) {axis=1}")
            .becomes("x: f32[1,1,4,5]; y = Gather(x, i64[1] 3) {axis=2}"));
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[2] {3,0}) {axis=1}")
            .becomes("x: f32[1,1,4,5]; y = Gather(x, i64[2] {3,0}) {axis=2}"));
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i32[] 3) {axis=-1}")
            .becomes("x: f32[1,1,4,5]; y = Gather(x, i32[1] 3) {axis=-1}"));
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[] 0) {axis=1}").idempotent());
}

TEST_CASE("an index that is computed becomes one of rank 1") {
  CHECK(widened("x: f32[1,1,4,5]; i: i64[]; y = Gather(x, i) {axis=1}")
            .becomes("x: f32[1,1,4,5]; i: i64[]; y = Gather(x, Reshape(i, i64[1] 1)) {axis=2}"));
  CHECK(widened("x: f32[1,1,4,5]; i: i64[K]; y = Gather(x, i) {axis=1}")
            .becomes("x: f32[1,1,4,5]; i: i64[K]; y = Gather(x, i) {axis=2}"));
}

TEST_CASE("an index that others read stays for them") {
  CHECK(widened("i = i64[] 3; x: f32[1,1,4,5]; e: f32[9,7]; y = Gather(x, i) {axis=1}; z = Gather(e, i)")
            .becomes("i = i64[] 3; x: f32[1,1,4,5]; e: f32[9,7]; y = Gather(x, i64[1] 3) {axis=2}; z = Gather(e, i)"));
}

TEST_CASE("four_d_gather refuses") {
  CHECK(widened("x: f32[1,1,4,5]; y = Gather(x, i64[1] 3) {axis=3}").refuses("already"));
  CHECK(widened("x: f32[1,4,5]; y = Gather(x, i64[] 3) {axis=1}").refuses("rank 3"));
  CHECK(widened("x: f32[1,1,4,5]; i: i64[2,2]; y = Gather(x, i) {axis=1}").refuses("rank 2"));
  CHECK(widened("x: f32[1,1,4,5]; i: i64; y = Gather(x, i) {axis=1}").refuses("not known"));
}

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_gather_elements()).changes_signature(); }

}  // namespace

TEST_CASE("constant indices of rank 3 get an axis in front, and the axis counts it") {
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[2,1,2] {0,1,2,3}) {axis=1}")
            .becomes("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] {0,1,2,3}) {axis=2}"));
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[2,1,2] 1)")
            .becomes("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] 1) {axis=1}"));
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[2,1,2] 1) {axis=-1}")
            .becomes("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] 1) {axis=-1}"));
}

TEST_CASE("indices of two nodes are lifted for each once, and stay for others") {
  CHECK(widened("i = i64[2,1,2] 1; x: f32[1,2,4,5]; y = GatherElements(x, i) {axis=-1};"
                "z = GatherElements(x, i) {axis=-1}; r = Relu(Cast(i) {to=f32})")
            .becomes("i = i64[2,1,2] 1; j = i64[1,2,1,2] 1; x: f32[1,2,4,5]; y = GatherElements(x, j) {axis=-1};"
                     "z = GatherElements(x, j) {axis=-1}; r = Relu(Cast(i) {to=f32})"));
}

TEST_CASE("an index of rank 0 becomes one of rank 1") {
  CHECK(widened("x: f32[5]; y = GatherElements(x, i64[] 1)").becomes("x: f32[5]; y = GatherElements(x, i64[1] 1)"));
}

TEST_CASE("four_d_gather_elements refuses") {
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[1,2,1,2] 1)").refuses("rank 3"));
  CHECK(widened("x: f32[2,4,5]; y = GatherElements(x, i64[2,1,2] 1)").refuses("rank 3"));
  CHECK(widened("x: f32[1,2,4,5]; y = GatherElements(x, i64[] 1)").refuses("rank 1"));
  CHECK(widened("x: f32[1,2,4,5]; i: i64[2,1,2]; y = GatherElements(x, i)").refuses("not constant"));
}

TEST_CASE("a Slice along the last of fewer axes goes along the last of four") {
  const std::string head = "x: f32[1,2,4,5]; a = i64[1] {2}; ";
  CHECK(given(head + "y = Slice(x, i64[1] 1, i64[1] 3, a); z = ReduceSum(x, a)")
            .pass(four_d_slice())
            .changes_signature()
            .becomes(head + "y = Slice(x, i64[1] 1, i64[1] 3, i64[1] {-1}); z = ReduceSum(x, a)"));
  CHECK(given("x: f32[1,2,4,5]; y = Slice(x, i64[1] 1, i64[1] 3, i64[1] 1, i64[1] 2)")
            .pass(four_d_slice())
            .changes_signature()
            .becomes("x: f32[1,2,4,5]; y = Slice(x, i64[1] 1, i64[1] 3, i64[1] {-1}, i64[1] 2)"));
  CHECK(given("opset 9; x: f32[1,2,4,5]; y = Slice(x) {starts=[1], ends=[3], axes=[2]}")
            .pass(four_d_slice())
            .changes_signature()
            .becomes("opset 9; x: f32[1,2,4,5]; y = Slice(x) {starts=[1], ends=[3], axes=[-1]}"));
}

TEST_CASE("four_d_slice refuses") {
  const auto refuses = [](const std::string& text, std::string_view why, const Ints& axes = {1, 2}) {
    return given(text).pass(four_d_slice(axes)).refuses(why);
  };
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[2] 1, i64[2] 3, i64[2] {1,2})", "several"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] 0)", "another axis"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] {-1})", "another axis"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] 1)", "another axis", {2}));
  CHECK(refuses("x: f32[2,4,5]; y = Slice(x, i64[1] 0, i64[1] 1, i64[1] 1)", "rank 3"));
  CHECK(refuses("x: f32[1,2,4,5]; y = Slice(x, i64[4] 0, i64[4] 1)", "not given"));
}

TEST_CASE("a Transpose of two or three axes moves the last ones of four") {
  CHECK(given("x: f32[1,2,4,5]; y = Transpose(x) {perm=[1,0]}")
            .pass(four_d_transpose())
            .becomes("x: f32[1,2,4,5]; y = Transpose(x) {perm=[0,1,3,2]}"));
  CHECK(given("x: f32[1,3,4,5]; y = Transpose(x) {perm=[2,0,1]}")
            .pass(four_d_transpose())
            .becomes("x: f32[1,3,4,5]; y = Transpose(x) {perm=[0,3,1,2]}"));
  CHECK(given("x: f32[1,3,4,5]; y = Transpose(x) {perm=[2,0,1]}").pass(four_d_transpose()).idempotent());
}

TEST_CASE("a Transpose of unknown rank does, and one in a body") {
  CHECK(given("x: f32; y = Transpose(x) {perm=[1,0]}")
            .pass(four_d_transpose())
            .changes_signature()
            .becomes("x: f32; y = Transpose(x) {perm=[0,1,3,2]}"));
  const std::string head = "c: bool[]; x: f32[1,2,4,5]; y = If(c) {then_branch={ t = Transpose(x) {perm=";
  const std::string tail = "}; return t }, else_branch={ e = Relu(x); return e }}";
  CHECK(given(head + "[0,2,1]" + tail).pass(four_d_transpose()).becomes(head + "[0,1,3,2]" + tail));
}

TEST_CASE("a Transpose of what is not 4-D stays") {
  CHECK(given("x: f32[3,4,5]; y = Transpose(x) {perm=[0,2,1]}").pass(four_d_transpose()).refuses("rank 3"));
  CHECK(given("x: f32[3,4,5]; y = Transpose(Relu(x)) {perm=[0,2,1]}").pass(four_d_transpose()).refuses("rank 3"));
  CHECK(given("x: f32[3,4,5]; y = Transpose(x)").pass(four_d_transpose()).refuses("not given"));
  CHECK(given("x: f32[1,3,4,5]; y = Transpose(x) {perm=[0,2,1,3]}").pass(four_d_transpose()).refuses("two or three"));
}

namespace {

Trial kept(const std::string& text) { return given(text).pass(remove_intermediary_squeezes()).changes_signature(); }

}  // namespace

TEST_CASE("Squeeze and Unsqueeze within a net go, in chains too") {
  CHECK(kept("x: f32[1,3,4,5]; h = Relu(x); y = Neg(Unsqueeze(Squeeze(h, i64[1] 0), i64[1] 1))")
            .becomes("x: f32[1,3,4,5]; y = Neg(Relu(x))"));
  CHECK(kept("opset 11; x: f32[1,3,4,5]; h = Relu(x); y = Neg(Squeeze(h) {axes=[0]})")
            .becomes("opset 11; x: f32[1,3,4,5]; y = Neg(Relu(x))"));
  CHECK(kept("x: f32[1,3,4,5]; h = Relu(x); y = Neg(Squeeze(h, i64[1] 0)); z = Abs(h)")
            .becomes("x: f32[1,3,4,5]; h = Relu(x); y = Neg(h); z = Abs(h)"));
}

TEST_CASE("the dims of an output follow where a Squeeze goes") {
  const Run run = kept("x: f32[1,3,4,5]; h = Relu(x); y = Neg(Squeeze(h, i64[1] 0))").run();
  CHECK(run.model.graph().output(0)->shape().dims() == Dims{1, 3, 4, 5});
}

TEST_CASE("what reads what was squeezed waits for another surgery, unless it reads an output too") {
  const std::string text =
      "x: f32[1,3,4,5]; h = Relu(x) : f32[1,3,4,5];"
      "y = Transpose(Squeeze(h, i64[1] 0)) {perm=[0,2,1]}";
  const Run run = kept(text).run();
  CHECK(run.changed);
  CHECK(run.problems.empty());
  CHECK(verify(run.model.graph()).empty());
  CHECK(!run.model.proto().graph().value_info(0).type().tensor_type().has_shape());
  CHECK(kept(text + "; return h, y").refuses("perm"));
}

TEST_CASE("those at the ends of the graph stay, and those of shapes") {
  CHECK(kept("x: f32[3,4]; y = Relu(Unsqueeze(x, i64[1] 0))").refuses("reads an input"));
  CHECK(kept("x: f32[1,3,4]; y = Squeeze(Relu(x), i64[1] 0)").refuses("makes an output"));
  CHECK(kept("x: f32[N,3,4]; n = Gather(Shape(x), i64[] 0);"
             "y = Reshape(x, Concat(Unsqueeze(n, i64[1] 0), i64[1] 12) {axis=0})")
            .refuses("positions"));
}
