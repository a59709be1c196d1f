#include <graft/evaluate/executor_factory.hpp>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/error.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// It stays where it is made.
struct Session {
  explicit Session(std::size_t made) : number(made) {}
  Session(const Session&) = delete;
  std::vector<Tensor> run(const Feeds&, const Fetches&) const { return std::vector<Tensor>(number); }
  void observe(const Feeds&, const Fetches&, const Observer&) const {}
  std::size_t number;
};

}  // namespace

static_assert(std::is_convertible_v<MakeEvaluator, ExecutorFactory>);
static_assert(std::is_convertible_v<std::function<Evaluator(const Graph&)>, ExecutorFactory>);
static_assert(std::is_convertible_v<Session (*)(const Graph&), ExecutorFactory>);
static_assert(!std::is_convertible_v<int, ExecutorFactory>);
static_assert(!std::is_convertible_v<int (*)(const Graph&), ExecutorFactory>);
static_assert(!std::is_convertible_v<Evaluator (*)(int), ExecutorFactory>);

TEST_CASE("graphs run in graft's evaluator unless another executor is given") {
  const Model model = graph("x: f32[2]; y = Neg(x)");
  const Feeds feeds{{"x", Tensor::of<float>({2}, {1, 2})}};
  for (const ExecutorFactory& factory : {ExecutorFactory(), ExecutorFactory(MakeEvaluator())})
    CHECK(factory(model.graph()).run(feeds, {"y"}).at(0).to<float>() == std::vector<float>{-1, -2});
}

TEST_CASE("each graph gets its own executor, and keeps it") {
  const Model model = graph("x: f32[2]; y = Neg(x)");
  const ExecutorFactory factory = [made = std::size_t{0}](const Graph& given) mutable {
    CHECK(given.nodes().size() == 1);
    return Session(++made);
  };
  CHECK(factory(model.graph()).run({}, {}).size() == 1);
  CHECK(factory(model.graph()).run({}, {}).size() == 2);
}

TEST_CASE("what a factory throws passes through") {
  const Model model = graph("x: f32[2]; y = Neg(x)");
  const ExecutorFactory factory = [](const Graph&) -> Evaluator { throw Error("no device"); };
  CHECK_THROWS_WITH(factory(model.graph()), "no device");
}
