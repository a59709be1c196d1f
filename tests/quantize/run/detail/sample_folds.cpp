#include <graft/quantize/run/detail/sample_folds.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

/// So many samples, called by their numbers.
std::vector<Sample> numbered(std::size_t count) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) samples.emplace_back(Feeds(), std::to_string(i));
  return samples;
}

std::string names(const SampleSource& samples) {
  std::string all;
  samples.for_each([&](const Sample& sample) {
    all += sample.source + " ";
    return true;
  });
  return all;
}

}  // namespace

TEST_CASE("each sample calibrates in one fold, and judges in it", "[quantize]") {
  const detail::SampleFolds folds = detail::SampleFolds::mergeable(numbered(10), 64);
  CHECK(folds.are_unseen);
  REQUIRE(folds.calibrated.size() == 4);
  CHECK(names(folds.calibrated[0]) == "0 4 8 ");
  CHECK(names(folds.calibrated[3]) == "3 7 ");
  for (std::size_t f = 0; f < 4; ++f) CHECK(names(folds.judging[f]) == names(folds.calibrated[f]));
  const detail::SampleFolds few = detail::SampleFolds::mergeable(numbered(40), 6);
  CHECK(names(few.judging[0]) == "0 ");
  CHECK(names(few.judging[2]) == "2 22 ");
  CHECK(few.calibrated[2].size() == 10);
}

TEST_CASE("where statistics do not merge samples are held out", "[quantize]") {
  const detail::SampleFolds split = detail::SampleFolds::split(numbered(8), 64);
  CHECK(split.are_unseen);
  REQUIRE(split.calibrated.size() == 1);
  CHECK(names(split.calibrated[0]) == "0 1 2 4 5 6 ");
  CHECK(names(split.judging[0]) == "3 7 ");
  for (const detail::SampleFolds& all :
       {detail::SampleFolds::mergeable(numbered(3), 64), detail::SampleFolds::mergeable(numbered(8), 0),
        detail::SampleFolds::split(numbered(3), 64), detail::SampleFolds::split(numbered(8), 0)}) {
    CHECK_FALSE(all.are_unseen);
    REQUIRE(all.calibrated.size() == 1);
    CHECK(names(all.calibrated[0]) == names(all.judging[0]));
  }
}
