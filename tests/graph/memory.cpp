#include <graft/graph/memory.hpp>

#include <cstdint>

#include <catch2/catch.hpp>
#include <graft/graph/tensor.hpp>

using namespace graft;

TEST_CASE("what the machine's memory holds is allocated, and no more") {
  const auto all = static_cast<std::int64_t>(physical_memory());
  CHECK(all > 1 << 20);
  CHECK(allocated_bytes(DType::f32, Dims{2, 3}) == 24);
  CHECK(allocated_bytes(DType::u8, Dims{all}) == physical_memory());
  CHECK_THROWS_WITH(allocated_bytes(DType::u8, Dims{all + 1}), Catch::Contains("bytes, the machine has"));
  CHECK_THROWS_WITH(Tensor(DType::f32, {all}), Catch::Contains("f32[") && Catch::Contains("the machine has"));
}
