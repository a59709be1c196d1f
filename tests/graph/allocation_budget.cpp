#include <graft/graph/allocation_budget.hpp>

#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/tensor.hpp>

using namespace graft;

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
