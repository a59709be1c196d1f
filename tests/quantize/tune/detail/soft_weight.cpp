#include <graft/quantize/tune/detail/soft_weight.hpp>

#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a weight is rounded by its shares, and each element has its scale", "[quantize]") {
  const detail::SoftWeight weight{.dims = {2, 3},
                                  .lower = {-2, -1, 0, 1, 2, 3},
                                  .share = {0, 0.49F, 0.5F, 1, 0, 0.7F},
                                  .scales = {0.5F, -2, 10},
                                  .scale_of = {0, 0, 1, 1, 2, 2}};
  const Tensor rounded = weight.rounded();
  CHECK(rounded.dims() == Dims{2, 3});
  CHECK(rounded.to<float>() == std::vector<float>{-1, -0.5F, -2, -4, 20, 40});
}
