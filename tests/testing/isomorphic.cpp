#include <graft/testing/isomorphic.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

std::string difference(std::string_view a, std::string_view b) { return isomorphic(graph(a), graph(b)).message(); }

}  // namespace

TEST_CASE("names do not matter, nor the order of nodes") {
  CHECK(isomorphic(graph("x: f32[2]; y = Relu(x)"), graph("a: f32[2]; b = Relu(a)")));
  CHECK(isomorphic(graph("x: f32[2]; a = Relu(x); b = Neg(x); y = Add(a, b)"),
                   graph("x: f32[2]; b = Neg(x); a = Relu(x); y = Add(a, b)")));
}

TEST_CASE("operators matter") {
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; y = Neg(x)") ==
        "output 0 of the graph is '%y = Relu(%x) : f32[2]' in the first, '%y = Neg(%x) : f32[2]' in the second");
  CHECK(difference("x: f32[2]; y = Gelu(x)", "x: f32[2]; y = com.microsoft::Gelu(x)") != "");
}

TEST_CASE("attributes matter, defaults spelled out do not") {
  CHECK(isomorphic(graph("x: f32[2,2]; y = Softmax(x) {axis=-1}"), graph("x: f32[2,2]; y = Softmax(x)")));
  CHECK(difference("x: f32[2,2]; y = Softmax(x) {axis=0}", "x: f32[2,2]; y = Softmax(x)") ==
        "attribute 'axis' of '%y = Softmax(%x) {axis=0} : f32[2,2]' is 0 in the first, not given in the second");
  CHECK(difference("x: f32[2,2]; y = Softmax(x)", "x: f32[2,2]; y = Softmax(x) {axis=0}")
            .find("is not given in the first, 0") != std::string::npos);
  // The default is that of the operator's version.
  CHECK_FALSE(isomorphic(graph("opset 11; x: f32[2,2]; y = Softmax(x) {axis=-1}"),
                         graph("opset 11; x: f32[2,2]; y = Softmax(x)")));
  CHECK(isomorphic(graph("x: f32[2,2]; y = test::Op(x) {a=1, b=2}"), graph("x: f32[2,2]; y = test::Op(x) {b=2, a=1}")));
  CHECK(difference("x: f32[2]; y = test::Op(x) {a=f32[1] 1}", "x: f32[2]; y = test::Op(x) {a=f32[1] 2}")
            .find("f32[1] with other contents in the second") != std::string::npos);
}

TEST_CASE("the opset of what is used matters") {
  CHECK(difference("opset 13; x: f32[2]; y = Relu(x)", "opset 14; x: f32[2]; y = Relu(x)").find("opset of") == 4);
  CHECK(isomorphic(graph("opset unused 3; x: f32[2]; y = Relu(x)"), graph("x: f32[2]; y = Relu(x)")));
}

TEST_CASE("edges matter") {
  CHECK_FALSE(isomorphic(graph("x: f32[2]; z: f32[2]; y = Sub(x, z)"), graph("x: f32[2]; z: f32[2]; y = Sub(z, x)")));
  CHECK_FALSE(isomorphic(graph("x: f32[4]; a, b = Split(x); y = Sub(a, b)"),
                         graph("x: f32[4]; a, b = Split(x); y = Sub(b, a)")));
  CHECK_FALSE(isomorphic(graph("x: f32[2]; y = Clip(x, _, f32[] 1)"), graph("x: f32[2]; y = Clip(x, f32[] 1)")));
  CHECK_FALSE(
      isomorphic(graph("x: f32[2]; a = Relu(x); y = Add(a, a)"), graph("x: f32[2]; y = Add(Relu(x), Relu(x))")));
  CHECK_FALSE(
      isomorphic(graph("x: f32[2]; y = Add(Relu(x), Relu(x))"), graph("x: f32[2]; a = Relu(x); y = Add(a, a)")));
}

TEST_CASE("initializers matter, bit for bit and one by one") {
  CHECK(isomorphic(graph("x: f32[2]; w = f32[2] {1,2}; y = Add(x, w)"), graph("x: f32[2]; y = Add(x, f32[2] {1,2})")));
  CHECK(difference("x: f32[2]; y = Add(x, f32[] 0)", "x: f32[2]; y = Add(x, f32[] -0.0)").find("other contents") !=
        std::string::npos);
  CHECK(difference("x: f32[2]; y = Add(x, f32[] 0)", "x: f32[2]; y = Add(x, f32[1] 0)").find("f32[]") !=
        std::string::npos);
  CHECK(difference("x: f32[2]; c = f32[] 1; y = Add(Add(x, c), c)", "x: f32[2]; y = Add(Add(x, f32[] 1), f32[] 1)")
            .find("stands for both") != std::string::npos);
  CHECK_FALSE(isomorphic(graph("x: string[2]; y = Equal(x, string[1] \"a\")"),
                         graph("x: string[2]; y = Equal(x, string[1] \"b\")")));
  CHECK_FALSE(isomorphic(graph("x: f32[2]; c = Constant() {value=f32[] 1}; y = Add(x, c)"),
                         graph("x: f32[2]; y = Add(x, f32[] 1)")));
}

TEST_CASE("the encoding of an initializer does not matter") {
  Model raw = graph("x: f32[2]; w = f32[2] {1,2}; y = Add(x, w)");
  onnx::ModelProto proto = raw.commit();
  onnx::TensorProto& tensor = *proto.mutable_graph()->mutable_initializer(0);
  tensor.clear_raw_data();
  tensor.add_float_data(1);
  tensor.add_float_data(2);
  CHECK(isomorphic(raw, Model(proto)));
}

TEST_CASE("the signature matters: number, order, types and defaults") {
  CHECK(difference("x: f32[2]; z: f32[2]; y = Relu(x)", "x: f32[2]; y = Relu(x)") ==
        "the number of inputs of the graph is 2 in the first, 1 in the second");
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[N]; y = Relu(x)") ==
        "input 0 of the graph is f32[2] in the first, f32[N] in the second");
  CHECK_FALSE(isomorphic(graph("x: f32[2]; z: f32[2]; y = Relu(x)"), graph("z: f32[2]; x: f32[2]; y = Relu(x)")));
  CHECK_FALSE(isomorphic(graph("x: f32[2]; y = Relu(x); z = Neg(x); return y, z"),
                         graph("x: f32[2]; y = Relu(x); z = Neg(x); return z, y")));
  CHECK(difference("x: f32[2]; w: f32[2] = 1; y = Add(x, w)", "x: f32[2]; w: f32[2]; y = Add(x, w)")
            .find("with a default") != std::string::npos);
  CHECK(difference("x: f32[2]; w: f32[2] = 1; y = Add(x, w)", "x: f32[2]; w: f32[2] = 2; y = Add(x, w)")
            .find("other contents") != std::string::npos);
}

TEST_CASE("bodies matter") {
  constexpr std::string_view text =
      "c: bool[]; x: f32[2]; y = If(c) {then_branch={r = Neg(x)}, else_branch={s = Abs(x)}}";
  CHECK(isomorphic(graph(text),
                   graph("c: bool[]; x: f32[2]; y = If(c) {else_branch={r = Abs(x)}, then_branch={s = Neg(x)}}")));
  CHECK(difference(text, "c: bool[]; x: f32[2]; y = If(c) {then_branch={r = Neg(x)}, else_branch={s = Neg(x)}}")
            .find("output 0 of a body") == 0);
  // A node inside a body is not the same as one in front of it.
  CHECK_FALSE(isomorphic(
      graph(text),
      graph("c: bool[]; x: f32[2]; r = Neg(x); y = If(c) {then_branch={return r}, else_branch={s = Abs(x)}}")));
}

TEST_CASE("nodes that no output needs are paired too") {
  CHECK(isomorphic(graph("x: f32[2]; d = Relu(Neg(x)); e = Abs(x); y = Tanh(x); return y"),
                   graph("x: f32[2]; y = Tanh(x); e = Abs(x); d = Relu(Neg(x)); return y")));
  CHECK(difference("x: f32[2]; d = Relu(Neg(x)); y = Tanh(x); return y", "x: f32[2]; y = Tanh(x); return y")
            .find("a node without effect, '%Neg_1 = Neg(%x) : f32[2]', is in the first only") == 0);
  CHECK_FALSE(isomorphic(graph("x: f32[2]; d = Relu(x); y = Tanh(x); return y"),
                         graph("x: f32[2]; d = Abs(x); y = Tanh(x); return y")));
  // Two that are alike except for what they share.
  CHECK(isomorphic(
      graph("x: f32[2]; a = Relu(x); b = Relu(x); c = Neg(a); d = Neg(b); e = Abs(b); y = Tanh(x); return y"),
      graph("x: f32[2]; b = Relu(x); a = Relu(x); e = Abs(b); d = Neg(b); c = Neg(a); y = Tanh(x); return y")));
  CHECK(difference("x: f32[2]; w = f32[3] 1; y = Relu(x)", "x: f32[2]; y = Relu(x)") ==
        "the unused initializer %w is in the first only");
  CHECK(difference("x: f32[2]; y = Relu(x)", "x: f32[2]; w = f32[3] 1; y = Relu(x)") ==
        "the unused initializer %w is in the second only");
}

TEST_CASE("an output that nothing reads equals one that is omitted") {
  CHECK(isomorphic(graph("x: f32[4]; a, b = Split(x); return a"), graph("x: f32[4]; a, _ = Split(x); return a")));
}

TEST_CASE("the graphs are called as wanted") {
  CHECK(isomorphic(graph("x: f32[2]; y = Relu(x)"), graph("x: f32[3]; y = Relu(x)"), {"ours", "theirs"}).message() ==
        "input 0 of the graph is f32[2] in ours, f32[3] in theirs");
}

TEST_CASE("no path is walked twice where every one doubles") {
  const auto doubling = [](int depth) {
    Builder builder(17);
    Value* at = &builder.input("x", DType::f32, {1});
    for (int i = 0; i < depth; ++i) at = &builder.op("Add", {at, at});
    builder.output(*at);
    return builder.build();
  };
  CHECK(isomorphic(doubling(20000), doubling(20000)));
  CHECK_FALSE(isomorphic(doubling(20000), doubling(20001)));
}
