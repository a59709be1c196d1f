#include <graft/quantize/calibrate/statistics/denormals.hpp>

#include <limits>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("denormals: what is not 0 and below 2^-126", "[quantize]") {
  CHECK(Denormals().share() == 0);
  constexpr float least = std::numeric_limits<float>::min(), denormal = std::numeric_limits<float>::denorm_min();
  const Denormals some = of<Denormals>({tensor_of({0, -0.0f, least, -least, 1}), tensor_of({denormal, -least / 2})});
  CHECK(some.count() == 2);
  CHECK(some.share() == Approx(2.0 / 7));
}

TEST_CASE("denormals do not depend on how the samples are split, and survive a file", "[quantize]") {
  std::vector<Tensor> samples = random_samples(1);
  samples.push_back(tensor_of({1e-40f, 2}));
  const Denormals whole = of<Denormals>(samples);
  CHECK(whole.count() >= 1);
  for (std::size_t cut = 0; cut <= samples.size(); ++cut)
    CHECK(merged(part<Denormals>(samples, 0, cut), part<Denormals>(samples, cut, samples.size())) == whole);
  CHECK(restored(whole) == whole);
}

TEST_CASE("tensors with a large share of denormals are named, the largest first", "[quantize]") {
  Statistics<Denormals> seen;
  seen.of("few").add(tensor_of(std::vector<float>(200, 1)), {});
  seen.of("few").add(tensor_of({1e-40f}), {});
  seen.of("half").add(tensor_of({1e-40f, 1}), {});
  seen.of("all").add(tensor_of({1e-40f, -1e-40f}), {});
  const std::vector<std::string> notes = notes_on_denormals(seen);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == "tensor 'all': 100 % of its values are denormal, below 2^-126, which slows the float model down");
  CHECK(notes[1].find("'half': 50 %") != std::string::npos);
}
