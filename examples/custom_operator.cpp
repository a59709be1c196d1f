// A custom operator. With a schema, a shape function and a kernel, graft checks, infers, runs, folds and compares it
// like ONNX's operators.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/simplify.hpp>
#include <graft/testing.hpp>

namespace {

using namespace graft;

/// mine::Stretch repeats each element of the last axis `times` times; the default is 2.
std::int64_t times_of(const auto& context) { return context.node().template attr<std::int64_t>("times").value(); }

Verdict stretch_shape(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  if (x.rank() == 0) return Verdict::no("a scalar has no axis to stretch");
  std::vector<Dim> dims = infer::to_dims(x);
  dims.back() = infer::multiply(dims.back(), times_of(c));
  c.set_shape(0, std::move(dims));
  return Verdict::yes();
}

void stretch(KernelContext& c) {
  const Tensor& x = c.input(0);
  const std::int64_t times = times_of(c);
  if (x.rank() == 0 || times < 1) throw Error("there is nothing to stretch");
  Dims dims = x.dims();
  dims.back() *= times;
  Tensor y(x.dtype(), dims);
  float* to = y.mutable_data<float>().data();
  for (const float value : x.data<float>()) to = std::fill_n(to, times, value);
  c.set_output(0, std::move(y));
}

OperatorSchema stretch_schema() {
  return {.inputs = {{"x", "T"}}, .outputs = {{"y", "T"}}, .defaults = {{"times", 2}}, .types = {{"T", {DType::f32}}}};
}

Model example(const Operators& operators) {
  Builder b(17);
  b.add_operators(operators);
  b.import("mine", 1);
  Value& x = b.input("x", DType::f32, {"N", 4});
  Value& bias = b.constant(Tensor::of<float>({2}, {1, -1}), "bias");
  Value& wide = b.op("mine::Stretch", {&x}, {{"times", 3}});
  Value& wide_bias = b.op("mine::Stretch", {&bias}, {{"times", 6}});
  b.output(b.op("Relu", {&b.op("Add", {&wide, &wide_bias})}), "y");
  return b.build();
}

}  // namespace

int main() {
  Context context;
  context.operators.add("mine::Stretch", {.schema = stretch_schema(), .shape = stretch_shape, .kernel = stretch});

  Model model = example(context.operators);
  for (const Problem& problem : verify(model)) std::cout << problem << "\n";
  std::cout << to_string(model.graph());

  const Tensor x = Tensor::of<float>({1, 4}, {0, 1, 2, 3});
  const Tensor y = Evaluator(model.graph()).run({{"x", x}}).front();
  for (const float value : y.data<float>()) std::cout << value << " ";
  std::cout << "\n";

  // The input of the second Stretch is a constant.
  Model folded = model.clone();
  std::cout << to_string(fold_constants().run(folded, context)) << to_string(folded.graph());

  const TestResult same = equivalent(model.graph(), folded.graph());
  std::cout << (same ? "equivalent" : same.message()) << "\n";
  return same ? 0 : 1;
}
