#include <graft/evaluate/concatenated.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

using namespace graft;

TEST_CASE("tensors are joined along an axis", "[evaluate]") {
  const Tensor a = Tensor::of<float>({2, 1}, {1, 2}), b = Tensor::of<float>({2, 2}, {3, 4, 5, 6});
  const Tensor wide = concatenated(std::array{a, b}, 1);
  CHECK(wide.dims() == Dims{2, 3});
  CHECK(wide.to<float>() == std::vector<float>{1, 3, 4, 2, 5, 6});
  CHECK(concatenated(std::array{b, b}, 0).to<float>() == std::vector<float>{3, 4, 5, 6, 3, 4, 5, 6});
}

TEST_CASE("tensors that differ in dtype, rank or another extent are not joined", "[evaluate]") {
  const Tensor x = Tensor::of<float>({2, 1}, {1, 2});
  CHECK_THROWS_WITH(concatenated(std::array{x, Tensor::of<float>({1, 1}, {3})}, 1), Catch::Contains("[1,1]"));
  CHECK_THROWS_AS(concatenated(std::array{x, Tensor::of<float>({2}, {3, 4})}, 0), Error);
  CHECK_THROWS_AS(concatenated(std::array{x, Tensor::of<std::int64_t>({2, 1}, {3, 4})}, 0), Error);
}
