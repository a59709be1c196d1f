#include <graft/testing/random.hpp>

#include <algorithm>
#include <cstddef>

#include <catch2/catch.hpp>
#include <graft/graph/memory.hpp>
#include <graft/testing/detail/feeds.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("random numbers are the same on every platform") {
  // The first outputs of SplitMix64 seeded with 0 and 1234567, as its authors publish them.
  CHECK(Random(0)() == 0xe220a8397b1dcdafu);
  Random other(1234567);
  CHECK(other() == 6457827717110365317u);
  CHECK(other() == 3203168211198807973u);
}

TEST_CASE("texts seed differently") {
  CHECK(Random("w")() == Random("w")());
  CHECK(Random("w")() != Random("v")());
  CHECK(Random("ab")() != Random("ba")());
}

TEST_CASE("random numbers fill their interval and stay in it") {
  Random random(1);
  bool low = false, high = false;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t value = random.integer(-2, 2);
    REQUIRE(value >= -2);
    REQUIRE(value <= 2);
    low = low || value == -2;
    high = high || value == 2;
    const double unit = random.unit();
    REQUIRE(unit >= 0);
    REQUIRE(unit < 1);
  }
  CHECK(low);
  CHECK(high);
  CHECK_NOTHROW(random.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("random tensors have the dtype, the dims and the range that were asked for") {
  Random random(7);
  const Tensor floats = random_tensor(DType::f32, {4, 5}, random, {2, 3});
  CHECK(floats.dtype() == DType::f32);
  CHECK(floats.dims() == Dims{4, 5});
  for (const float value : floats.data<float>()) {
    CHECK(value >= 2);
    CHECK(value < 3);
  }
  const std::vector<std::int64_t> bytes = random_tensor(DType::u8, {1000}, random).to<std::int64_t>();
  CHECK(*std::min_element(bytes.begin(), bytes.end()) < 10);
  CHECK(*std::max_element(bytes.begin(), bytes.end()) > 245);
  for (const double value : random_tensor(DType::i32, {50}, random).to<double>()) CHECK(std::abs(value) <= 100);
  CHECK(random_tensor(DType::boolean, {8}, random).dtype() == DType::boolean);
  CHECK(random_tensor(DType::i4, {9}, random).dims() == Dims{9});
  CHECK_THROWS_AS(random_tensor(DType::string, {1}, random), Error);
}

TEST_CASE("random tensors and feeds that do not fit in memory are errors") {
  Random random(7);
  const AllocationLimit limit(8000);
  CHECK(random_tensor(DType::u8, {1000}, random).size() == 1000);
  CHECK_THROWS_WITH(random_tensor(DType::u8, {1001}, random), "f64[1001] needs 8008 bytes, the limit is 8000");
  const Model model = graph("x: f32[1001]; y = Relu(x)");
  detail::FeedMaker maker(model.graph(), 1, {}, false);
  for (const std::size_t round : {0U, 2U, 3U}) CHECK_THROWS_WITH(maker.feeds(round), Catch::Contains("is 8000"));
}
