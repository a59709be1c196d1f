#include <graft/quantize/audit/finding.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a finding reads as a sentence", "[quantize]") {
  CHECK(to_string(Finding{"conv1", "Conv"}) == "conv1 (Conv): fused");
  CHECK(to_string(Finding{"conv1", "Conv", false, Severity::warning, "several_users", "'y' has 2 users",
                          "share a pair"}) == "conv1 (Conv): not fused: 'y' has 2 users; share a pair");
  CHECK(to_string(Finding{"c", "Conv", true, Severity::error, "axis", "wrong axis", "mend it"}) ==
        "c (Conv): fused, error: wrong axis; mend it");
  CHECK(to_string(Finding{"c", "Conv", true, Severity::none, "", "", "", true}) ==
        "c (Conv): fused, with a float result");
}
