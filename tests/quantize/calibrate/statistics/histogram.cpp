#include <graft/quantize/calibrate/statistics/histogram.hpp>

#include <cmath>
#include <limits>
#include <map>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

namespace {

/// Counted one by one: each bin's beginning and its values.
std::map<double, std::uint64_t> counted(const std::vector<Tensor>& samples, double width) {
  std::map<double, std::uint64_t> bins;
  for (const Tensor& sample : samples)
    for (const double value : sample.to<double>()) ++bins[std::floor(value / width) * width];
  return bins;
}

std::map<double, std::uint64_t> filled(const Histogram& histogram) {
  std::map<double, std::uint64_t> bins;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i)
    if (histogram.counts()[i] != 0) bins[histogram.edge(i)] = histogram.counts()[i];
  return bins;
}

}  // namespace

TEST_CASE("a histogram counts each value in the bin that it lies in", "[quantize]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Tensor> samples = random_samples(seed);
    const Histogram histogram = of<Histogram>(samples);
    CHECK(filled(histogram) == counted(samples, histogram.width()));
  }
}

TEST_CASE("a histogram has between half of its bins and all, as narrow as can be", "[quantize]") {
  for (const float greatest : {1.0f, 1.99f, 2.0f, 1000.0f, 1e-30f, 1e30f}) {
    const Histogram histogram = of<Histogram>({tensor_of({0, greatest})});
    CHECK(histogram.counts().size() > Histogram::max_bins / 2);
    CHECK(histogram.counts().size() <= Histogram::max_bins);
    CHECK(histogram.edge(0) <= 0);
    CHECK(histogram.edge(histogram.counts().size()) > greatest);
  }
}

TEST_CASE("a histogram does not depend on the order of the samples nor on how they are split, to the bit",
          "[quantize]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<Tensor> samples = random_samples(seed);
    const Histogram whole = of<Histogram>(samples);
    for (std::size_t cut = 0; cut <= samples.size(); ++cut)
      CHECK(merged(part<Histogram>(samples, 0, cut), part<Histogram>(samples, cut, samples.size())) == whole);
    const Histogram left = part<Histogram>(samples, 0, 4), middle = part<Histogram>(samples, 4, 8),
                    right = part<Histogram>(samples, 8, samples.size());
    CHECK(merged(left, merged(middle, right)) == merged(merged(left, middle), right));
    std::reverse(samples.begin(), samples.end());
    CHECK(of<Histogram>(samples) == whole);
  }
}

TEST_CASE("a histogram takes any floats: of one value, denormal, huge, next to one another", "[quantize]") {
  using Limits = std::numeric_limits<float>;
  const std::vector<std::vector<float>> cases{{},
                                              {0},
                                              {7},
                                              {-7, -7},
                                              {Limits::denorm_min(), -Limits::denorm_min()},
                                              {Limits::max(), Limits::lowest()},
                                              {Limits::max(), -Limits::denorm_min()},
                                              {100, std::nextafter(100.0f, 101.0f)},
                                              {1e-30f, 1e30f}};
  for (const std::vector<float>& values : cases) {
    const Histogram histogram = of<Histogram>({tensor_of(values)});
    CHECK(histogram.total() == values.size());
    CHECK(histogram.counts().size() <= Histogram::max_bins);
    Histogram apart;
    for (const float value : values) add(apart, tensor_of({value}));
    CHECK(apart == histogram);
    CHECK(restored(histogram) == histogram);
  }
}
