#include <graft/quantize/target/ort_cpu_here.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/target/targets.hpp>

using namespace graft;

TEST_CASE("the target of this processor is that with VNNI and AMX where the system says it has these", "[quantize]") {
  std::ifstream file("/proc/cpuinfo");
  const std::string flags((std::istreambuf_iterator<char>(file)), {});
#if defined(__x86_64__)
  if (flags.empty()) return;
  const bool has_vnni = flags.find("avx512_vnni") != std::string::npos || flags.find("avx_vnni") != std::string::npos;
  const bool has_amx = flags.find("amx_int8") != std::string::npos;
  const Target& with_vnni = has_amx ? targets::ort_cpu_amx : targets::ort_cpu_x64;
  CHECK(&targets::ort_cpu_here() == (has_vnni ? &with_vnni : &targets::ort_cpu_avx2));
#elif defined(__aarch64__)
  CHECK(&targets::ort_cpu_here() == &targets::ort_cpu_arm64);
#endif
}

TEST_CASE("the version of the runtime picks the target as of its release", "[quantize]") {
  CHECK(&targets::ort_cpu_here("1.31.1") == &targets::at_release(targets::ort_cpu_here(), {1, 31}));
  CHECK(&targets::ort_cpu_here("1.24.4") == &targets::ort_cpu_here());
}
