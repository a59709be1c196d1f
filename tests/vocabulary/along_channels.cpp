#include <graft/vocabulary/along_channels.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/pattern.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using namespace graft::vocabulary;

namespace {

std::size_t count(const Dims& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) product *= dim;
  return static_cast<std::size_t>(product);
}

}  // namespace

TEST_CASE("a constant along channels is 1 along every other axis") {
  const auto holds = [](const Dims& dims) {
    return static_cast<bool>(is_along_channels(Tensor::of(DType::f32, dims, std::vector<double>(count(dims))), 4, 3));
  };
  CHECK(holds({}));
  CHECK(holds({3, 1, 1}));
  CHECK(holds({1, 3, 1, 1}));
  CHECK(holds({1, 1}));
  CHECK_FALSE(holds({3}));
  CHECK_FALSE(holds({2, 1, 1}));
  CHECK_FALSE(holds({3, 1, 1, 1}));
  CHECK_FALSE(holds({1, 1, 3, 1, 1}));
}

TEST_CASE("factors and shifts are inverted for Div and Sub") {
  Model model = graph("x: f32[1,2,1]; c = f32[2,1] {2, 4}; m = Mul(x, c); d = Div(x, c); a = Add(c, x); s = Sub(x, c);"
                      "r = Sub(c, x)");
  const Tensor constant = Tensor::of<float>({2, 1}, {2, 4});
  const auto node = [&](const char* name) -> Node& { return *model.graph().find(name)->producer(); };
  CHECK(factors_of(node("m"), constant, 2) == std::vector<double>{2, 4});
  CHECK(factors_of(node("d"), constant, 2) == std::vector<double>{0.5, 0.25});
  CHECK(shifts_of(node("a"), constant, 2) == std::vector<double>{2, 4});
  CHECK(shifts_of(node("s"), constant, 2) == std::vector<double>{-2, -4});
  CHECK(channel_values(Tensor::scalar(5.0f), 3) == std::vector<double>{5, 5, 5});
  CHECK(match(scaled(x), node("m")));
  CHECK(match(scaled(x), node("d")));
  CHECK(match(shifted(x), node("a")));
  CHECK(match(shifted(x), node("s")));
  CHECK_FALSE(match(shifted(x), node("m")));
  CHECK_FALSE(match(shifted(x), node("r")));
}
