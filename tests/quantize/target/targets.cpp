#include <graft/quantize/target/targets.hpp>

#include <algorithm>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("targets are found by name", "[quantize]") {
  for (const Target* const target : targets::all) {
    CHECK(&targets::named(target->name) == target);
    CHECK_THAT(targets::names(), Catch::Contains(std::string(target->name)));
  }
  CHECK_THAT(targets::names(), Catch::StartsWith("ort-cpu-x64, ort-cpu-amx, "));
  CHECK_THROWS_WITH(targets::named("gpu"), "target: there is no target 'gpu'; there are " + targets::names());
  CHECK_THROWS_WITH(targets::named("ort-cpu-x46@1.31"), Catch::Contains("; did you mean 'ort-cpu-x64'?"));
}

TEST_CASE("a target as of a release is that of the last one that changed it", "[quantize]") {
  const Target& newest = targets::named("ort-cpu-x64@1.32.0");
  CHECK(newest.name == "ort-cpu-x64@1.32");
  CHECK(&newest == &targets::at_release(targets::ort_cpu_x64, {1, 99}));
  CHECK(&targets::named("ort-cpu-x64@1.26") == &targets::ort_cpu_x64);
  CHECK(targets::named("ort-cpu-avx2@1.30").name == "ort-cpu-avx2@1.29");
  CHECK(targets::named("ort-cpu-avx2@1.30").weight_bits == 7);
  CHECK_THROWS_WITH(targets::named("ort-cpu-x64@1.23"), "release: 'ort-cpu-x64' is known since release 1.24");
  CHECK_THROWS_WITH(targets::named("onednn@3.5"), "target: 'onednn' is of no release");
  CHECK_THROWS_WITH(targets::named("ort-cpu-x64@"), Catch::Contains("'' is not a release"));
  CHECK_THROWS_WITH(targets::named("gpu@1.32"), Catch::Contains("there is no target 'gpu@1.32'"));
}

TEST_CASE("only targets that graft ships have releases", "[quantize]") {
  const Target copy = targets::ort_cpu_x64;
  const std::string why = "' is none of those that graft ships";
  CHECK_THROWS_WITH(targets::at_release(copy, {1, 31}), "target: 'ort-cpu-x64" + why);
  const Target& released = targets::at_release(targets::ort_cpu_x64, {1, 27});
  CHECK_THROWS_WITH(targets::at_release(released, {1, 31}), "target: 'ort-cpu-x64@1.27" + why);
}

TEST_CASE("changes of releases are in order, and of kernels that the target has", "[quantize]") {
  for (const Target* const target : targets::all) {
    INFO(target->name);
    const auto later = [](const auto& one, const auto& other) { return one.since < other.since; };
    CHECK(std::is_sorted(target->changes.begin(), target->changes.end(), later));
    CHECK(std::is_sorted(target->kernel_changes.begin(), target->kernel_changes.end(), later));
    for (const KernelChange& change : target->kernel_changes) {
      CHECK(detail::has_entry(target->kernels, change.op));
      CHECK(change.since > target->release);
    }
  }
}

TEST_CASE("every target quantizes to dtypes that its kernels take", "[quantize]") {
  std::set<std::string_view> names;
  for (const Target* const target : targets::all) {
    INFO(target->name);
    CHECK(names.insert(target->name).second);
    REQUIRE_FALSE(target->kernels.empty());
    for (const IntegerKernel& kernel : target->kernels) {
      if (kernel.form == KernelForm::passthrough) continue;  // it moves in float what it does not take
      INFO(kernel.op);
      const DType weight = kernel.weight_beside(target->activation, target->weight);
      CHECK((kernel.form == KernelForm::weighted ? kernel.takes(target->activation, weight)
                                                 : kernel.takes(target->activation)));
    }
  }
}
