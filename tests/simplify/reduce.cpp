#include <graft/simplify/reduce.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/simplify/rules.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("reduce_unsqueeze, axes as attributes and inputs") {
  CHECK(given("x: f32[2,N,4]; y = Unsqueeze(ReduceMean(x) {axes=[-1,0], keepdims=0}, i64[2] {0, 2})")
            .rule(reduce_unsqueeze)
            .becomes("x: f32[2,N,4]; y = ReduceMean(x) {axes=[-1,0]}"));
  CHECK(given("opset 11; x: f32[2,N]; y = Unsqueeze(ReduceSum(x) {axes=[1], keepdims=0}) {axes=[-1]}")
            .rule(reduce_unsqueeze)
            .becomes("opset 11; x: f32[2,N]; y = ReduceSum(x) {axes=[1]}"));
  CHECK(given("opset 18; x: f32[2,N]; y = Unsqueeze(ReduceL2(x, i64[1] -2) {keepdims=0}, i64[1] 0)")
            .rule(reduce_unsqueeze)
            .becomes("opset 18; x: f32[2,N]; y = ReduceL2(x, i64[1] -2)"));
  CHECK(given("x: f32[2,N]; y = Unsqueeze(ReduceMax(x) {keepdims=0}, i64[2] {1, 0})")
            .rule(reduce_unsqueeze)
            .becomes("x: f32[2,N]; y = ReduceMax(x)"));
  CHECK(given("x: f32[2,N]; y = Unsqueeze(ArgMin(x) {axis=1, keepdims=0}, i64[1] -1)")
            .rule(arg_unsqueeze)
            .becomes("x: f32[2,N]; y = ArgMin(x) {axis=1}"));
}

TEST_CASE("reduce_unsqueeze refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(reduce_unsqueeze).refuses(reason);
  };
  CHECK(refuses("x: f32[2,2]; y = Unsqueeze(ReduceMax(x) {axes=[0], keepdims=0}, i64[1] 1)", "axes differ"));
  CHECK(refuses("x: f32[2,2]; y = Unsqueeze(ReduceMax(x) {axes=[0]}, i64[1] 0)", "keepdims"));
  CHECK(refuses("x: f32; y = Unsqueeze(ReduceMax(x) {keepdims=0}, i64[1] 0)", "rank"));
  CHECK(refuses("x: f32[1]; y = Unsqueeze(ReduceSum(x) {keepdims=0, noop_with_empty_axes=1}, i64[1] 0)", "noop"));
  CHECK(refuses("x: f32[2]; a: i64[1]; y = Unsqueeze(ReduceSum(x, a) {keepdims=0}, i64[1] 0)", "constant"));
  CHECK(given("x: f32[2,2]; y = Unsqueeze(ArgMax(x) {axis=1, keepdims=0}, i64[1] 0)")
            .rule(arg_unsqueeze)
            .refuses("axes differ"));
}

TEST_CASE("reduce_unsqueeze through all variants") {
  for (const std::string_view f :
       {"ReduceSum(x, i64[2] {0, 2}) {keepdims=0}", "ReduceMax(x) {axes=[0,2], keepdims=0}"}) {
    const VariantReport report = variants(
        reduce_unsqueeze, "x: f32[2,N,4]; h = " + std::string(f) + "; g = Unsqueeze(h, i64[2] {0, 2}); y = Neg(g)");
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  }
  CHECK(variants(arg_unsqueeze, "x: f32[2,N]; h = ArgMax(x) {axis=1, keepdims=0}; y = Unsqueeze(h, i64[1] 1)"));
}

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
