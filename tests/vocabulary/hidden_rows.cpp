#include <graft/vocabulary/hidden_rows.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

bool may_hide(const std::vector<float>& constant, bool is_causal = false) {
  Builder b(18);
  const Value& mask = b.constant(Tensor::of<float>({2, 2}, constant), "mask");
  return vocabulary::may_hide_rows(mask, is_causal);
}

/// Of a Where between 0 and a number, in other dims.
bool may_hide_chosen(float low) {
  Builder b(18);
  Value& kept = b.input("kept", DType::boolean, {2, 3});
  Value& fill = b.constant(Tensor::of<float>({1}, {low}), "fill");
  Value& chosen = b.op("Where", {&kept, &b.constant(Tensor::scalar(0.0F), "zero"), &fill});
  Value& axes = b.constant(Tensor::of<std::int64_t>({1}, {0}), "axes");
  return vocabulary::may_hide_rows(b.op("Unsqueeze", {&chosen, &axes}), false);
}

}  // namespace

TEST_CASE("masks may hide rows unless they are known to be finite somewhere in each") {
  CHECK(may_hide({0, 0, -infinite, -infinite}));
  CHECK_FALSE(may_hide({0, -infinite, -infinite, 0}));
  CHECK(may_hide({0, -infinite, -infinite, 0}, true));
  CHECK_FALSE(may_hide({0, 0, infinite, infinite}));
  Builder b(18);
  const Tensor half = Tensor::of<float>(DType::f16, {2, 2}, {0, 0, -infinite, -infinite});
  CHECK(vocabulary::may_hide_rows(b.constant(half, "half"), false));
  CHECK(may_hide_chosen(-infinite));
  CHECK_FALSE(may_hide_chosen(std::numeric_limits<float>::lowest()));
  const Model moved = graph("c: bool[2,3]; y = Tile(Transpose(Where(c, f32[] 1, f32[] 0)), i64[2] {1, 2})");
  CHECK_FALSE(vocabulary::may_hide_rows(*moved.graph().find("y"), false));
  const Model model = graph("m: f32[2,3]; c: bool[2,3]; r = Reshape(m, i64[3] {1, 2, 3}); w = Where(c, m, f32[] 0)");
  CHECK(vocabulary::may_hide_rows(*model.graph().find("m"), false));
  CHECK(vocabulary::may_hide_rows(*model.graph().find("r"), false));
  CHECK(vocabulary::may_hide_rows(*model.graph().find("w"), false));
}
