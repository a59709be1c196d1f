#include <graft/session/tune_session.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// Constant work that the runtime folds when it loads the model, unless it is told not to optimize.
SessionModel foldable() {
  return {.bytes = graph(R"(
    x: f32[1]
    n = i64[3] {64, 64, 64}
    e = ConstantOfShape(n)
    f = Exp(e)
    r = ReduceMean(f)
    y = Add(x, r)
  )").commit().SerializeAsString()};
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
  options.threads = 1;
  options.search.rounds = options.search.most_rounds = options.search.confirmation_rounds = 2;
  options.search.progress = [&](const SessionTrial& trial) { tried.push_back(trial.option); };
  const TuneResult result = tune_session(foldable(), samples, options);
  CHECK(tried.size() == result.trials.size());
  CHECK(tried.front() == "intra_op_num_threads");
  CHECK(result.chosen.empty());  // two rounds prove nothing
  CHECK_THROWS_WITH(tune_session({.bytes = "nothing"}, samples), "bytes: is no ONNX model");
}
