#include <graft/session/onnxruntime_bench.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/session/searched_option.hpp>
#include <graft/testing/text.hpp>

#include "support/folder.hpp"

using namespace graft;

namespace {

/// y = Relu(x . w) and the sum of it.
Model net() {
  return graph(R"(
    x: f32[N,4]
    w = f32[4,4] {1,2,3,4, -1,-2,-3,-4, 0,1,0,1, 5,6,7,8}
    m = MatMul(x, w)
    y = Relu(m)
    s = ReduceSum(y)
  )");
}
SessionModel bytes_of(Model& model) { return {.bytes = model.commit().SerializeAsString()}; }
Tensor rows(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count) * 4);
  float next = -3;
  for (float& value : values) value = next++;
  return Tensor::of<float>({count, 4}, values);
}
const std::vector<Feeds> samples{{{"x", rows(1)}}, {{"x", rows(3)}}};

}  // namespace

TEST_CASE("every option that is searched is one of the runtime's") {
  Model model = net();
  OnnxRuntimeBench bench(bytes_of(model), samples, {.block_seconds = 0.001});
  CHECK(bench.open({}).relative == 0);
  std::vector<SessionConfig> bases{{}, {{"execution_mode", "parallel"}}, {{"intra_op_num_threads", "2"}}};
  const Model quantized = graph("x: f32[1]; s = f32[] {1}; z = u8[] {0}; y = QuantizeLinear(x, s, z)");
  for (const SearchedOption& option : usual_session_options(quantized.graph(), 2)) {
    for (const SessionConfig& base : bases) {
      for (const std::string& value : option.values(base)) {
        const SessionConfig config = with_option(base, option.name, value);
        if (config.empty()) continue;
        CAPTURE(to_string(config));
        CHECK(bench.open(config).relative < 1e-6);
        CHECK(bench.time(config) > 0);
        bench.close(config);
      }
    }
  }
}

TEST_CASE("options reach the runtime") {
  Model model = net();
  OnnxRuntimeBench bench(bytes_of(model), samples, {.block_seconds = 0.001});
  bench.open({});
  // The runtime checks these when it makes a session: two threads take one affinity.
  CHECK_THROWS_AS(bench.open({{"intra_op_num_threads", "2"}, {"session.intra_op_thread_affinities", "1;1"}}), Error);
  CHECK_THROWS_WITH(bench.open({{"session.nothing", "1"}}), "session.nothing: there is no such option of a session");
  CHECK_THROWS_AS(bench.time({{"enable_mem_pattern", "0"}}), std::out_of_range);  // never opened
  CHECK_NOTHROW(bench.close({{"enable_mem_pattern", "0"}}));
}

TEST_CASE("a block runs every sample, on as many threads as are asked for") {
  Model model = net();
  for (const Objective objective : {Objective::mean, Objective::p50, Objective::p95, Objective::throughput}) {
    for (const std::size_t concurrency : {std::size_t{1}, std::size_t{3}}) {
      OnnxRuntimeBench bench(bytes_of(model), samples,
                             {.objective = objective, .concurrency = concurrency, .block_seconds = 0});
      bench.open({});
      CHECK(bench.time({}) > 0);
      CHECK(bench.runs_in_a_block() % (2 * concurrency) == 0);
      CHECK(bench.runs_in_a_block() >= (objective == Objective::p95 ? 20 : 2 * concurrency));
    }
  }
  OnnxRuntimeBench longer(bytes_of(model), samples, {.block_seconds = 0.01});
  longer.open({});
  CHECK(longer.runs_in_a_block() > 20);
}

TEST_CASE("a model is read from its file, with weights beside it") {
  const Folder folder;
  Model model = net();
  model.save(folder / "m.onnx", {.external_data_over = 0});
  OnnxRuntimeBench bench({.file = folder / "m.onnx"}, samples, {.block_seconds = 0.001});
  bench.open({});
  CHECK(bench.open({{"graph_optimization_level", "disabled"}}).relative == 0);
}

TEST_CASE("outputs that are no tensors of numbers are not compared") {
  Model model = graph("x: f32[2]; t = Cast(x) {to=8}; q = SequenceConstruct(x); y = Neg(x)");
  std::vector<Feeds> feeds{{{"x", Tensor::of<float>({2}, {1, 2})}}};
  OnnxRuntimeBench bench(bytes_of(model), feeds, {.block_seconds = 0.001});
  bench.open({});
  CHECK(bench.open({{"enable_cpu_mem_arena", "0"}}).relative == 0);
}

TEST_CASE("what the runtime cannot run is an error") {
  Model model = net();
  CHECK_THROWS_WITH(OnnxRuntimeBench(bytes_of(model), {}), "there are no samples to run");
  CHECK_THROWS_AS(OnnxRuntimeBench({.bytes = "nothing"}, samples).open({}), Error);
  CHECK_THROWS_AS(OnnxRuntimeBench({.file = "/nowhere/m.onnx"}, samples).open({}), Error);
  const std::vector<Feeds> wrong{{{"z", rows(1)}}};
  CHECK_THROWS_AS(OnnxRuntimeBench(bytes_of(model), wrong).open({}), Error);
}
