#include <graft/session/tune_session.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// Constant work that the runtime folds when it loads the model, unless optimization is disabled.
SessionModel foldable() {
  return {.bytes = graph(R"(
    x: f32[1]
    n = i64[3] {64, 64, 64}
    e = ConstantOfShape(n)
    f = Exp(e)
    r = ReduceMean(f)
    y = Add(x, r)
  )")
                       .commit()
                       .SerializeAsString()};
}
const std::vector<Feeds> samples{{{"x", Tensor::of<float>({1}, {2})}}};

}  // namespace

TEST_CASE("a session that does what the default saves is slower") {
  TuneOptions options;
  options.block_seconds = 0.002;
  options.options = {SearchedOption::of("graph_optimization_level", {"disabled"})};
  const TuneResult result = tune_session(foldable(), samples, options);
  REQUIRE(result.trials.size() == 1);
  CHECK(result.trials[0].ratio.ratio > 2);
  CHECK(result.trials[0].verdict == TrialVerdict::dropped);
  CHECK(result.chosen.empty());
  CHECK(result.trials[0].times.size() == 4);
  CHECK(result.trials[0].difference.relative < 1e-6);
}

TEST_CASE("a model decides what is searched if nothing is given") {
  std::vector<std::string> tried;
  TuneOptions options;
  options.block_seconds = 0.0001;
  options.threads = 2;
  options.search.rounds = options.search.max_rounds = 2;
  options.search.confirmation_pairs = options.search.max_confirmation_pairs = 2;
  options.search.progress = [&](const SessionTrial& trial) { tried.push_back(trial.option); };
  const TuneResult result = tune_session(foldable(), samples, options);
  CHECK(tried.size() == result.trials.size());
  CHECK(tried.front() == "intra_op_num_threads");
  CHECK_FALSE(result.is_faster());  // two rounds prove nothing
  CHECK_THROWS_WITH(tune_session({.bytes = "nothing"}, samples), "bytes: is not an ONNX model");
}

TEST_CASE("the default has no more threads than a session may use") {
  TuneOptions options;
  options.block_seconds = 0.0001;
  options.threads = 1;
  options.options = {SearchedOption::of("enable_mem_pattern", {"0"})};
  options.search.rounds = options.search.max_rounds = 2;
  const TuneResult result = tune_session(foldable(), samples, options);
  CHECK(result.base == SessionConfig{{"intra_op_num_threads", "1"}});
  CHECK(result.chosen == result.base);
  CHECK(result.trials.at(0).against == result.base);
}

TEST_CASE("two configurations that do the same take as long") {
  // Neither option does anything in sequential mode. The intervals of 99.9 % leave the test to fail once in 500 runs.
  OnnxRuntimeBench bench(foldable(), samples, {.block_seconds = 0.002});
  const SearchOptions options{.confirmation_pairs = 20,
                              .max_confirmation_pairs = 20,
                              .confidence = 0.999,
                              .least_gain = 0,
                              .start = {{"inter_op_num_threads", "1"}, {"session.inter_op.allow_spinning", "0"}}};
  const PairedRatio ratio = search_session_options(bench, {}, options).confirmed;
  CAPTURE(ratio.ratio, ratio.low, ratio.high);
  CHECK(ratio.pairs == 20);
  CHECK_FALSE(ratio.is_faster());
  CHECK_FALSE(ratio.is_slower());
}
