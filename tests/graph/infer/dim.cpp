#include <graft/graph/infer/dim.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using graft::Dim;
using graft::Shape;
using namespace graft::infer;

namespace {
const Dim n("N"), m("M"), unknown;
}

TEST_CASE("axes count from the front or from the back") {
  CHECK(normalized(1, 3) == 1u);
  CHECK(normalized(-1, 3) == 2u);
  CHECK_FALSE(normalized(3, 3));
  CHECK_FALSE(normalized(-4, 3));
  CHECK_FALSE(normalized(0, 0));
  CHECK(normalized(std::vector<std::int64_t>{-1, 0}, 3) == std::vector<std::size_t>{2, 0});
  CHECK_FALSE(normalized(std::vector<std::int64_t>{-1, 2}, 3));
}

TEST_CASE("unified, the more exact description wins") {
  CHECK(unify(Dim(3), unknown) == Dim(3));
  CHECK(unify(n, Dim(3)) == Dim(3));
  CHECK(unify(unknown, n) == n);
  CHECK(unify(n, m) == n);
  const std::string name = made_up_symbol(3);
  const Dim made_up{std::string_view(name)};
  CHECK(is_made_up(made_up));
  CHECK_FALSE(is_made_up(n));
  CHECK(unify(made_up, n) == n);
  CHECK(unify(n, made_up) == n);
  CHECK(unify(made_up, unknown) == made_up);
  const Dim sum("N + M"), made_up_sum("N + unk__0");
  CHECK(unify(sum, n) == n);
  CHECK(unify(n, sum) == n);
  CHECK(unify(made_up, sum) == sum);
  CHECK(unify(made_up_sum, sum) == sum);
  CHECK_FALSE(unify(Dim(2), Dim(3)));
}

TEST_CASE("extents broadcast") {
  CHECK(broadcast(Dim(1), n) == n);
  CHECK(broadcast(unknown, Dim(1)) == unknown);
  CHECK(broadcast(Dim(3), n) == Dim(3));
  CHECK(broadcast(n, n) == n);
  CHECK(broadcast(n, m) == unknown);
  CHECK(broadcast(Dim(0), Dim(1)) == Dim(0));
  CHECK_FALSE(broadcast(Dim(2), Dim(3)));
}

TEST_CASE("shapes broadcast from the back") {
  CHECK(broadcast(Shape({2, 1, n}), Shape({3, 1})) == Shape({2, 3, n}));
  CHECK(broadcast(Shape({n}), Shape({2, 1, 4})) == Shape({2, 1, 4}));
  CHECK(broadcast(Shape(), Shape({2})) == Shape());
  CHECK_FALSE(broadcast(Shape({2}), Shape({3})));
}

TEST_CASE("sums and products of extents") {
  CHECK(add(Dim(2), Dim(3)) == Dim(5));
  CHECK(add(n, Dim(0)) == n);
  CHECK(add(n, Dim(1)) == unknown);
  CHECK(multiply(n, Dim(1)) == n);
  CHECK(multiply(unknown, Dim(0)) == Dim(0));
  CHECK(multiply(n, Dim(2)) == unknown);
  CHECK(product(std::vector<Dim>{2, n, 0}) == Dim(0));
  const Dim huge(std::int64_t{1} << 62);
  CHECK(add(huge, huge) == unknown);
  CHECK(multiply(huge, huge) == unknown);
}

TEST_CASE("quotients cancel what both share") {
  CHECK(quotient({6, n}, {3, n}) == Dim(2));
  CHECK(quotient({6, n}, {6}) == n);
  CHECK(quotient({n, m, 4}, {m, 4}) == n);
  CHECK(quotient({n, 4}, {2}) == unknown);
  CHECK(quotient({6}, {n}) == unknown);
  CHECK(quotient({n, n}, {n}) == n);
  CHECK(quotient({6}, {0}) == unknown);
  CHECK_FALSE(quotient({7}, {2}));
}
