#include <graft/session/objective.hpp>

#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>

using namespace graft;

TEST_CASE("objectives of latencies") {
  std::vector<double> latencies(21);
  std::iota(latencies.rbegin(), latencies.rend(), 0.0);
  latencies[0] = 100;
  CHECK(objective_of(Objective::mean, latencies, 50) == Approx((190.0 + 100) / 21));
  CHECK(objective_of(Objective::p50, latencies, 50) == 10);
  CHECK(objective_of(Objective::p95, latencies, 50) == 19);
  CHECK(objective_of(Objective::throughput, latencies, 42) == 2);
  CHECK_THROWS_AS(objective_of(Objective::throughput, {}, 1), Error);
}

TEST_CASE("a quantile lies between its neighbours") {
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile({4, 1, 3, 2}, 0) == 1);
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
  CHECK(quantile({7}, 0.95) == 7);
  CHECK_THROWS_AS(quantile({}, 0.5), Error);
}

TEST_CASE("every objective has a name") {
  CHECK(to_string(Objective::p95) == "p95");
  CHECK(to_string(Objective::throughput) == "throughput");
}
