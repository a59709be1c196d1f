#include <graft/quantize/tune/layer_trials.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("trials concern the layers that a pattern names, or all", "[quantize]") {
  CHECK(LayerTrialOptions().includes("y_node"));
  const LayerTrialOptions named{{"[ya]_node", "b"}};
  CHECK(named.includes("a_node"));
  CHECK(named.includes("b"));
  CHECK_FALSE(named.includes("z_node"));
  CHECK_FALSE(named.includes("bb"));
}

TEST_CASE("where none is to be tried, no layer is concerned", "[quantize]") {
  CHECK_FALSE(LayerTrialOptions{.none = true}.includes("conv"));
}
