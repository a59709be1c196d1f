#include <graft/quantize/target/targets.hpp>

#include <set>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("targets are found by name", "[quantize]") {
  for (const char* const name : {"ort-cpu-x64", "ort-cpu-avx2", "ort-cpu-arm64", "onednn", "openvino-cpu", "paper"})
    CHECK(targets::named(name).name == name);
  CHECK_THROWS_WITH(targets::named("gpu"),
                    "target: there is no target 'gpu'; there are ort-cpu-x64, ort-cpu-avx2, ort-cpu-arm64, onednn, "
                    "openvino-cpu, paper");
}

TEST_CASE("every target quantizes to dtypes that its kernels take", "[quantize]") {
  std::set<std::string_view> names;
  for (const Target* const target : targets::all) {
    INFO(target->name);
    CHECK(names.insert(target->name).second);
    REQUIRE_FALSE(target->kernels.empty());
    for (const IntegerKernel& kernel : target->kernels) {
      bool taken = false;
      for (const KernelDTypes& dtypes : kernel.dtypes)
        taken = taken || (dtypes.activation == target->activation && dtypes.weight == target->weight);
      CHECK((taken || kernel.op == "DepthToSpace"));  // it has no kernel for int8
    }
  }
}
