#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("Slice takes its bounds from attributes or from inputs") {
  const Tensor x = counting({2, 3});
  const Tensor y = Tensor::of<float>({1, 2}, {4, 5});
  CHECK(same(run(9, "Slice", {x}, {{"starts", Ints{1, 1}}, {"ends", Ints{2, 3}}}), y));
  CHECK(same(run(9, "Slice", {x}, {{"starts", Ints{-2}}, {"ends", Ints{most}}, {"axes", Ints{1}}}),
             Tensor::of<float>({2, 2}, {1, 2, 4, 5})));
  CHECK(same(run(13, "Slice", {x, ints({1, -2}), ints({2, most}), ints({0, -1})}), y));
}

TEST_CASE("Slice steps forwards and backwards") {
  const Tensor x = counting({5});
  const auto slice = [&](std::int64_t start, std::int64_t end, std::int64_t step) {
    return run(13, "Slice", {x, ints({start}), ints({end}), ints({0}), ints({step})});
  };
  CHECK(same(slice(0, most, 2), floats({0, 2, 4})));
  CHECK(same(slice(-1, least, -2), floats({4, 2, 0})));
  CHECK(same(slice(9, 1, -1), floats({4, 3, 2})));
  CHECK(same(slice(1, most, most), floats({1})));
  CHECK(same(slice(3, least, least), floats({3})));
  CHECK(same(slice(3, 1, 1), floats({})));
  CHECK_THROWS(slice(0, 1, 0));
}

TEST_CASE("Slice refuses an axis twice") {
  CHECK(failure_of(13, "Slice", {counting({2}), ints({0, 0}), ints({1, 1}), ints({0, -1})}).find("twice") !=
        std::string::npos);
}
