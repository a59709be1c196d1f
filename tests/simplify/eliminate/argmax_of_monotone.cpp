#include <graft/simplify/eliminate/argmax_of_monotone.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/simplify/rules.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("the largest stays the largest") {
  const std::string head = "x: f32[2,N]; ", r = head + "r = Relu(x); ";
  for (const std::string f : {"Log", "Exp", "Sqrt"}) {
    CHECK(given(r + "y = ArgMax(" + f + "(r)) {keepdims=0, select_last_index=1}")
              .rule(argmax_of_monotone)
              .becomes(r + "y = ArgMax(r) {keepdims=0, select_last_index=1}"));
  }
  CHECK(given(r + "y = ArgMax(Exp(Sqrt(r)))").rule(argmax_of_monotone).becomes(r + "y = ArgMax(r)"));
  CHECK(given(head + "y = ArgMax(Exp(x))").rule(argmax_of_monotone).becomes(head + "y = ArgMax(x)"));
  CHECK(given(head + "y = ArgMax(Log(x))").rule(argmax_of_monotone).refuses("below 0"));
  CHECK(given(head + "y = ArgMax(Sqrt(x))").rule(argmax_of_monotone).refuses("below 0"));
  CHECK(given(head + "y = ArgMax(Neg(x))").rule(argmax_of_monotone).refuses());
}

TEST_CASE("the largest of a Softmax is that along the same axis") {
  const std::string head = "x: f32[2,3,N]; ";
  for (const std::string f : {"Softmax", "LogSoftmax"}) {
    const auto along = [&](std::string_view opset, std::string_view softmax, std::string_view argmax) {
      return given(std::string(opset) + head + "y = ArgMax(" + f + "(x)" + std::string(softmax) + ")" +
                   std::string(argmax));
    };
    CHECK(along("", "", "{axis=2}").rule(argmax_of_softmax).becomes(head + "y = ArgMax(x) {axis=2}"));
    CHECK(along("", "{axis=1}", "{axis=-2}").rule(argmax_of_softmax).becomes(head + "y = ArgMax(x) {axis=-2}"));
    CHECK(along("", "{axis=1}", "{axis=2}").rule(argmax_of_softmax).refuses("different sums"));
    CHECK(along("", "", "").rule(argmax_of_softmax).refuses("different sums"));
    // Below 13 one sum is over all axes from its own on.
    CHECK(along("opset 11; ", "", "{axis=2}")
              .rule(argmax_of_softmax)
              .becomes("opset 11; " + head + "y = ArgMax(x) {axis=2}"));
    CHECK(along("opset 11; ", "{axis=2}", "{axis=1}").rule(argmax_of_softmax).refuses("different sums"));
  }
}

TEST_CASE("simplify leaves the index of ties: these rules are run by name") {
  for (const std::string f : {"Exp(x)", "Softmax(x)"}) {
    const std::string text = "x: f32[2,N]; y = ArgMax(" + f + ") {axis=1}";
    CHECK(given(text).pass(simplify()).becomes(text));
  }
  for (const char* const name : {"argmax-of-monotone", "argmax-of-softmax"})
    CHECK(simplify_rules().at(name).intent.values == "the index where rounding makes ties");
}

TEST_CASE("argmax_of_monotone through all variants") {
  // Halves round numbers that differ to one: the larger of them is no longer found.
  const VariantOptions options{.leave_out = {{"dtypes", "f16 rounds numbers that differ to one"}}};
  const VariantReport report =
      variants(argmax_of_monotone, "x: f32[2,N]; p = Sigmoid(x); h = Log(p); y = ArgMax(h) {axis=1}", {}, options);
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(variants(argmax_of_softmax, "x: f32[2,3,N]; p = Tanh(x); h = Softmax(p) {axis=1}; y = ArgMax(h) {axis=1}", {},
                 options));
}
