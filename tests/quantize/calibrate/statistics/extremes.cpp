#include <graft/quantize/calibrate/statistics/extremes.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("extremes: the least and the greatest value, of nothing none", "[quantize]") {
  CHECK(Extremes().range().empty());
  CHECK(of<Extremes>({tensor_of({3, -1}), tensor_of({}), tensor_of({2})}).range() == Range{-1, 3});
}

TEST_CASE("extremes do not depend on how the samples are split, to the bit", "[quantize]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Tensor> samples = random_samples(seed);
    const Extremes whole = of<Extremes>(samples);
    for (std::size_t cut = 0; cut <= samples.size(); ++cut)
      CHECK(merged(part<Extremes>(samples, 0, cut), part<Extremes>(samples, cut, samples.size())) == whole);
  }
  const Extremes negative_first = of<Extremes>({tensor_of({-0.0f, 0.0f})});
  CHECK_FALSE(std::signbit(negative_first.range().min));
}

TEST_CASE("extremes survive a file", "[quantize]") {
  CHECK(restored(Extremes()) == Extremes());
  const Extremes some = of<Extremes>({tensor_of({-0.1f, 1e30f})});
  CHECK(restored(some) == some);
}
