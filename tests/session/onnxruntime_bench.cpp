#include <graft/session/onnxruntime_bench.hpp>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

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

TEST_CASE("every option of a config reaches the runtime") {
  const OnnxRuntimeApi api;
  const auto made = [&](const SessionConfig& config) {
    const auto options = api.make(api->ReleaseSessionOptions, [&](OrtSessionOptions** it) {
      return api->CreateSessionOptions(it);
    });
    set_session_options(api, *options, config);
    return options;
  };
  for (const SessionOption& option : session_options) {
    const std::string name(option.name);
    if (!name.starts_with("session.") && !name.starts_with("optimization.")) continue;
    CAPTURE(name);
    const std::string value = option.type == SessionOptionType::text ? "2" : "1";
    const auto options = made({{name, value}});
    std::string got(16, ' ');
    std::size_t size = got.size();
    api.check(api->GetSessionConfigEntry(options.get(), name.c_str(), got.data(), &size));
    CHECK(got.substr(0, size - 1) == value);
  }
  // What threads a session makes: all but the caller's inside nodes, and as many as are asked for over nodes.
  Model model = net();
  const std::string bytes = bytes_of(model).bytes;
  const auto session = [&](OrtSessionOptions& options) {
    return api.make(api->ReleaseSession, [&](OrtSession** it) {
      return api->CreateSessionFromArray(&api.environment(), bytes.data(), bytes.size(), &options, it);
    });
  };
  const auto threads = [&](const SessionConfig& config) {
    const auto count = [] {
      return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    };
    const auto before = count();
    const auto open = session(*made(config));
    return count() - before;
  };
  CHECK(threads({{"intra_op_num_threads", "1"}}) == 0);
  CHECK(threads({{"intra_op_num_threads", "4"}}) == 3);
  const auto over_nodes = threads({{"intra_op_num_threads", "1"}, {"execution_mode", "parallel"},
                                   {"inter_op_num_threads", "5"}});
  CHECK(over_nodes - threads({{"intra_op_num_threads", "1"}, {"execution_mode", "parallel"},
                              {"inter_op_num_threads", "2"}}) == 3);
  CHECK(threads({{"intra_op_num_threads", "1"}, {"inter_op_num_threads", "5"}}) == 0);
  // What the optimizations leave.
  const Folder folder;
  Model constants = graph("x: f32[1]; a = Add(f32[1] 1, f32[1] 2); y = Mul(x, a)");
  const auto nodes = [&](const std::string& level) {
    const auto options = made({{"graph_optimization_level", level}});
    api.check(api->SetOptimizedModelFilePath(options.get(), (folder / "o.onnx").c_str()));
    const std::string text = bytes_of(constants).bytes;
    api.make(api->ReleaseSession, [&](OrtSession** it) {
      return api->CreateSessionFromArray(&api.environment(), text.data(), text.size(), options.get(), it);
    });
    return Model::load(folder / "o.onnx").graph().nodes().size();
  };
  CHECK(nodes("disabled") == 2);
  CHECK(nodes("basic") == 1);
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

TEST_CASE("processor time is measured of sessions of one thread") {
  Model model = net();
  OnnxRuntimeBench bench(bytes_of(model), samples, {.block_seconds = 0.001, .processor_time = true});
  const SessionConfig one{{"intra_op_num_threads", "1"}};
  bench.open(one);
  const std::clock_t before = std::clock();
  const double run = bench.time(one);
  const double all = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  CHECK(run > 0);
  CHECK(run * static_cast<double>(bench.runs_in_a_block()) < all * 1.5);  // runs that are much slower are fewer
  CHECK_THROWS_WITH(bench.open({}), Catch::Contains("intra_op_num_threads: processor time"));
  CHECK_THROWS_WITH(bench.open({{"execution_mode", "parallel"}, {"intra_op_num_threads", "1"}}),
                    Catch::Contains("execution_mode: processor time"));
  CHECK_THROWS_WITH(OnnxRuntimeBench(bytes_of(model), samples, {.concurrency = 2, .processor_time = true}),
                    Catch::Contains("concurrency: processor time"));
}

TEST_CASE("processor time does not pass while the process sleeps") {
  Model model = net();
  const SessionConfig one{{"intra_op_num_threads", "1"}};
  OnnxRuntimeBench processor(bytes_of(model), samples, {.objective = Objective::mean, .processor_time = true});
  OnnxRuntimeBench clock(bytes_of(model), samples, {.objective = Objective::mean});
  processor.open(one);
  clock.open(one);
  // After each tick of processor time the process sleeps five times as long.
  struct sigaction sleeps {};
  struct sigaction before {};
  sleeps.sa_handler = [](int) {
    const std::timespec nap{0, 20'000'000};
    ::nanosleep(&nap, nullptr);
  };
  REQUIRE(sigaction(SIGVTALRM, &sleeps, &before) == 0);
  const itimerval ticks{{0, 1000}, {0, 1000}}, none{};
  REQUIRE(setitimer(ITIMER_VIRTUAL, &ticks, nullptr) == 0);
  const double awake = processor.time(one), passed = clock.time(one);
  REQUIRE(setitimer(ITIMER_VIRTUAL, &none, nullptr) == 0);
  REQUIRE(sigaction(SIGVTALRM, &before, nullptr) == 0);
  CHECK(awake > 0);
  CHECK(awake * 2 < passed);
}

TEST_CASE("a thread that the machine does not start is an error") {
  // Stacks of so many threads do not fit into what is left of the address space.
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit given{};
  REQUIRE(pages > 0);
  REQUIRE(getrlimit(RLIMIT_AS, &given) == 0);
  rlimit least = given;
  least.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (std::size_t{1} << 29);
  Model model = net();
  OnnxRuntimeBench bench(bytes_of(model), samples, {.concurrency = 5000, .block_seconds = 0});
  bench.open({});
  REQUIRE(setrlimit(RLIMIT_AS, &least) == 0);
  std::string message;
  try {
    bench.time({});
  } catch (const Error& error) {
    message = error.what();
  }
  REQUIRE(setrlimit(RLIMIT_AS, &given) == 0);
  CHECK(message == "concurrency: the machine cannot start this many threads");
}

TEST_CASE("a model is read from its file, with weights beside it") {
  const Folder folder;
  Model model = net();
  model.save(folder / "m.onnx", {.external_data_over = 0});
  OnnxRuntimeBench bench({.file = folder / "m.onnx"}, samples, {.block_seconds = 0.001});
  bench.open({});
  CHECK(bench.open({{"graph_optimization_level", "disabled"}}).relative == 0);
}

TEST_CASE("outputs that are not tensors of numbers are not compared") {
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
