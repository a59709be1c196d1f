#include <graft/quantize/tune/detail/frontier.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/error.hpp>
#include <graft/testing/detail/feeds.hpp>
#include <graft/testing/random_graph.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

constexpr std::size_t unlimited = std::size_t{1} << 40;

std::vector<Feeds> feeds_of(const Graph& graph, std::uint64_t seed, std::size_t count) {
  detail::FeedMaker maker(graph, seed, {}, false);
  std::vector<Feeds> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(maker.feeds(4 + i));
  return all;
}

Fetches outputs_of(const Graph& graph) {
  Fetches outputs;
  for (const Value* const output : graph.outputs()) outputs.emplace_back(output);
  return outputs;
}

void check_same(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i].same_bytes(expected[i]));
}

}  // namespace

TEST_CASE("a run from any place on gives what a whole run gives, bit for bit", "[quantize]") {
  Vocabulary vocabulary;
  vocabulary.functions = false;  // the evaluator calls none
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO(seed);
    const Model model = random_graph(seed, 4 + seed % 12, vocabulary);
    const Graph& graph = model.graph();
    const std::vector<Feeds> samples = feeds_of(graph, seed, 2);
    AnyExecutor executor{Evaluator(graph)};
    std::vector<std::vector<Tensor>> expected;
    try {
      for (const Feeds& feeds : samples) expected.push_back(executor.run(feeds, outputs_of(graph)));
    } catch (const Error&) {
      continue;  // extents of these symbols do not fit
    }
    const detail::LiveValues live(graph);
    detail::Frontier frontier(samples, unlimited);
    for (std::size_t place = 0; place <= graph.nodes().size(); place += 1 + seed % 3) {
      frontier.advance(graph, live, executor, place);
      CHECK(frontier.place() == place);
      for (std::size_t i = 0; i < samples.size(); ++i)
        check_same(frontier.run(i, graph, executor, outputs_of(graph)), expected[i]);
      ++compared;
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("nodes in front of the place are not run", "[quantize]") {
  const Model model = graph("x: f32[2]; a = Relu(x); b = Neg(a); c = Exp(b); y = Add(c, a)");
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({2}, {1, 2})}}};
  Kernels kernels = Kernels::standard();
  std::size_t runs = 0;
  kernels.add("Neg", [&](KernelContext& ctx) {
    ++runs;
    ctx.set_output(0, ctx.take_input(0));
  });
  AnyExecutor executor{Evaluator(model.graph(), kernels)};
  detail::Frontier frontier(samples, unlimited);
  const detail::LiveValues live(model.graph());
  CHECK(live.at(2).size() == 2);
  frontier.advance(model.graph(), live, executor, 2);
  CHECK(runs == 1);
  frontier.run(0, model.graph(), executor, outputs_of(model.graph()));
  frontier.advance(model.graph(), live, executor, 3);
  frontier.run(0, model.graph(), executor, outputs_of(model.graph()));
  CHECK(runs == 1);
}

TEST_CASE("samples whose values would take too much memory stay where they are", "[quantize]") {
  const Model model = graph("x: f32[4]; a = Neg(x); b = Exp(a); y = Neg(b)");
  const std::vector<Feeds> samples(3, Feeds{{"x", Tensor::of<float>({4}, {1, 2, 3, 4})}});
  AnyExecutor executor{Evaluator(model.graph())};
  const std::vector<Tensor> expected = executor.run(samples[0], outputs_of(model.graph()));
  detail::Frontier frontier(samples, 2 * 4 * sizeof(float));
  const detail::LiveValues live(model.graph());
  frontier.advance(model.graph(), live, executor, 2);
  CHECK(frontier.place() == 2);
  for (std::size_t i = 0; i < 3; ++i)
    check_same(frontier.run(i, model.graph(), executor, outputs_of(model.graph())), expected);
  detail::Frontier none(samples, 0);
  none.advance(model.graph(), live, executor, 2);
  check_same(none.run(0, model.graph(), executor, outputs_of(model.graph())), expected);
  CHECK(none.place() == 2);
  detail::Frontier empty({}, unlimited);
  empty.advance(model.graph(), live, executor, 2);
  CHECK(empty.place() == 2);
}

TEST_CASE("a graph that differs behind the place takes the values of the other one", "[quantize]") {
  const Model first = graph("x: f32[2]; a = Neg(x); y = Exp(a)"), second = graph("x: f32[2]; a = Neg(x); y = Relu(a)");
  const std::vector<Feeds> samples{{{"x", Tensor::of<float>({2}, {1, -2})}}};
  AnyExecutor executor{Evaluator(first.graph())}, other{Evaluator(second.graph())};
  detail::Frontier frontier(samples, unlimited);
  frontier.advance(first.graph(), detail::LiveValues(first.graph()), executor, 1);
  check_same(frontier.run(0, second.graph(), other, {"y"}), {Tensor::of<float>({2}, {0, 2})});
}
