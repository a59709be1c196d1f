#include <vector>

#include <catch2/catch.hpp>

#include <graft/qonnx/ops/detail/broadcast_runs.hpp>

using namespace graft;
using qonnx::detail::BroadcastRuns;

namespace {

/// The parameter's element for each element of dims, read by runs from a place in the middle on.
std::vector<std::int64_t> places(const Dims& dims, const Dims& parameter, std::int64_t first, std::int64_t last) {
  const BroadcastRuns<2> runs(dims, {parameter, Dims{}});
  std::vector<std::int64_t> found;
  runs.each_run(first, last, [&](std::int64_t element, std::int64_t count, const auto& offsets) {
    CHECK(element == first + static_cast<std::int64_t>(found.size()));
    CHECK(offsets[1] == 0);
    for (std::int64_t i = 0; i < count; ++i) found.push_back(offsets[0] + i * runs.stride(0));
  });
  return found;
}

}  // namespace

TEST_CASE("runs read a parameter as if it were broadcast", "[qonnx]") {
  const Dims dims{2, 3, 2, 2};
  CHECK(places(dims, {}, 0, 3) == std::vector<std::int64_t>{0, 0, 0});
  CHECK(places(dims, {3, 1, 1}, 3, 14) == std::vector<std::int64_t>{0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0});
  CHECK(places(dims, {2, 1, 1, 1}, 11, 13) == std::vector<std::int64_t>{0, 1});
  CHECK(places(dims, {1, 2}, 1, 6) == std::vector<std::int64_t>{1, 0, 1, 0, 1});
  CHECK(places(dims, {1, 2, 1}, 1, 7) == std::vector<std::int64_t>{0, 1, 1, 0, 0, 1});
  CHECK(places(dims, {2, 1, 2, 1}, 9, 15) == std::vector<std::int64_t>{0, 1, 1, 2, 2, 3});
  CHECK(places(dims, dims, 5, 9) == std::vector<std::int64_t>{5, 6, 7, 8});
  CHECK(places({}, {}, 0, 1) == std::vector<std::int64_t>{0});
  CHECK(places({2, 0}, {1}, 0, 0).empty());
}

TEST_CASE("axes that all parameters traverse as one make one run", "[qonnx]") {
  CHECK(BroadcastRuns<1>({4, 3, 5, 5}, {Dims{4, 1, 1, 1}}).run_length() == 75);
  CHECK(BroadcastRuns<1>({4, 3, 5, 5}, {Dims{}}).run_length() == 300);
  CHECK(BroadcastRuns<1>({4, 3, 5, 5}, {Dims{4, 3, 5, 5}}).run_length() == 300);
  CHECK(BroadcastRuns<1>({4, 3}, {Dims{3}}).run_length() == 3);
  CHECK_FALSE(BroadcastRuns<1>({4, 3}, {Dims{3}}).uniform());
}

TEST_CASE("a parameter must not expand what it broadcasts to", "[qonnx]") {
  CHECK(qonnx::detail::broadcasts_to({3, 1}, {2, 3, 4}));
  CHECK_FALSE(qonnx::detail::broadcasts_to({2}, {1}));
  CHECK_FALSE(qonnx::detail::broadcasts_to({1, 1}, {4}));
  CHECK_FALSE(qonnx::detail::broadcasts_to({3}, {4}));
}
