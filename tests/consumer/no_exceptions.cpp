// A program that is compiled without exceptions and linked to the compiled library. It includes all of graft.
#include <cstdio>
#include <fstream>
#include <string>

#include <graft/graft.hpp>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

constexpr auto x = graft::val<"x">;
constexpr auto relu_abs = graft::rule<"relu-abs">(graft::op<"Relu">(graft::op<"Abs">(x)), graft::op<"Abs">(x));

graft::Model small_model() {
  graft::Builder b(13);
  graft::Value& in = b.op("Identity", {&b.input("x", graft::DType::f32, {2})});
  b.output(b.op("Relu", {&b.op("Abs", {&in})}), "y");
  return b.build();
}

}  // namespace

int main() {
  using namespace graft;
  std::ofstream("broken.onnx") << "no model";
  const Result<Model> broken = try_load("broken.onnx");
  expect(!broken && broken.error().file() == "broken.onnx", "a broken file gives an error that names it");

  Model made = small_model();
  expect(try_save(made, "good.onnx").has_value(), "a model is saved");
  expect(!try_save(made, "nowhere/good.onnx"), "no model is saved into a folder that does not exist");
  Result<Model> good = try_load("good.onnx");
  if (!good) return std::printf("%s\n", good.error().what()), 1;

  Context context;
  const Result<Report> report = try_run(simplify() | fixpoint(relu_abs), *good, context);
  expect(report && report->changes >= 2, "a rule of graft and one of the program apply");
  expect(good->graph().nodes().size() == 1, "one node is left");
  expect(try_save(*good, "simple.onnx").has_value(), "the result is saved");
  expect(try_load("simple.onnx").has_value(), "and loads");

  const Pass wrong = pass("wrong", [](Graph& graph, Context&) { graph.rename(*graph.output(0), "x"); });
  const Result<Report> error = try_run(wrong, *good, context);
  expect(!error && error.error().pass() == "wrong", "an error that passes through the program's own pass names it");
  expect(verify(*good).empty(), "and leaves a valid model");
  return failures;
}
