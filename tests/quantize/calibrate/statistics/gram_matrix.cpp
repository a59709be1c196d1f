#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>

#include <vector>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("Gram matrix: sums of products of columns, whatever the axes in front", "[quantize]") {
  const GramMatrix gram = of<GramMatrix>({Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4}), Tensor::of<float>({2}, {0, 5})});
  CHECK(gram.columns() == 2);
  CHECK(gram.rows() == 3);
  CHECK(gram.sums() == std::vector<double>{10, 14, 14, 45});
  CHECK(gram.mean_squares()[1] == 15);
}

TEST_CASE("Gram matrices merge, and come back from bytes", "[quantize]") {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), b = Tensor::of<float>({1, 2}, {5, 6});
  const GramMatrix whole = of<GramMatrix>({a, Tensor(DType::f32, {0, 2}), b});
  CHECK(merged(of<GramMatrix>({a}), of<GramMatrix>({b})) == whole);
  CHECK(merged(GramMatrix(), whole) == whole);
  CHECK(merged(whole, GramMatrix()) == whole);
  CHECK(restored(whole) == whole);
}

TEST_CASE("Gram matrices of other columns do not merge", "[quantize]") {
  GramMatrix two = of<GramMatrix>({Tensor(DType::f32, {1, 2})});
  CHECK_THROWS_WITH(two.merge(of<GramMatrix>({Tensor(DType::f32, {1, 3})})), "has 3 columns, had 2");
  CHECK_THROWS_WITH(add(two, Tensor(DType::f32, {3})), "has 3 columns, had 2");
}
