#include <graft/quantize/run/detail/random_feeds.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("random feeds are of the inputs' types, and in their ranges", "[quantize]") {
  const Model model = graph(R"(
      ids: i64[N,S]; types: i64[N,S]; image: u8[1,8,8]; x: f32[S,?]; c: bool[64]; b: f32[2] = 1;
      h = Gather(f32[9,4] random, ids); k = Cast(types) {to=1}; i = Cast(image) {to=1}; y = Relu(x); d = Not(c);
      e = Neg(b))");
  const Ranges ranges{{"x", {5, 7}}};
  const Feeds feeds = detail::random_feeds(model.graph(), ranges, 32, 1);
  REQUIRE(feeds.size() == 5);  // b has a default
  CHECK(feeds[0].second.dims() == Dims{1, 32});
  CHECK(feeds[1].second.dims() == Dims{1, 32});
  CHECK(feeds[3].second.dims() == Dims{32, 32});
  const auto extremes = [&](std::size_t i) {
    const std::vector<double> values = feeds[i].second.to<double>();
    return std::pair(*std::ranges::min_element(values), *std::ranges::max_element(values));
  };
  CHECK(extremes(0).first >= 0);
  CHECK(extremes(0).second > 4);
  CHECK(extremes(0).second < 9);
  CHECK(extremes(1) == std::pair(0.0, 1.0));
  CHECK(extremes(2).second > 200);
  CHECK(extremes(3).first >= 5);
  CHECK(extremes(3).second <= 7);
  CHECK(extremes(4) == std::pair(0.0, 1.0));
  const Feeds same = detail::random_feeds(model.graph(), ranges, 32, 1);
  const Feeds other = detail::random_feeds(model.graph(), ranges, 32, 2);
  CHECK(same[3].second.to<float>() == feeds[3].second.to<float>());
  CHECK(other[3].second.to<float>() != feeds[3].second.to<float>());
}

TEST_CASE("an input's extent may be the sum of others, as that of a mask with a cache", "[quantize]") {
  Builder build(13);
  build.output(build.op("Neg", {&build.input("mask", DType::i64, {"B", "past + S"})}), "a");
  build.output(build.op("Neg", {&build.input("ids", DType::i64, {"B", "S"})}), "b");
  build.output(build.op("Neg", {&build.input("cache", DType::f32, {"B", 2, "past", 4})}), "c");
  const Model model = build.build();
  const Feeds feeds = detail::random_feeds(model.graph(), {}, 32, 1);
  CHECK(feeds[0].second.dims() == Dims{1, 64});
  CHECK(feeds[1].second.dims() == Dims{1, 32});
  CHECK(feeds[2].second.dims() == Dims{1, 2, 32, 4});
}

TEST_CASE("inputs that hold no numbers, or are of unknown rank, are named", "[quantize]") {
  CHECK_THROWS_WITH(detail::random_feeds(graph("s: string[2]; y = Identity(s)").graph(), {}, 32, 1),
                    Catch::Contains("s: has no random values"));
  CHECK_THROWS_WITH(detail::random_feeds(graph("x: f32; y = Identity(x)").graph(), {}, 32, 1), Catch::Contains("x: "));
}
