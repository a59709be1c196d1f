#pragma once
// Needs ONNX Runtime, as <graft/evaluate/onnxruntime_api.hpp> does.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <exception>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <graft/evaluate/onnxruntime_api.hpp>
#include <graft/session.hpp>

namespace graft::inline v1 {

/// The model of a session: a file, beside which the runtime finds external data, or, without a file, the bytes of one.
struct SessionModel {
  std::string file{}, bytes{};
};

/// Sets the options of the config. Throws Error as check_session_config() does, or with the runtime's message.
inline void set_session_options(const OnnxRuntimeApi& api, OrtSessionOptions& options, const SessionConfig& config) {
  check_session_config(config);
  const std::map<std::string_view, GraphOptimizationLevel> levels{{"disabled", ORT_DISABLE_ALL},
                                                                  {"basic", ORT_ENABLE_BASIC},
                                                                  {"extended", ORT_ENABLE_EXTENDED},
                                                                  {"all", ORT_ENABLE_ALL}};
  for (const auto& [name, value] : config) {
    const auto set = [&, &name = name, &value = value] {
      if (name == "execution_mode")
        return api->SetSessionExecutionMode(&options, value == "parallel" ? ORT_PARALLEL : ORT_SEQUENTIAL);
      if (name == "graph_optimization_level")
        return api->SetSessionGraphOptimizationLevel(&options, levels.at(value));
      if (name == "intra_op_num_threads") return api->SetIntraOpNumThreads(&options, std::stoi(value));
      if (name == "inter_op_num_threads") return api->SetInterOpNumThreads(&options, std::stoi(value));
      if (name == "enable_mem_pattern")
        return value == "1" ? api->EnableMemPattern(&options) : api->DisableMemPattern(&options);
      if (name == "enable_cpu_mem_arena")
        return value == "1" ? api->EnableCpuMemArena(&options) : api->DisableCpuMemArena(&options);
      return api->AddSessionConfigEntry(&options, name.c_str(), value.c_str());
    };
    api.check(set());
  }
}

struct OnnxRuntimeBenchOptions {
  Objective objective = Objective::p50;
  /// The number of threads that run one session at the same time.
  std::size_t concurrency = 1;
  /// The length of a block of runs with the default configuration. A block runs each sample at least once, and for p95
  /// at least 20 runs.
  double block_seconds = 0.05;
  /// Measures the processor time of the process instead of wall time, which other load on the machine prolongs. Needs
  /// sessions and a concurrency of one thread.
  bool processor_time = false;
};

/// Times sessions of ONNX Runtime. A block begins with some milliseconds of untimed runs. In these, threads of the
/// session wake up, threads of other sessions stop spinning, and caches fill. The runtime applies
/// session.set_denormal_as_zero to the threads of its pool, and to the thread that makes the first session of the
/// process. Here only the pool's threads change.
class OnnxRuntimeBench final : public SessionBench {
 public:
  /// samples: the feeds of each run, by name. Throws Error if there are none.
  OnnxRuntimeBench(SessionModel model, const std::vector<Feeds>& samples, OnnxRuntimeBenchOptions options = {})
      : model_(std::move(model)), options_(options) {
    if (samples.empty()) throw Error("there are no samples to run");
    if (options_.concurrency == 0) throw Error("is 0").field("concurrency");
    if (options_.processor_time && options_.concurrency != 1)
      throw Error("processor time is measured of one thread").field("concurrency");
    for (const Feeds& feeds : samples) {
      Sample& sample = samples_.emplace_back();
      for (const auto& [ref, tensor] : feeds) {
        sample.names.emplace_back(ref.name());
        sample.tensors.push_back(tensor);
        sample.values.push_back(api_.borrowed(sample.tensors.back()));
      }
    }
  }

  OutputDifference open(const SessionConfig& config) override {
    if (options_.processor_time) check_one_thread(config);
    Session& session = sessions_[config];
    try {
      session.handle = start(config);
      session.outputs = api_.output_names(*session.handle);
      return compare(session);
    } catch (...) {
      sessions_.erase(config);
      throw;
    }
  }

  double time(const SessionConfig& config) override {
    const Session& session = sessions_.at(config);
    warm_up(session);
    return options_.concurrency == 1 ? time_alone(session) : time_together(session);
  }

  void close(const SessionConfig& config) override { sessions_.erase(config); }
  double elapsed() const override { return seconds_since(begun_); }

  /// The number of runs in a block. Open a session with the default configuration first.
  std::size_t runs_in_a_block() const { return cycles_ * samples_.size() * options_.concurrency; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Sample {
    std::vector<std::string> names{};
    std::vector<Tensor> tensors{};
    std::vector<std::shared_ptr<OrtValue>> values{};
  };
  struct Session {
    std::shared_ptr<OrtSession> handle{};
    std::vector<std::string> outputs{};
  };
  using Values = std::vector<std::shared_ptr<OrtValue>>;

  static void check_one_thread(const SessionConfig& config) {
    const auto threads = config.find("intra_op_num_threads");
    if (threads == config.end() || threads->second != "1")
      throw Error("processor time is measured of one thread").field("intra_op_num_threads");
    const auto mode = config.find("execution_mode");
    if (mode != config.end() && mode->second != "sequential")
      throw Error("processor time is measured of one thread").field("execution_mode");
  }

  /// The time between two calls is measured.
  double now() const {
    std::timespec time{};
    ::clock_gettime(options_.processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::shared_ptr<OrtSession> start(const SessionConfig& config) const {
    const auto options = api_.make(api_->ReleaseSessionOptions, [&](OrtSessionOptions** made) {
      return api_->CreateSessionOptions(made);
    });
    api_.check(api_->SetSessionLogSeverityLevel(options.get(), ORT_LOGGING_LEVEL_FATAL));
    set_session_options(api_, *options, config);
    return api_.make(api_->ReleaseSession, [&](OrtSession** made) {
      return model_.file.empty()
                 ? api_->CreateSessionFromArray(&api_.environment(), model_.bytes.data(), model_.bytes.size(),
                                                options.get(), made)
                 : api_->CreateSession(&api_.environment(), model_.file.c_str(), options.get(), made);
    });
  }

  Values run(const Session& session, const Sample& sample) const {
    return api_.run(*session.handle, sample.names, sample.values, session.outputs);
  }

  /// Compares outputs with those of the default, the first session. Outputs that are not tensors of numbers are not
  /// compared.
  OutputDifference compare(const Session& session) {
    const bool is_first = expected_.empty();
    OutputDifference difference;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Values values = run(session, samples_[i]);
      if (is_first) expected_.emplace_back(values.size());
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (!is_numeric(values[k])) continue;
        if (is_first) expected_[i][k] = api_.owning(values[k]);
        else compare_output(session.outputs[k], expected_[i][k], api_.owning(values[k]), difference);
      }
    }
    if (is_first) plan_blocks(session);
    return difference;
  }
  bool is_numeric(const std::shared_ptr<OrtValue>& value) const {
    int is_tensor = 0;
    if (value != nullptr) api_.check(api_->IsTensor(value.get(), &is_tensor));
    if (is_tensor == 0) return false;
    const auto type = api_.make(api_->ReleaseTensorTypeAndShapeInfo, [&](OrtTensorTypeAndShapeInfo** made) {
      return api_->GetTensorTypeAndShape(value.get(), made);
    });
    ONNXTensorElementDataType element{};
    api_.check(api_->GetTensorElementType(type.get(), &element));
    return element != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  }

  /// Runs at least once, and as long as the runtime's threads may spin after their last run: about a millisecond.
  void warm_up(const Session& session) const {
    constexpr double seconds = 0.003;
    const Clock::time_point start = Clock::now();
    do run(session, samples_.front());
    while (seconds_since(start) < seconds);
  }

  void plan_blocks(const Session& session) {
    const Clock::time_point start = Clock::now();
    for (const Sample& sample : samples_) run(session, sample);
    const auto together = static_cast<double>(options_.concurrency);
    const double cycles = std::ceil(options_.block_seconds / seconds_since(start) / together);
    if (options_.objective == Objective::p95)
      fewest_cycles_ = static_cast<std::size_t>(std::ceil(20 / together / static_cast<double>(samples_.size())));
    cycles_ = std::max(fewest_cycles_, static_cast<std::size_t>(std::min(cycles, 1e6)));
  }

  /// The latencies of all samples, each as often as a block has it, beginning with a given one. Stops early if the
  /// session is much slower than the default.
  std::vector<double> latencies(const Session& session, std::size_t first) const {
    std::vector<double> result;
    const Clock::time_point begun = Clock::now();
    for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
      if (cycle >= fewest_cycles_ && seconds_since(begun) > 4 * options_.block_seconds) break;
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        const double start = now();
        run(session, samples_[(first + i) % samples_.size()]);
        result.push_back(now() - start);
      }
    }
    return result;
  }

  double time_alone(const Session& session) const {
    const double start = now();
    const std::vector<double> all = latencies(session, 0);
    return objective_of(options_.objective, all, now() - start);
  }

  /// The runs of one of the concurrent threads.
  struct Share {
    std::vector<double> latencies{};
    Clock::time_point begin{}, end{};
    std::exception_ptr failure{};
  };

  void take(Share& share, const Session& session, std::size_t first, const std::shared_future<void>& started) const {
    try {
      started.get();
      share.begin = Clock::now();
      share.latencies = latencies(session, first);
    } catch (...) {
      share.failure = std::current_exception();
    }
    share.end = Clock::now();
  }

  /// Throws Error if the machine cannot start another thread.
  void run_together(std::vector<Share>& shares, const Session& session) const {
    std::latch ready(static_cast<std::ptrdiff_t>(shares.size()));
    std::vector<std::jthread> threads;
    std::promise<void> start;  // destroyed before threads are joined; destruction without a value ends waiting threads
    const std::shared_future<void> started = start.get_future().share();
    try {
      for (std::size_t i = 0; i < shares.size(); ++i) {
        threads.emplace_back([&, started, i] {
          ready.count_down();
          take(shares[i], session, i, started);
        });
      }
    } catch (const std::system_error&) {
      throw Error("the machine cannot start this many threads").field("concurrency");
    }
    ready.wait();
    start.set_value();
  }

  double time_together(const Session& session) const {
    std::vector<Share> shares(options_.concurrency);
    run_together(shares, session);
    std::vector<double> all;
    Clock::time_point begin = Clock::time_point::max(), end = Clock::time_point::min();
    for (const Share& share : shares) {
      if (share.failure) std::rethrow_exception(share.failure);
      all.insert(all.end(), share.latencies.begin(), share.latencies.end());
      begin = std::min(begin, share.begin);
      end = std::max(end, share.end);
    }
    return objective_of(options_.objective, all, std::chrono::duration<double>(end - begin).count());
  }
  Clock::time_point begun_ = Clock::now();
  OnnxRuntimeApi api_;
  SessionModel model_;
  OnnxRuntimeBenchOptions options_;
  std::vector<Sample> samples_;
  std::vector<std::vector<Tensor>> expected_;   // by sample and output
  std::size_t fewest_cycles_ = 1, cycles_ = 1;  // number of runs of each sample by each thread in a block
  std::map<SessionConfig, Session> sessions_;
};

}  // namespace graft::inline v1
