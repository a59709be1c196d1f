#include <graft/surgery/subgraphs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/surgery/merge_models.hpp>
#include <graft/testing.hpp>
#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

TestResult becomes(const std::string& text, std::vector<std::string> inputs, std::vector<std::string> outputs,
                   const std::string& wanted) {
  Model model = graph(text);
  extract_subgraph(inputs, outputs).run(model);
  CHECK(unsound(model).empty());
  const auto names = [](const auto& infos) {
    std::vector<std::string> result;
    for (const onnx::ValueInfoProto& info : infos) result.push_back(info.name());
    return result;
  };
  CHECK(names(model.proto().graph().input()) == inputs);
  CHECK(names(model.proto().graph().output()) == outputs);
  return isomorphic(graph(wanted), model);
}

const std::string whole = "x: f32[2]; k: f32[2]; w = f32[2] 1; h = Neg(x); g = Add(h, k); y = Mul(g, w); v = Abs(y)";

}  // namespace

TEST_CASE("what lies between the values is left, under its names", "[extract_subgraph]") {
  CHECK(becomes(whole, {"h", "k"}, {"g"}, "h: f32[2]; k: f32[2]; g = Add(h, k)"));
  CHECK(becomes(whole, {"k", "h"}, {"y"}, "k: f32[2]; h: f32[2]; w = f32[2] 1; y = Mul(Add(h, k), w)"));
  CHECK(becomes(whole, {"g"}, {"v", "y"}, "g: f32[2]; w = f32[2] 1; y = Mul(g, w); v = Abs(y); return v, y"));
  CHECK(becomes(whole, {"x"}, {"h"}, "x: f32[2]; h = Neg(x)"));
}

TEST_CASE("inputs that are outputs, constants as inputs, inputs that nothing reads", "[extract_subgraph]") {
  CHECK(becomes(whole, {"h", "k"}, {"h", "g"}, "h: f32[2]; k: f32[2]; g = Add(h, k); return h, g"));
  CHECK(becomes(whole, {"g", "w"}, {"y"}, "g: f32[2]; w: f32[2]; y = Mul(g, w)"));
  CHECK(becomes(whole, {"x", "k"}, {"h"}, "x: f32[2]; k: f32[2]; h = Neg(x)"));
}

TEST_CASE("captures in bodies are cut too", "[extract_subgraph]") {
  CHECK(becomes("x: f32[2]; c: bool[]; h = Neg(x); y = If(c) {then_branch={ t = Abs(h) }, else_branch={ e = Exp(h) }}",
                {"c", "h"}, {"y"},
                "c: bool[]; h: f32[2]; y = If(c) {then_branch={ t = Abs(h) }, else_branch={ e = Exp(h) }}"));
}

TEST_CASE("what bodies hand out as it is is cut too", "[extract_subgraph]") {
  CHECK(becomes("x: f32[2]; c: bool[]; h = Relu(x); y = If(c) {then_branch={ return h }, else_branch={ e = Neg(h) }}",
                {"h", "c"}, {"y"},
                "h: f32[2]; c: bool[]; y = If(c) {then_branch={ return h }, else_branch={ e = Neg(h) }}"));
}

TEST_CASE("inputs with a default stay where they are read", "[extract_subgraph]") {
  Model model = graph("x: f32[2]; w: f32[2] = 3; u: f32[2] = 4; h = Neg(x); y = Add(h, w); v = Add(x, u); return y, v");
  extract_subgraph({"h"}, {"y"}).run(model);
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph("h: f32[2]; w: f32[2] = 3; y = Add(h, w)"), model));
}

TEST_CASE("the types of inputs are inferred", "[extract_subgraph]") {
  onnx::ModelProto bare = graph("x: f32[N,3]; h = MatMul(x, f32[3,4] random); y = Neg(h)").commit();
  bare.mutable_graph()->clear_value_info();
  Model model(bare);
  extract_subgraph({"h"}, {"y"}).run(model);
  CHECK(to_string(model.commit().graph().input(0).type()) == "f32[N,4]");
}

TEST_CASE("what cannot be cut out is an error", "[extract_subgraph]") {
  const auto why = [](std::vector<std::string> inputs, std::vector<std::string> outputs) {
    return refusal(graph(whole + "; o = own::Op(own::Op(x)); return y, v, o"),
                   extract_subgraph(std::move(inputs), std::move(outputs)));
  };
  CHECK_THAT(why({"h"}, {"y"}), Contains("other inputs, too: 'k'"));
  CHECK_THAT(why({}, {"g"}), Contains("other inputs, too: 'x', 'k'"));
  CHECK_THAT(why({"q"}, {"y"}), Contains("q: is not a value"));
  CHECK_THAT(why({"x"}, {"q"}), Contains("q: is not a value"));
  CHECK_THAT(why({"g", "g"}, {"y"}), Contains("is repeated"));
  CHECK_THAT(why({"g"}, {"y", "y"}), Contains("is repeated"));
  CHECK_THAT(why({"g"}, {}), Contains("no outputs are given"));
  CHECK_THAT(why({"o"}, {"o"}), Contains("its type is not known"));
}

namespace {

void check_split(const std::string& text, const std::vector<std::string>& at, const std::string& first,
                 const std::string& second) {
  INFO(text);
  Model model = graph(text);
  const std::string before = model.serialize();
  auto [one, other] = split_model(model, at);
  CHECK(model.serialize() == before);
  CHECK(unsound(one).empty());
  CHECK(unsound(other).empty());
  CHECK(isomorphic(graph(first), one));
  CHECK(isomorphic(graph(second), other));
}

}  // namespace

TEST_CASE("a chain is cut in two", "[split_model]") {
  check_split("x: f32[N,2]; h = Neg(x); g = Abs(h); y = Exp(g)", {"g"}, "x: f32[N,2]; g = Abs(Neg(x))",
              "g: f32[N,2]; y = Exp(g)");
}

TEST_CASE("what else the second reads of the first goes between them, constants are in both", "[split_model]") {
  check_split(
      "x: f32[2]; z: f32[2]; w = f32[2] 1; k = Constant() {value=f32[2] 5}; h = Add(x, w); s = Abs(Mul(h, k)); "
      "t = Sum(s, z, w); y = Mul(Sub(t, h), k); return y, s",
      {"s"},
      "x: f32[2]; w = f32[2] 1; k = Constant() {value=f32[2] 5}; h = Add(x, w); s = Abs(Mul(h, k)); return "
      "s, h",
      "s: f32[2]; h: f32[2]; z: f32[2]; w = f32[2] 1; k = Constant() {value=f32[2] 5}; t = Sum(s, z, w); "
      "y = Mul(Sub(t, h), k)");
}

TEST_CASE("what bodies capture goes between them as well", "[split_model]") {
  check_split(
      "x: f32[2]; c: bool[]; h = Neg(x); s = Abs(h); y = If(c) {then_branch={ t = Add(s, h) }, "
      "else_branch={ e = Exp(x) }}",
      {"s"}, "x: f32[2]; h = Neg(x); s = Abs(h); return s, h",
      "s: f32[2]; h: f32[2]; x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Add(s, h) }, "
      "else_branch={ e = Exp(x) }}");
}

TEST_CASE("what bodies hand out as it is goes between them", "[split_model]") {
  check_split("x: f32[2]; c: bool[]; h = Relu(x); y = If(c) {then_branch={ return h }, else_branch={ e = Neg(h) }}",
              {"h"}, "x: f32[2]; h = Relu(x)",
              "h: f32[2]; c: bool[]; y = If(c) {then_branch={ return h }, else_branch={ e = Neg(h) }}");
}

TEST_CASE("inputs that nothing reads or that are outputs, and defaults", "[split_model]") {
  check_split("x: f32[2]; u: f32[3]; p: f32[4]; w: f32[2] = 2; h = Add(x, w); y = Mul(h, w); return y, p", {"h"},
              "x: f32[2]; u: f32[3]; w: f32[2] = 2; h = Add(x, w)",
              "h: f32[2]; p: f32[4]; w: f32[2] = 2; y = Mul(h, w); return y, p");
}

TEST_CASE("merging the parts gives the model", "[split_model]") {
  Model model = graph("x: f32[2]; w = f32[2] 1; h = Add(x, w); s = Abs(h); y = Mul(Sub(s, h), w)");
  auto [one, other] = split_model(model, {"s"});
  Model merged = merge_models(one, other);
  CHECK(unsound(merged).empty());
  CHECK(equivalent(model.graph(), merged.graph()));
}

TEST_CASE("a split that leaves nothing, or is at nothing, is an error", "[split_model]") {
  const auto why = [](const std::string& text, const std::vector<std::string>& at) -> std::string {
    Model model = graph(text);
    try {
      split_model(model, at);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = "x: f32[2]; w = f32[2] 1; h = Add(x, w); y = Abs(h)";
  CHECK_THAT(why(text, {"y"}), Contains("nothing is left"));
  CHECK_THAT(why(text, {"x"}), Contains("x: is not computed by a node"));
  CHECK_THAT(why(text, {"w"}), Contains("w: is not computed by a node"));
  CHECK_THAT(why(text, {"q"}), Contains("q: is not a value"));
  CHECK_THAT(why(text, {}), Contains("no values are given"));
  CHECK_THAT(why("x: f32[2]; h = own::Op(x); y = own::Op(h)", {"h"}), Contains("type is not known"));
}
