#include <graft/evaluate/clamp.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/build.hpp>

#include "evaluate/detail/random.hpp"
#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

/// The standard kernels, which count how often Clip and Relu run.
Kernels counting_kernels(int& runs) {
  Kernels kernels = Kernels::standard();
  for (const char* op : {"Clip", "Relu"}) {
    const auto counted = [&runs, op](KernelContext& ctx) {
      ++runs;
      (*Kernels::standard().find("", op, ctx.opset()))(ctx);
    };
    kernels.add(op, {}, counted, [](const Node& node) { return Kernels::standard().clamp(node); });
  }
  return kernels;
}

/// y = op(c, bounds...) with c = Conv(x, w, b).
struct Case {
  int opset = 13;
  std::string op = "Relu";
  Attributes clip = {};
  std::vector<Tensor> bounds = {};  // undefined: absent
  Attributes conv = {};
  Dims x{1, 3, 9, 11}, w{5, 3, 3, 3};
  DType dtype = DType::f32;

  Model model() const {
    Builder builder(opset);
    const auto constant = [&](std::string_view name, const Tensor& values) {
      return &builder.constant(Tensor::of(dtype, values.dims(), values.to<float>()), name);
    };
    Value& c = builder.op("Conv",
                          {&builder.input("x", dtype), constant("w", Tensor::of(w, random_floats(element_count(w), 2))),
                           constant("b", Tensor::of({w[0]}, random_floats(w[0], 3)))},
                          conv);
    builder.graph().rename(c, "c");
    std::vector<Value*> inputs{&c};
    for (const Tensor& bound : bounds)
      inputs.push_back(bound ? constant("bound" + std::to_string(inputs.size()), bound) : nullptr);
    builder.output(*builder.graph().insert(op, inputs, 1, clip).output(0), "y");
    return builder.build();
  }
  Tensor input() const {
    std::vector<float> values = random_floats(element_count(x), 1);
    values[1] = quiet_nan;
    values[values.size() / 2] = -infinity;
    return Tensor::of(dtype, x, values);
  }
};

/// The bits of y are the same whether c is fetched too, which keeps Clip from going with Conv; how often it ran then.
int runs_of(const Case& one) {
  int runs = 0;
  const Model model = one.model();
  const Evaluator evaluator(model.graph(), counting_kernels(runs));
  const Feeds feeds{{"x", one.input()}};
  const Tensor apart = evaluator.run(feeds, {"c", "y"})[1];
  CHECK(runs == 1);
  runs = 0;
  const Tensor together = evaluator.run(feeds)[0];
  CHECK(together.same_bytes(apart));
  CHECK_FALSE(together.same_bytes(evaluator.run(feeds, {"c"})[0]));
  return runs;
}

std::vector<Tensor> scalars(std::initializer_list<float> values) {
  std::vector<Tensor> tensors;
  for (const float value : values) tensors.push_back(Tensor::scalar(value));
  return tensors;
}

}  // namespace

TEST_CASE("a clamp leaves NaN, and its upper bound wins") {
  const auto clamped = [](float x, float low, float high) {
    Clamp::apply(x, low, high);
    return x;
  };
  CHECK(clamped(5, -1, 1) == 1);
  CHECK(clamped(-5, -1, 1) == -1);
  CHECK(clamped(0, 3, 2) == 2);
  CHECK(std::isnan(clamped(quiet_nan, -1, 1)));
  CHECK(clamped(5, quiet_nan, quiet_nan) == 5);
  CHECK(clamped(-infinity, Clamp().low, Clamp().high) == -infinity);
}

TEST_CASE("Relu and Clip go with every convolution of floats, and change no bit for it") {
  const std::vector<Tensor> six = scalars({0, 6});
  CHECK(runs_of({}) == 0);
  CHECK(runs_of({.x = {2, 3, 9, 50}}) == 0);
  CHECK(runs_of({.opset = 6, .op = "Clip", .clip = {{"min", -0.1F}, {"max", 0.2F}}}) == 0);
  CHECK(runs_of({.opset = 10, .op = "Clip"}) == 0);  // to the largest numbers: infinities change
  CHECK(runs_of({.opset = 11, .op = "Clip", .bounds = scalars({-0.1F, 0.2F})}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = scalars({0.3F})}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = {Tensor(), Tensor::scalar(0.3F)}}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = scalars({0.3F, 0.2F})}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = scalars({quiet_nan, 0.2F})}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = six, .conv = {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 2}}}}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = six, .conv = {{"group", 3}}, .w = {6, 1, 3, 3}}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = six, .conv = {{"group", 3}}, .x = {1, 6, 9, 9}, .w = {6, 2, 3, 3}}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = six, .w = {5, 3, 1, 1}}) == 0);
  CHECK(runs_of({.op = "Clip", .bounds = six, .x = {1, 700, 7, 7}, .w = {5, 700, 1, 1}}) == 0);  // in several panels
  const Attributes far{{"pads", Ints{900, 900, 900, 900}}, {"dilations", Ints{900, 900}}};
  CHECK(runs_of({.op = "Clip", .bounds = six, .conv = far, .x = {1, 3, 3, 3}}) == 0);  // too far to pad
}

TEST_CASE("Clip and Relu run for other types, and where their bounds are not constants") {
  CHECK(runs_of({.dtype = DType::f64}) == 1);
  CHECK(runs_of({.dtype = DType::f16}) == 1);

  const Case one{.op = "Clip", .bounds = scalars({-0.1F, 0.2F})};
  const Model model = one.model();
  int runs = 0;
  const Evaluator evaluator(model.graph(), counting_kernels(runs));
  const Tensor fed = evaluator.run({{"x", one.input()}, {"bound1", Tensor::scalar(0.1F)}})[0];
  CHECK(runs == 1);
  const Case other{.op = "Clip", .bounds = scalars({0.1F, 0.2F})};
  CHECK(fed.same_bytes(Evaluator(other.model().graph()).run({{"x", one.input()}})[0]));
}

TEST_CASE("a convolution that others read, or that is fed, stays apart from its Relu") {
  Builder builder(13);
  Value& x = builder.input("x", DType::f32);
  Value& c = builder.op("Conv", {&x, &builder.constant(Tensor::of({1, 1, 1}, {-1.0F}), "w")});
  builder.graph().rename(c, "c");
  builder.output(builder.op("Relu", {&c}), "y");
  builder.output(builder.op("Neg", {&c}), "z");
  const Model model = builder.build();
  int runs = 0;
  const Evaluator evaluator(model.graph(), counting_kernels(runs));
  const Tensor values = Tensor::of({1, 1, 2}, {1.0F, -2.0F});
  const std::vector<Tensor> results = evaluator.run({{"x", values}});
  CHECK(runs == 1);
  CHECK(same(results[0], Tensor::of({1, 1, 2}, {0.0F, 2.0F})));
  CHECK(same(results[1], Tensor::of({1, 1, 2}, {1.0F, -2.0F})));
  CHECK(same(evaluator.run({{"c", values}}, {"y"})[0], Tensor::of({1, 1, 2}, {1.0F, 0.0F})));
  CHECK(runs == 2);
  CHECK(same(evaluator.run({{"x", values}}, {"y"})[0], Tensor::of({1, 1, 2}, {0.0F, 2.0F})));
  CHECK(runs == 2);  // none of the others is computed
  CHECK(same(evaluator.run({{"x", values}, {"y", values}}, {"z"})[0], Tensor::of({1, 1, 2}, {1.0F, -2.0F})));
}

TEST_CASE("a user's kernel runs where the standard Relu would not") {
  const Case one;
  const Model model = one.model();
  Kernels kernels = Kernels::standard();
  kernels.add("Relu", [](KernelContext& ctx) { ctx.set_output(0, Tensor::scalar(7.0F)); });
  CHECK(Evaluator(model.graph(), kernels).run({{"x", one.input()}})[0].item<float>() == 7);
}

TEST_CASE("a kernel that takes no clamp is followed by the one that it is for") {
  const Case one{.op = "Clip", .bounds = scalars({1, 2})};
  const Model model = one.model();
  int runs = 0;
  Kernels kernels = counting_kernels(runs);
  kernels.add("Conv", [](KernelContext& ctx) { ctx.set_output(0, floats({0, 3})); });
  CHECK(same(Evaluator(model.graph(), kernels).run({{"x", one.input()}})[0], floats({1, 2})));
  CHECK(runs == 1);
}
