#include <graft/evaluate/any_executor.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>

using namespace graft;

namespace {

/// Counts its runs, and gives the feeds back.
struct Echo {
  std::vector<Tensor> run(const Feeds& feeds, const Fetches&) {
    ++runs;
    return {feeds.at(0).second};
  }
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) {
    for (std::size_t i = 0; i < fetches.size(); ++i) observer(i, feeds.at(i).second);
  }
  int runs = 0;
};

/// It stays where it is made.
struct Session : Echo {
  Session() = default;
  Session(const Session&) = delete;
};

struct Broken {
  std::vector<Tensor> run(const Feeds&, const Fetches&) { throw Error("cannot run"); }
  void observe(const Feeds&, const Fetches&, const Observer&) { throw 7; }
};

const Feeds feeds{{"x", Tensor::of<float>({2}, {1, 2})}};

}  // namespace

static_assert(Executor<AnyExecutor>);
static_assert(std::is_move_constructible_v<AnyExecutor>);
static_assert(!std::is_constructible_v<AnyExecutor, int>);
static_assert(!std::is_constructible_v<AnyExecutor, std::reference_wrapper<int>>);

TEST_CASE("an executor of any type runs and shows the same tensors, without a copy") {
  AnyExecutor executor = Echo();
  const void* const bytes = feeds[0].second.bytes().data();
  CHECK(executor.run(feeds, {"x"}).at(0).bytes().data() == bytes);
  std::size_t shown = 0;
  executor.observe(feeds, {"x"}, [&](std::size_t i, const Tensor& tensor) {
    ++shown;
    CHECK(i == 0);
    CHECK(&tensor == &feeds[0].second);
  });
  CHECK(shown == 1);
}

TEST_CASE("an executor is referred to where it stays, or made in place") {
  Echo echo;
  AnyExecutor(std::ref(echo)).run(feeds, {});
  CHECK(echo.runs == 1);
  AnyExecutor(echo).run(feeds, {});
  CHECK(echo.runs == 1);
  Session session;
  AnyExecutor(std::ref(session)).run(feeds, {});
  CHECK(session.runs == 1);
  AnyExecutor made = AnyExecutor::of([] { return Session(); });
  AnyExecutor moved = std::move(made);
  CHECK(moved.run(feeds, {}).size() == 1);
}

TEST_CASE("what an executor throws, and what an observer throws, passes through") {
  AnyExecutor broken = Broken();
  CHECK_THROWS_WITH(broken.run(feeds, {}), "cannot run");
  CHECK_THROWS_AS(broken.observe(feeds, {}, [](std::size_t, const Tensor&) {}), int);
  AnyExecutor echo = Echo();
  CHECK_THROWS_AS(echo.observe(feeds, {"x"}, [](std::size_t, const Tensor&) { throw 8; }), int);
}
