#include <graft/evaluate/executor.hpp>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>

using namespace graft;

namespace {

/// Another runtime in the evaluator's place.
struct Nothing {
  std::vector<Tensor> run(const Feeds&, const Fetches& fetches) { return std::vector<Tensor>(fetches.size()); }
  void observe(const Feeds&, const Fetches&, const Observer&) {}
};

}  // namespace

static_assert(Executor<Evaluator>);
static_assert(Executor<const Evaluator>);
static_assert(Executor<Nothing>);
static_assert(!Executor<int>);

TEST_CASE("a value is referred to by name in any kind of string") {
  CHECK(ValueRef("x").name() == "x");
  CHECK(ValueRef(std::string("x")).name() == "x");
  CHECK(ValueRef(std::string_view("x")).name() == "x");
  CHECK(ValueRef("x").value() == nullptr);
}
