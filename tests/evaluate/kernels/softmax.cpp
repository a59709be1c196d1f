#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Logarithms of 1, 3, 1, 1, so that softmax has short fractions.
const Tensor x = Tensor::of<float>({2, 2}, {0, 1.0986123F, 0, 0});

}  // namespace

TEST_CASE("Softmax normalizes along an axis, before opset 13 over all from the axis on") {
  CHECK(same(run(13, "Softmax", {x}), Tensor::of<float>({2, 2}, {0.25F, 0.75F, 0.5F, 0.5F})));
  CHECK(same(run(13, "Softmax", {x}, {{"axis", 0}}), Tensor::of<float>({2, 2}, {0.5F, 0.75F, 0.5F, 0.25F})));
  CHECK(same(run(11, "Softmax", {x}, {{"axis", 0}}), Tensor::of<float>({2, 2}, {1.0F / 6, 0.5F, 1.0F / 6, 1.0F / 6})));
  CHECK(same(run(11, "Softmax", {x}), Tensor::of<float>({2, 2}, {0.25F, 0.75F, 0.5F, 0.5F})));
}

TEST_CASE("Softmax and LogSoftmax do not overflow") {
  CHECK(same(run(13, "Softmax", {floats({1000, 1000})}), floats({0.5F, 0.5F})));
  CHECK(same(run(13, "LogSoftmax", {floats({1000, 1000})}), floats({-0.6931472F, -0.6931472F}), 1e-4));
  CHECK(same(run(13, "LogSoftmax", {x}),
             Tensor::of<float>({2, 2}, {-1.3862944F, -0.2876821F, -0.6931472F, -0.6931472F})));
}

TEST_CASE("Hardmax marks the first of the largest") {
  CHECK(same(run(13, "Hardmax", {floats({1, 3, 3})}), floats({0, 1, 0})));
}

TEST_CASE("empty slices stay empty") { CHECK(run(13, "Softmax", {Tensor(DType::f32, {2, 0})}).dims() == Dims{2, 0}); }
