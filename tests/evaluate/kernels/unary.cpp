#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("functions of one number") {
  const Tensor x = floats({-1.5F, -0.5F, 0.5F, 1.5F, 2.5F});
  CHECK(same(run(13, "Round", {x}), floats({-2, 0, 0, 2, 2})));
  CHECK(same(run(13, "Ceil", {x}), floats({-1, 0, 1, 2, 3})));
  CHECK(same(run(13, "Floor", {x}), floats({-2, -1, 0, 1, 2})));
  CHECK(same(run(13, "Sqrt", {floats({4, 9})}), floats({2, 3})));
  CHECK(same(run(13, "Reciprocal", {floats({4, -2})}), floats({0.25F, -0.5F})));
  CHECK(same(run(13, "Exp", {floats({0, 1})}), floats({1, 2.7182818F})));
  CHECK(same(run(13, "Log", {floats({1, 2})}), floats({0, 0.6931472F})));
  CHECK(same(run(13, "Erf", {floats({0, 1, -1})}), floats({0, 0.8427008F, -0.8427008F})));
  CHECK(same(run(13, "Sin", {floats({0})}), floats({0})));
  CHECK(same(run(13, "Cos", {floats({0})}), floats({1})));
  CHECK(same(run(13, "Exp", {Tensor::of<double>({1}, {1})}), Tensor::of<double>({1}, {2.718281828459045}), 1e-15));
}

TEST_CASE("signs of floats and of integers") {
  CHECK(same(run(13, "Abs", {floats({-1.5F, 2})}), floats({1.5F, 2})));
  CHECK(same(run(13, "Neg", {ints({-1, 2})}), ints({1, -2})));
  CHECK(same(run(13, "Sign", {floats({-3, 0, 3})}), floats({-1, 0, 1})));
  const auto least = std::numeric_limits<std::int64_t>::min();
  CHECK(same(run(13, "Abs", {ints({-5, least})}), ints({5, least})));
  CHECK(same(run(13, "Abs", {Tensor::of<std::uint8_t>({1}, {200})}), Tensor::of<std::uint8_t>({1}, {200})));
}

TEST_CASE("a number's result does not depend on its place") {
  const float numbers[] = {1e-45F, 1e-39F, -100, -88, -17.9F, -0.3F, 0, 0.7F, 1, 16.5F, 88.5F, 100, 3e38F};
  for (const char* op : {"Exp", "Log", "Sigmoid", "Tanh", "Relu"}) {
    for (const float number : numbers) {
      const Tensor alone = run(13, op, {floats({number})});
      for (const std::int64_t count : {2, 9, 64, 67}) {
        const Tensor all = run(13, op, {floats(std::vector<float>(static_cast<std::size_t>(count), number))});
        for (std::int64_t i = 0; i < count; ++i) {
          const float one = all.data<float>()[static_cast<std::size_t>(i)];
          CHECK(floats({one}).same_bytes(alone));
        }
      }
    }
  }
  CHECK(run(13, "Log", {floats(std::vector<float>(9, 1e-45F))}).to<double>()[0] == Approx(-103.2789).epsilon(1e-6));
}

TEST_CASE("Exp overflows to infinity and falls to zero") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(same(run(13, "Exp", {floats({100, infinity, -infinity, -200})}), floats({infinity, infinity, 0, 0})));
  CHECK(run(13, "Exp", {floats({80})}).to<double>()[0] == Approx(5.540622e34).epsilon(5e-7));
  CHECK(run(13, "Exp", {floats({-100})}).to<double>()[0] == Approx(3.78e-44).epsilon(0.02));
}
