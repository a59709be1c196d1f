#include <graft/surgery/change_batch.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "signature.hpp"
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

/// The model with the new batch is as wanted, and does for a batch of 3 what the old one does for its own.
TestResult becomes(const std::string& text, const Pass& change, const std::string& wanted) {
  Model model = graph(text);
  change.run(model);
  CHECK(unsound(model).empty());
  Model expected = graph(wanted);
  CHECK(signature(model) == signature(expected));
  return isomorphic(expected, model);
}

}  // namespace

TEST_CASE("inputs and outputs have another batch", "[change_batch]") {
  const std::string body = "h = MatMul(x, f32[3,4] random); y = Relu(h); a = ArgMax(h) {axis=1, keepdims=0}; return "
                           "y, a";
  CHECK(becomes("x: f32[1,3]; " + body, change_batch("N"), "x: f32[N,3]; " + body));
  CHECK(becomes("x: f32[N,3]; " + body, change_batch(8), "x: f32[8,3]; " + body));
  CHECK(becomes("x: f32[2,3]; " + body, change_batch(8), "x: f32[8,3]; " + body));
}

TEST_CASE("inputs with the same leading extent change together, or those that are named", "[change_batch]") {
  const std::string body = "y = Add(x, z); v = Neg(k)";
  CHECK(becomes("k: f32[5]; x: f32[2,3]; z: f32[2,3]; " + body, change_batch("N", {"x", "z"}),
                "k: f32[5]; x: f32[N,3]; z: f32[N,3]; " + body));
  CHECK(becomes("x: f32[2,3]; z: f32[2,3]; k: f32[5]; " + body, change_batch("N"),
                "x: f32[N,3]; z: f32[N,3]; k: f32[5]; " + body));
}

TEST_CASE("the batch of an input may stand at another axis", "[change_batch]") {
  const std::string body = "t = Transpose(x) {perm=[1,0,2]}; y = GRU(t, f32[1,12,3] random, f32[1,12,4] random, _, "
                           "_, s) "
                           "{hidden_size=4}; return y";
  CHECK(becomes("x: f32[2,5,3]; s: f32[1,2,4]; " + body, change_batch("N", {"x", {"s", 1}}),
                "x: f32[N,5,3]; s: f32[1,N,4]; " + body));
}

TEST_CASE("constant shapes of Reshape hold the new batch", "[change_batch]") {
  const auto flatten = [](const std::string& x, const std::string& shape) {
    return "x: f32[" + x + "]; y = Neg(Reshape(x, i64[2] {" + shape + "}))";
  };
  CHECK(becomes(flatten("1,16,8", "1,128"), change_batch("N"), flatten("N,16,8", "0,128")));
  CHECK(becomes(flatten("1,16,8", "1,128"), change_batch(4), flatten("4,16,8", "4,128")));
  CHECK(becomes(flatten("2,16,8", "2,-1"), change_batch(4), flatten("4,16,8", "4,-1")));
  CHECK(becomes(flatten("2,16,8", "-1,128"), change_batch("N"), flatten("N,16,8", "-1,128")));
  CHECK(becomes(flatten("2,16,8", "0,128"), change_batch("N"), flatten("N,16,8", "0,128")));
  // The batch is a factor.
  CHECK(becomes(flatten("2,16,8", "32,8"), change_batch(4), flatten("4,16,8", "64,8")));
  Model model = graph(flatten("2,16,8", "32,8"));
  change_batch("N").run(model);
  CHECK(signature(model) == "f32[N,16,8] -> f32[?,8]");
  CHECK(equivalent(graph(flatten("N,16,8", "-1,8")).graph(), model.graph()));
}

TEST_CASE("attention heads, with the batch moved by a Transpose", "[change_batch]") {
  const auto heads = [](const std::string& batch, const std::string& first, const std::string& moved,
                        const std::string& back) {
    return "x: f32[" + batch + ",6,8]; h = Reshape(x, i64[4] {" + first + ",6,2,4}); t = Transpose(h) "
           "{perm=[1,0,2,3]}; "
           "m = Reshape(t, i64[3] {6," + moved + ",4}); k = Softmax(m) {axis=2}; b = Reshape(k, i64[4] {6," + back +
           ",2,4}); y = Transpose(b) {perm=[1,0,2,3]}";
  };
  CHECK(becomes(heads("1", "1", "2", "1"), change_batch(5), heads("5", "5", "10", "5")));
  CHECK(becomes(heads("3", "3", "6", "3"), change_batch(5), heads("5", "5", "10", "5")));
  Model model = graph(heads("3", "3", "6", "3"));
  change_batch("N").run(model);
  CHECK(unsound(model).empty());
  CHECK(equivalent(graph(heads("5", "5", "10", "5")).graph(), model.graph(), {.dims = {{"N", 5}}}));
}

TEST_CASE("a -1 takes the batch in where it stands there already", "[change_batch]") {
  const auto inner = [](const std::string& batch, const std::string& shape) {
    return "x: f32[" + batch + ",6,2,4]; t = Transpose(x) {perm=[1,2,0,3]}; y = Neg(Reshape(t, i64[3] "
           "{" + shape + "}))";
  };
  CHECK(becomes(inner("1", "6,-1,4"), change_batch("N"), inner("N", "6,-1,4")));
  CHECK(becomes(inner("3", "6,-1,4"), change_batch(5), inner("5", "6,-1,4")));
}

TEST_CASE("a 1 where a symbolic batch should be is one", "[change_batch]") {
  const std::string text = "; h = Reshape(x, i64[2] {1,-1}); y = MatMul(h, f32[12,2] random)";
  Model model = graph("x: f32[N,3,4]" + text);
  change_batch("M").run(model);
  CHECK(unsound(model).empty());
  CHECK(signature(model) == "f32[M,3,4] -> f32[M,2]");
  CHECK(isomorphic(graph("x: f32[M,3,4]; h = Reshape(x, i64[2] {0,-1}); y = MatMul(h, f32[12,2] random)"), model));
}

TEST_CASE("a shape that others read as well stays theirs", "[change_batch]") {
  Model model = graph("x: f32[1,6]; k: f32[6]; s = i64[2] {1,6}; y = Reshape(x, s); v = Reshape(k, s)");
  change_batch(4, {"x"}).run(model);
  CHECK(unsound(model).empty());
  CHECK(signature(model) == "f32[4,6] f32[6] -> f32[4,6] f32[1,6]");
}

TEST_CASE("bodies follow", "[change_batch]") {
  const auto text = [](const std::string& batch, const std::string& entry) {
    return "x: f32[" + batch + ",2,3]; c: bool[]; y = If(c) {then_branch={ t = Reshape(x, i64[2] {" + entry +
           ",6}) }, else_branch={ e = Reshape(Neg(x), i64[2] {" + entry + ",6}) }}";
  };
  CHECK(becomes(text("1", "1"), change_batch("N"), text("N", "0")));
  CHECK(becomes(text("2", "2"), change_batch(3), text("3", "3")));
}

TEST_CASE("value_info follows, and an output that does not change is noted", "[change_batch]") {
  Model model = graph("x: f32[2,3]; h = Neg(x) : f32[2,3]; y = Abs(h) : f32[2,3]; s = ReduceSum(h) {keepdims=0}; "
                      "k = Identity(f32[4] 1); return y, s, k");
  const Report report = change_batch(7).run(model);
  CHECK(unsound(model).empty());
  CHECK(to_string(model.proto().graph().value_info(0).type()) == "f32[7,3]");
  CHECK(signature(model) == "f32[7,3] -> f32[7,3] f32[] f32[4]");
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Contains("'k' does not change"));
}

TEST_CASE("the sizes of operators of a user's own are taken to follow", "[change_batch]") {
  Model model = graph("x: f32[2,3]; y = own::Op(x) : f32[2,9]");
  change_batch("N").run(model);
  CHECK(signature(model) == "f32[N,3] -> f32[N,9]");
}

TEST_CASE("a model that is made for its batch is refused, with the node", "[change_batch]") {
  const auto why = [](const std::string& text, const Pass& pass) { return refusal(graph(text), pass); };
  CHECK_THAT(why("x: f32[2,3]; k = f32[2,3] random; y = Add(x, k)", change_batch("N")), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[2,3]; k = f32[2,3] random; y = Add(x, k)", change_batch(1)), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[2,3]; y = Concat(x, f32[2,1] 1) {axis=1}", change_batch(4)), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[2,3]; y = Expand(x, i64[3] {4,2,3})", change_batch(4)), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[4,3]; y = Reshape(x, i64[3] {2,2,3})", change_batch(8)), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[1,6,8]; y = Reshape(x, i64[3] {6,1,8})", change_batch(8)), Contains("may be the batch"));
  CHECK_THAT(why("x: f32[3,6,2,4]; t = Transpose(x) {perm=[1,2,0,3]}; m = Reshape(t, i64[3] {6,-1,4}); "
                 "y = Reshape(m, i64[4] {6,2,3,4})",
                 change_batch(8)),
             Contains("not the outer factor"));
  CHECK_THAT(why("x: f32[1,6,8]; s: i64[2] = {1,-1}; y = Reshape(x, s)", change_batch(8)), Contains("freeze_inputs()"));
  CHECK_THAT(why("x: f32[1,3]; y = Squeeze(x)", change_batch("N")), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[1,3]; y = Squeeze(x, i64[1] 0)", change_batch("N")), Contains("node 'y'"));
  CHECK_THAT(why("x: f32[2,4,3]; t = Transpose(x) {perm=[1,0,2]}; y = GRU(t, f32[1,12,3] random, f32[1,12,4] random, "
                 "_, "
                 "_, f32[1,2,4] 1) {hidden_size=4}", change_batch(3)), Contains("initial state is for a batch of 2"));
  CHECK_THAT(why("x: f32[2,16,8]; y = Reshape(x, i64[2] {32,-1})", change_batch("N")), Contains("beside -1"));
  CHECK_THAT(why("x: f32[]; y = Neg(x)", change_batch("N")), Contains("no input of the graph has a leading"));
  CHECK_THAT(why("x: f32[2]; y = Neg(x)", change_batch("N", {{"x", 1}})), Contains("x: has no axis 1"));
  CHECK_THAT(why("x: f32[2]; y = Neg(x)", change_batch("N", {"z"})), Contains("is not an input"));
  CHECK_THROWS(change_batch(-1));
  CHECK_THROWS(change_batch(""));
}
