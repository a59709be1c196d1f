#include <graft/quantize/place/placement_kind.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("placements are in the order of how much they quantize, except the last, which chooses", "[quantize]") {
  STATIC_REQUIRE(Placement::naive < Placement::fusion_aware);
  STATIC_REQUIRE(Placement::fusion_aware < Placement::conv_only);
  STATIC_REQUIRE(Placement::conv_only < Placement::all_supported);
  STATIC_REQUIRE(Placement::all_supported < Placement::min_cost);
}

TEST_CASE("placements that carry integers beyond one Conv rewrite the model beforehand", "[quantize]") {
  STATIC_REQUIRE_FALSE(rewrites_model(Placement::naive));
  STATIC_REQUIRE_FALSE(rewrites_model(Placement::fusion_aware));
  STATIC_REQUIRE(rewrites_model(Placement::conv_only));
  STATIC_REQUIRE(rewrites_model(Placement::min_cost));
}
