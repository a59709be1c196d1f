#include <graft/graph/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <thread>

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

TEST_CASE("an allocation limit holds for what its thread makes, until it ends") {
  const AllocationLimit outer(1000);
  {
    const AllocationLimit inner(100), wider(500);
    CHECK(AllocationLimit::current() == 100);
    CHECK(allocated_bytes(DType::u8, Dims{100}) == 100);
    CHECK_THROWS_WITH(allocated_bytes(DType::u8, Dims{101}), "u8[101] needs 101 bytes, the limit is 100");
    CHECK_THROWS_WITH(Tensor(DType::f32, {26}), Catch::Contains("the limit is 100"));
    std::size_t elsewhere = 0;
    std::thread([&] { elsewhere = AllocationLimit::current(); }).join();
    CHECK(elsewhere == physical_memory());
  }
  CHECK(Tensor(DType::f32, {26}).size() == 26);
  CHECK(AllocationLimit::current() == 1000);
}
