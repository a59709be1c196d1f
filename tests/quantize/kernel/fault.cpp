#include <graft/quantize/kernel/fault.hpp>

#include <array>

#include <catch2/catch.hpp>

#include <graft/quantize/target/target_file.hpp>
#include <graft/quantize/target/targets.hpp>

using namespace graft;

TEST_CASE("a target has the faults of its processor", "[quantize]") {
  CHECK(targets::ort_cpu_amx.has(Fault::partial_tiles));
  CHECK_FALSE(targets::ort_cpu_x64.has(Fault::partial_tiles));
  CHECK_FALSE(targets::ort_cpu_arm64.has(Fault::partial_tiles));
  CHECK(targets::ort_cpu_arm64.has(Fault::dropped_bias));
  CHECK_FALSE(targets::onednn.has(Fault::dropped_bias));
}

TEST_CASE("a release has the faults between the one that brought them and the one that mended them", "[quantize]") {
  CHECK(targets::named("ort-cpu-amx@1.24").has(Fault::partial_tiles));
  const Target& mended = targets::named("ort-cpu-amx@1.25");
  CHECK_FALSE(mended.has(Fault::partial_tiles));
  CHECK(mended.has(Fault::dropped_bias));
  CHECK(mended.name == "ort-cpu-amx@1.25");
  CHECK(targets::named("ort-cpu-x64@1.25").name == "ort-cpu-x64");
  CHECK(targets::named("ort-cpu-x64@1.32").has(Fault::dropped_bias));
  CHECK(targets::named("ort-cpu-x64@1.32").has(Fault::carried_int8));
  CHECK(targets::named("ort-cpu-x64@1.32").has(Fault::carried_into_body));
  CHECK(targets::named("ort-cpu-x64@1.27").has(Fault::dropped_cache_bias));
  CHECK_FALSE(targets::named("ort-cpu-x64@1.28").has(Fault::dropped_cache_bias));
  CHECK_FALSE(targets::named("onednn").has(Fault::carried_int8));
}

TEST_CASE("a file may list faults", "[quantize]") {
  const auto read = target_from_json(R"({"name": "mine", "base": "ort-cpu-x64", "processor": "amx",
    "faults": [{"fault": "partial-tiles", "since": "1.23", "mended": "1.25.1", "processor": "amx"}]})");
  CHECK(read->has(Fault::partial_tiles));
  CHECK_FALSE(read->has(Fault::dropped_bias));
  REQUIRE(read->faults.size() == 1);
  CHECK(read->faults[0].since == Release{1, 23});
  CHECK(read->faults[0].mended == Release{1, 25});
  const auto again = target_from_json(to_json(*read, targets::ort_cpu_x64));
  CHECK(again->processor == Processor::amx);
  REQUIRE(again->faults.size() == 1);
  CHECK(again->faults[0].mended == Release{1, 25});
  CHECK(target_from_json(R"({"name": "mine", "base": "ort-cpu-amx"})")->has(Fault::partial_tiles));
  CHECK_FALSE(target_from_json(R"({"name": "mine", "base": "ort-cpu-amx", "faults": []})")->has(Fault::partial_tiles));
  const auto refused = [](const char* faults) {
    return target_from_json(std::string(R"({"name": "mine", "base": "ort-cpu-x64", "faults": )") + faults + "}");
  };
  CHECK_THROWS_WITH(refused("1"), Catch::Contains("faults: is not a list"));
  CHECK_THROWS_WITH(refused("[1]"), Catch::Contains("faults[0]: is not an object"));
  CHECK_THROWS_WITH(refused(R"([{"fault": "haste", "since": "1.24"}])"), Catch::Contains("faults[0].fault: 'haste'"));
  CHECK_THROWS_WITH(refused(R"([{"fault": "dropped-bias"}])"), Catch::Contains("faults[0].since: is missing"));
  CHECK_THROWS_WITH(refused(R"([{"fault": "dropped-bias", "since": "x"}])"), Catch::Contains("faults[0].since: 'x'"));
}
