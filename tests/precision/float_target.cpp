#include <graft/precision/float_target.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a target computes the operators of its lists, and float32 always") {
  Model model = graph("x: f32[2,2]; y = MatMul(x, x); z = Einsum(x, x) {equation=\"ij,jk->ik\"}; return y, z");
  const Node &product = *model.graph().find("y")->producer(), &einsum = *model.graph().find("z")->producer();
  const std::string_view einsum_alone[] = {"Einsum"};
  const FloatTarget target{"one", {true, einsum_alone}, {false, einsum_alone}};
  CHECK(target.computes(product, DType::f16));
  CHECK(!target.computes(einsum, DType::f16));
  CHECK(!target.computes(product, DType::bf16));
  CHECK(target.computes(einsum, DType::bf16));
  CHECK(target.computes(einsum, DType::f32));
  CHECK(float_targets::onnx.computes(product, DType::bf16));
}

TEST_CASE("targets have names") {
  const Registry<FloatTarget> targets = float_targets::all();
  for (const std::string_view name : targets.names()) CHECK(targets.at(name).name == name);
}
