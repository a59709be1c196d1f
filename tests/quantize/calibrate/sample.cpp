#include <graft/quantize/calibrate/sample.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a sample knows the file of each feed, or where the whole is from", "[quantize]") {
  const Feeds feeds{{"x", Tensor::scalar(1.f)}, {"y", Tensor::scalar(2.f)}};
  const Sample apart(feeds, "set", {"set/input_0.pb", "set/input_1.pb"});
  CHECK(apart.source_of("y") == "set/input_1.pb");
  CHECK(apart.source_of("computed") == "set");
  CHECK(Sample(feeds, "set").source_of("y") == "set");
  CHECK(Sample(feeds).source_of("y").empty());
}

TEST_CASE("a function gives samples until it gives none, none being read before it is asked for", "[quantize]") {
  int given = 0;
  const SampleStream stream([&]() -> std::optional<Sample> {
    if (given == 3) return std::nullopt;
    return Sample({{"x", Tensor::scalar(static_cast<float>(++given))}});
  });
  int seen = 0;
  for (const Sample& sample : stream) {
    CHECK(sample.feeds[0].second.item<int>() == ++seen);
    CHECK(given == seen);
  }
  CHECK(seen == 3);
}
