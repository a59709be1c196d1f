#include <graft/surgery/deduplicate_subgraph_initializers.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;

namespace {

TestResult becomes(const std::string& text, const std::string& wanted) {
  Model model = graph(text);
  const Model before = graph(text);
  deduplicate_subgraph_initializers().run(model);
  CHECK(unsound(model).empty());
  CHECK(equivalent(before.graph(), model.graph()));
  CHECK(deduplicate_subgraph_initializers().run(model).changes == 0);
  return isomorphic(graph(wanted), model);
}

const std::string inputs = "x: f32[2]; c: bool[]; ";

}  // namespace

TEST_CASE("a body reads the initializer of a scope around it", "[deduplicate_subgraph_initializers]") {
  CHECK(becomes(inputs + "w = f32[2] 3; h = Add(x, w); y = If(c) {then_branch={ v = f32[2] 3; t = Add(h, v) }, "
                         "else_branch={ u = f32[2] 4; e = Mul(h, u) }}",
                inputs + "w = f32[2] 3; h = Add(x, w); y = If(c) {then_branch={ t = Add(h, w) }, "
                         "else_branch={ u = f32[2] 4; e = Mul(h, u) }}"));
}

TEST_CASE("two bodies share what was in both", "[deduplicate_subgraph_initializers]") {
  CHECK(becomes(inputs + "y = If(c) {then_branch={ v = f32[2] 3; t = Add(x, v) }, "
                         "else_branch={ u = f32[2] 3; e = Mul(x, u) }}",
                inputs + "w = f32[2] 3; y = If(c) {then_branch={ t = Add(x, w) }, else_branch={ e = Mul(x, w) }}"));
  // The nearest scope that they have in common is a body.
  CHECK(becomes(inputs + "d: bool[]; y = If(c) {then_branch={ t = If(d) {then_branch={ v = f32[2] 3; a = Add(x, v) }, "
                         "else_branch={ u = f32[2] 3; b = Mul(x, u) }} }, else_branch={ e = Neg(x) }}",
                inputs + "d: bool[]; y = If(c) {then_branch={ w = f32[2] 3; t = If(d) {then_branch={ a = Add(x, w) }, "
                         "else_branch={ b = Mul(x, w) }} }, else_branch={ e = Neg(x) }}"));
}

TEST_CASE("three bodies share what was in all", "[deduplicate_subgraph_initializers]") {
  CHECK(becomes(inputs + "d: bool[]; y = If(c) {then_branch={ v = f32[2] 3; t = Add(x, v) }, "
                         "else_branch={ u = f32[2] 3; e = Mul(x, u) }}; z = If(d) {then_branch={ r = f32[2] 3; "
                         "s = Sub(x, r) }, else_branch={ n = Neg(x) }}; return y, z",
                inputs + "d: bool[]; w = f32[2] 3; y = If(c) {then_branch={ t = Add(x, w) }, "
                         "else_branch={ e = Mul(x, w) }}; z = If(d) {then_branch={ s = Sub(x, w) }, "
                         "else_branch={ n = Neg(x) }}; return y, z"));
}

TEST_CASE("what differs, can be overridden or is an output stays", "[deduplicate_subgraph_initializers]") {
  const auto stays = [](const std::string& text) { return becomes(inputs + text, inputs + text); };
  CHECK(stays("w: f32[2] = 3; h = Add(x, w); y = If(c) {then_branch={ v = f32[2] 3; t = Add(h, v) }, "
              "else_branch={ e = Neg(h) }}"));
  CHECK(stays("w = f32[2] 3; h = Add(x, w); y = If(c) {then_branch={ v = f32[2] 3; return v }, "
              "else_branch={ e = Neg(h) }}"));
  CHECK(stays("w = f32[2] 0; h = Add(x, w); y = If(c) {then_branch={ v = f32[2] {-0.0, 0}; t = Div(h, v) }, "
              "else_branch={ e = Neg(h) }}"));
  CHECK(stays("w = f32[1] 3; h = Add(x, w); y = If(c) {then_branch={ v = f32[] 3; t = Add(h, v) }, "
              "else_branch={ e = Neg(h) }}"));
}
