#include <graft/lower/channels_last.hpp>

#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial converted(const std::string& text, ChannelsLast which = {}) {
  return given(text).pass(convert_to_channels_last(std::move(which))).changes_signature();
}

const std::string net = "w = f32[4,3,1,1] random; ";

}  // namespace

TEST_CASE("images come in and go out with their channels last") {
  CHECK(converted(net + "x: f32[N,3,5,6]; y = Conv(x, w)")
            .becomes(net + "x: f32[N,5,6,3]; y = Transpose(Conv(Transpose(x) {perm=[0,3,1,2]}, w)) {perm=[0,2,3,1]}"));
  const Run run = converted(net + "x: f32[N,3,5,6]; y = Conv(x, w)").run();
  CHECK(to_string(run.model.graph().output(0)->shape()) == "[N,5,6,4]");
  CHECK(run.model.graph().output(0)->name() == "y");
}

TEST_CASE("channels are last at one end, or by name") {
  const std::string text = net + "x: f32[2,3,5,6]; z: f32[2,4,5,6]; y = Add(Conv(x, w), z)";
  CHECK(converted(text, {.inputs = false})
            .becomes(net + "x: f32[2,3,5,6]; z: f32[2,4,5,6]; y = Transpose(Add(Conv(x, w), z)) {perm=[0,2,3,1]}"));
  CHECK(converted(text, {.names = {"z"}})
            .becomes(net + "x: f32[2,3,5,6]; z: f32[2,5,6,4];"
                           "y = Add(Conv(x, w), Transpose(z) {perm=[0,3,1,2]})"));
}

TEST_CASE("Transposes in a row become one or none") {
  CHECK(converted("x: f32[2,3,5,6]; y = Relu(x)").becomes("x: f32[2,5,6,3]; y = Relu(x)"));
  CHECK(converted(net + "x: f32[2,5,6,3]; t = Transpose(Mul(x, f32[] 2)) {perm=[0,3,1,2]}; y = Conv(t, w)",
                  {.outputs = false})
            .becomes(net + "x: f32[2,6,3,5]; t = Transpose(x) {perm=[0,2,3,1]}; y = Conv(Mul(t, f32[] 2), w)"));
  CHECK(converted(net + "x: f32[2,3,5,6]; y = Relu(Transpose(Conv(x, w)) {perm=[0,3,1,2]})", {.inputs = false})
            .becomes(net + "x: f32[2,3,5,6]; y = Relu(Conv(x, w))"));
}

TEST_CASE("with channels last inner uses and bodies read images as before") {
  CHECK(converted("c: bool[]; x: f32[2,3,5,6]; y = If(c) {then_branch={ t = Relu(x); return t },"
                  "else_branch={ e = Neg(x); return e }}",
                  {.outputs = false})
            .becomes("c: bool[]; x: f32[2,5,6,3]; u = Transpose(x) {perm=[0,3,1,2]};"
                     "y = If(c) {then_branch={ t = Relu(u); return t }, else_branch={ e = Neg(u); return e }}"));
  CHECK(converted("x: f32[2,3,5,6]; y = Relu(x); z = ReduceMax(y) {keepdims=0}; return y, z", {.inputs = false})
            .becomes("x: f32[2,3,5,6]; h = Relu(x); y = Transpose(h) {perm=[0,2,3,1]}; "
                     "z = ReduceMax(h) {keepdims=0}; return y, z"));
}

TEST_CASE("the results are those of the images with their channels first") {
  const std::string text = net + "x: f32[2,3,5,6]; y = Conv(x, w)";
  Model before = graph(text), after = graph(text);
  convert_to_channels_last().run(after);
  Random random(1);
  const Tensor last = random_tensor(DType::f32, {2, 5, 6, 3}, random);
  Model turn = graph("x: f32[2,5,6,3]; y = Transpose(x) {perm=[0,3,1,2]}");
  Model back = graph("x: f32[2,4,5,6]; y = Transpose(x) {perm=[0,2,3,1]}");
  const auto run = [](const Model& model, const Tensor& x) { return Evaluator(model.graph()).run({{"x", x}}).front(); };
  CHECK(run(after, last).same_bytes(run(back, run(before, run(turn, last)))));
}

TEST_CASE("convert_to_channels_last refuses") {
  CHECK(converted("x: f32[3,5,6]; y = Relu(x)").refuses("not of rank 4"));
  CHECK(converted("x: f32[3,5,6]; y = Relu(x)", {.names = {"x"}}).refuses("not of rank 4"));
  CHECK(converted("x: f32[2,3,5,6]; y = Relu(x)", {.names = {"z"}}).refuses("has this name"));
  CHECK(converted("x: f32[2,3,5,6]; y = Relu(x)", {.inputs = false, .names = {"x"}}).refuses("has this name"));
  CHECK(converted("x: f32[1,3,5,6] = 1; y = Relu(x)", {.names = {"x"}}).refuses("default"));
  CHECK(converted("x: f32[1,3,5,6]; y = ReduceMax(x) {keepdims=0}; return x, y").refuses("an output, too"));
}
