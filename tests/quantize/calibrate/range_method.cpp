#include <graft/quantize/calibrate/range_method.hpp>

#include <set>
#include <string>
#include <type_traits>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/observers/from_histogram.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

namespace {

/// Gathers two samples of x.
bool gather(const detail::StatisticsSink& statistics) {
  for (const auto& values : {tensor_of({0, 1, 1, 1, 8}), tensor_of({0, 1, 1, 1, 2})}) {
    statistics.add("x", values, detail::extent_of(values.data<float>()).range);
    statistics.count({});
  }
  return true;
}

Range range_of_x(const RangeMethod& method) { return method.find(gather).value().at("x"); }

}  // namespace

static_assert(std::is_convertible_v<Percentile, RangeMethod>);
static_assert(!std::is_convertible_v<Range, RangeMethod>);

TEST_CASE("an observer of any type finds ranges of its own statistics", "[quantize]") {
  CHECK(range_of_x(MinMax()) == Range{0, 8});
  CHECK(range_of_x(MovingAverage{0.5}) == Range{0, 5});
  CHECK(range_of_x(Percentile{50}).max < 1.1f);
  CHECK(range_of_x(Fixed{{-1, 1}}) == Range{-1, 1});
}

TEST_CASE("statistics start again for each run of samples, and none are kept of one that is cancelled", "[quantize]") {
  const RangeMethod method = MinMax();
  CHECK(method.find(gather)->size() == 1);
  CHECK(method.find([](const detail::StatisticsSink& statistics) { return statistics.samples() == 0; })->empty());
  CHECK_FALSE(method.find([](const detail::StatisticsSink&) { return false; }));
}

TEST_CASE("what an observer throws passes through", "[quantize]") {
  CHECK_THROWS_WITH(range_of_x(Percentile{101}), Catch::Contains("percentile"));
  CHECK_THROWS_AS(range_of_x(Fixed{{2, 1}}), Error);
}

TEST_CASE("a method has the name of its observer, or one of its own", "[quantize]") {
  CHECK(RangeMethod(Percentile{99.9}).name() == "percentile 99.9");
  CHECK(RangeMethod(MovingAverage{0.5}).name() == "moving-average");
  CHECK(RangeMethod("narrow", Percentile{90}).name() == "narrow");
  struct Nameless {
    using Statistic = Extremes;
    static Statistic start() { return {}; }
    static Range range(const Extremes& seen) { return seen.range(); }
  };
  CHECK(RangeMethod(Nameless()).name() == "observer");
  CHECK_FALSE(RangeMethod(Nameless()).reads_histograms());
}

TEST_CASE("methods that can read histograms need not have gathered them", "[quantize]") {
  Histogram seen;
  const Tensor values = tensor_of({0, 1, 1, 1, 8});
  seen.add(values, detail::extent_of(values.data<float>()).range);
  CHECK((RangeMethod(MinMax()).reads_histograms() && !RangeMethod(MinMax()).gathers_histograms()));
  CHECK((RangeMethod(Entropy()).reads_histograms() && RangeMethod(Entropy()).gathers_histograms()));
  CHECK(RangeMethod(MinMax()).range(seen) == Range{0, 8});
  CHECK_THROWS_WITH(RangeMethod(MovingAverage()).range(seen), "the method 'moving-average' cannot read histograms");
}

TEST_CASE("the usual methods read histograms, and each has a name of its own", "[quantize]") {
  std::set<std::string> names;
  for (const RangeMethod& method : usual_range_methods()) {
    CHECK(method.reads_histograms());
    CHECK(names.insert(method.name()).second);
  }
}
