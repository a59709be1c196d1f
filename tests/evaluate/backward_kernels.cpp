#include <graft/evaluate/backward_kernels.hpp>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/operators.hpp>

using namespace graft;

TEST_CASE("backward kernels that were added are tried first, then the standard ones") {
  Builder builder(17);
  builder.import("mine", 1);
  Value& x = builder.input("x", DType::f32, {2});
  const Node& relu = *builder.op("Relu", {&x}).producer();
  const Node& twist = *builder.op("mine::Twist", {&x}).producer();
  BackwardKernels kernels = BackwardKernels::standard();
  CHECK(kernels.find(relu) == BackwardKernels::standard().find(relu));
  CHECK(kernels.find(twist) == nullptr);
  CHECK(BackwardKernels().find(relu) == nullptr);
  kernels.add("Relu", {18}, [](BackwardContext&) {}).add("mine::Twist", [](BackwardContext&) {});
  CHECK(kernels.find(relu) == BackwardKernels::standard().find(relu));
  CHECK(kernels.find(twist) != nullptr);
  kernels.add("Relu", {6, 17}, [](BackwardContext&) {});
  CHECK(kernels.find(relu) != BackwardKernels::standard().find(relu));
}

TEST_CASE("the standard gradients do not serve operators that a model redefines") {
  Builder builder(17);
  const Node& relu = *builder.op("Relu", {&builder.input("x", DType::f32, {2})}).producer();
  builder.add_operators(Operators().add("Relu", {.kernel = [](KernelContext&) {}}));
  CHECK(BackwardKernels::standard().find(relu) == nullptr);
}
