#include <graft/graph/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/detail/platform.hpp>
#include <graft/graph/tensor.hpp>

#ifndef _WIN32
#include <sys/resource.h>
#endif

using namespace graft;

TEST_CASE("what the machine's memory holds is allocated, and no more") {
  const auto all = static_cast<std::int64_t>(physical_memory());
  CHECK(all > 1 << 20);
  CHECK(allocated_bytes(DType::f32, Dims{2, 3}) == 24);
  CHECK(allocated_bytes(DType::u8, Dims{all}) == physical_memory());
  CHECK_THROWS_WITH(allocated_bytes(DType::u8, Dims{all + 1}), Catch::Contains("bytes, the machine has"));
  CHECK_THROWS_WITH(Tensor(DType::f32, {all}), Catch::Contains("f32[") && Catch::Contains("the machine has"));
}

#if !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a process has no more memory than its resource limits allow") {
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
  const std::size_t fewer = detail::platform::physical_memory() / 2;
  const struct rlimit lower {static_cast<rlim_t>(fewer), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_DATA, &lower) == 0);
  const std::size_t found = detail::platform::physical_memory();
  REQUIRE(::setrlimit(RLIMIT_DATA, &before) == 0);
  CHECK(found == fewer);
}
#endif

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

TEST_CASE("a budget counts the tensors of its thread together, until they are freed") {
  std::vector<Tensor> kept;
  {
    const AllocationBudget budget(1000);
    CHECK(AllocationBudget::left() == 1000);
    for (int i = 0; i < 100; ++i) Tensor(DType::u8, {600});  // one at a time
    for (int i = 0; i < 3; ++i) kept.push_back(Tensor(DType::u8, {300}));
    CHECK(AllocationBudget::left() == 100);
    CHECK_THROWS_WITH(Tensor(DType::u8, {101}), "u8[101] needs 101 bytes, the budget has left 100");
    CHECK_THROWS_WITH(Tensor::of<float>({26}, std::vector<float>(26)), "104 bytes are needed, the budget has 100 left");
    Tensor copy = kept[0];
    CHECK(AllocationBudget::left() == 100);  // copies share their bytes
    CHECK_THROWS(copy.mutable_bytes());
    kept.pop_back();
    CHECK(AllocationBudget::left() == 400);
    copy.mutable_bytes();
    CHECK(AllocationBudget::left() == 100);
    CHECK(copy.release().size() == 300);
    CHECK(AllocationBudget::left() == 400);
    std::thread([&] { kept.clear(); }).join();
    CHECK(AllocationBudget::left() == 1000);
    kept.push_back(Tensor(DType::u8, {1000}));
  }
  CHECK(AllocationBudget::left() == std::numeric_limits<std::size_t>::max());
  kept.clear();  // outlives its budget
}

TEST_CASE("of budgets in budgets each counts, and other threads have none") {
  const AllocationBudget outer(1000);
  const Tensor first(DType::u8, {400});
  {
    const AllocationBudget inner(800);
    CHECK(AllocationBudget::left() == 600);
    CHECK_THROWS_WITH(Tensor::own(DType::u8, {700}, std::string(700, 'x')),
                      "700 bytes are needed, the budget has 600 left");
    const Tensor second(DType::u8, {500});
    CHECK(AllocationBudget::left() == 100);
    std::thread([] { CHECK(Tensor(DType::u8, {2000}).size() == 2000); }).join();
  }
  CHECK(AllocationBudget::left() == 600);
}

TEST_CASE("reserved bytes are of the budget until the reservation ends") {
  const Reservation unlimited(1000);  // no budget counts it
  const AllocationBudget budget(100);
  {
    std::vector<Reservation> held;
    held.emplace_back(60);
    CHECK(AllocationBudget::left() == 40);
    held.push_back(Reservation(40));  // moved
    CHECK(AllocationBudget::left() == 0);
    CHECK_THROWS_WITH(Reservation(1), "1 bytes are needed, the budget has 0 left");
  }
  CHECK(AllocationBudget::left() == 100);
}
