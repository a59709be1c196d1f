#include <graft/evaluate/permuted.hpp>

#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

using namespace graft;

TEST_CASE("axes take the places that the order gives them", "[evaluate]") {
  const Tensor x = Tensor::of<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const Tensor y = permuted(x, {1, 2, 0});
  CHECK(y.dims() == Dims{3, 1, 2});
  CHECK(y.to<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(permuted(x, {0, 1, 2}).same_bytes(x));
}

TEST_CASE("elements that share a byte are not moved", "[evaluate]") {
  CHECK_THROWS_AS(permuted(Tensor::of<std::int32_t>(DType::i4, {2, 2}, {1, 2, 3, 4}), {1, 0}), Error);
}
