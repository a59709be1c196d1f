#include <graft/evaluate/detail/kernel_table.hpp>

#include <catch2/catch.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/operators.hpp>

using namespace graft;

namespace {

/// The number that a kernel leaves in `called`.
int call(const Kernel* kernel, int& called) {
  called = 0;
  Builder b(17);
  KernelContext context(*b.op("Identity", {&b.input("x", DType::f32)}).producer(), {}, {});
  if (kernel != nullptr) (*kernel)(context);
  return called;
}

}  // namespace

TEST_CASE("kernels are found by domain, operator and opset") {
  int called = 0;
  const auto kernel = [&](int number) { return [&called, number](KernelContext&) { called = number; }; };
  Kernels kernels;
  kernels.add("Twist", {1, 8}, kernel(1)).add("Twist", {9}, kernel(2)).add("my.domain::Twist", kernel(3));
  CHECK(call(kernels.find("", "Twist", 8), called) == 1);
  CHECK(call(kernels.find("ai.onnx", "Twist", 9), called) == 2);
  CHECK(call(kernels.find("my.domain", "Twist", 1), called) == 3);
  CHECK(kernels.find("", "Twist", 0) == nullptr);
  CHECK(kernels.find("", "Turn", 9) == nullptr);
}

TEST_CASE("a kernel without a name is refused") {
  Kernels kernels;
  CHECK_THROWS_WITH(kernels.add("", [](KernelContext&) {}), Catch::Contains("the name of an operator"));
  CHECK_THROWS_AS(kernels.add("mine::", [](KernelContext&) {}), Error);
}

TEST_CASE("what is added last is taken, and a copy is its own") {
  int called = 0;
  const auto kernel = [&](int number) { return [&called, number](KernelContext&) { called = number; }; };
  Kernels kernels;
  kernels.add("Twist", kernel(1));
  Kernels copy = kernels;
  copy.add("Twist", {7, 7}, kernel(2));
  CHECK(call(copy.find("", "Twist", 7), called) == 2);
  CHECK(call(copy.find("", "Twist", 8), called) == 1);
  CHECK(call(kernels.find("", "Twist", 7), called) == 1);
}

TEST_CASE("kernels that were added are tried first, then those of the model, then the standard ones") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  Value& bound = b.constant(Tensor::scalar(0.0F), "bound");
  const Node& clip = *b.op("Clip", {&x, &bound}).producer();
  int called = 0;
  const auto kernel = [&](int number) { return [&called, number](KernelContext&) { called = number; }; };
  Kernels kernels = Kernels::standard(), none;
  CHECK(kernels.find(clip) == kernels.find("", "Clip", 17));
  CHECK(kernels.clamp(clip));
  CHECK(none.find(clip) == nullptr);
  b.add_operators(Operators().add("Clip", {.kernel = kernel(1)}));
  CHECK(call(kernels.find(clip), called) == 1);
  CHECK_FALSE(kernels.clamp(clip));
  CHECK(call(none.find(clip), called) == 1);
  kernels.add("Clip", kernel(2));
  CHECK(call(kernels.find(clip), called) == 2);
  kernels.add("Clip", {18}, kernel(3));
  CHECK(call(kernels.find(clip), called) == 2);
}
