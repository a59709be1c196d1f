#include <graft/evaluate/conv_patches.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/error.hpp>
#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Node& conv_of(Builder& build, const Attributes& attributes) {
  Value &x = build.input("x", DType::f32), &w = build.input("w", DType::f32);
  return *build.op("Conv", {&x, &w}, attributes).producer();
}

/// What Conv computes, as sums over patches: one channel, one filter.
void check_patches(const Dims& input, const Dims& kernel, const Attributes& attributes) {
  Builder build(17);
  const Node& conv = conv_of(build, attributes);
  const Tensor x = counting(input, 1), w = counting(kernel, 1);
  const Tensor y = evaluate(conv, {x, w}).front();
  const ConvPatches patches(conv, input, kernel);
  REQUIRE(patches.positions() == y.size());
  CHECK(patches.input_size() == x.size());
  REQUIRE(patches.kernel_size() == w.size());
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(w.size()));
  std::vector<float> sums;
  for (std::int64_t position = 0; position < y.size(); ++position) {
    patches.offsets(position, offsets);
    float sum = 0;
    for (std::size_t k = 0; k < offsets.size(); ++k)
      if (offsets[k] >= 0) sum += x.data<float>()[static_cast<std::size_t>(offsets[k])] * w.data<float>()[k];
    sums.push_back(sum);
  }
  CHECK(sums == y.to<float>());
}

}  // namespace

TEST_CASE("the sums over patches are what Conv computes", "[evaluate]") {
  check_patches({1, 1, 5}, {1, 1, 2}, {});
  check_patches({1, 1, 5, 4}, {1, 1, 3, 2}, {{"pads", Ints{1, 0, 2, 1}}});
  check_patches({1, 1, 7, 6}, {1, 1, 3, 3}, {{"strides", Ints{2, 3}}, {"pads", Ints{1, 1, 1, 1}}});
  check_patches({1, 1, 7, 6}, {1, 1, 2, 3}, {{"dilations", Ints{2, 2}}, {"pads", Ints{2, 0, 0, 2}}});
  check_patches({1, 1, 7, 6}, {1, 1, 2, 3}, {{"strides", Ints{2, 2}}, {"auto_pad", "SAME_LOWER"}});
  check_patches({1, 1, 7, 6}, {1, 1, 2, 3}, {{"strides", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"}});
  check_patches({1, 1, 4, 5, 3}, {1, 1, 2, 3, 2}, {{"auto_pad", "VALID"}});
}

TEST_CASE("a window that does not fit has no patches", "[evaluate]") {
  Builder build(17);
  const Node& conv = conv_of(build, {});
  CHECK_THROWS_AS(ConvPatches(conv, {1, 1, 2}, {1, 1, 3}), Error);
  CHECK_THROWS_WITH(ConvPatches(conv, {1, 1, 2, 2}, {1, 1, 3}), Catch::Contains("[1,1,3]"));
}
