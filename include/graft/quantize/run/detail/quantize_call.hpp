#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/model.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/run/detail/warn.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// One call of quantize(): its arguments, and the result so far.
struct QuantizeCall {
  QuantizeCall(Model& given, std::optional<SampleSource> some, const Target& runtime, const QuantizeOptions& how,
               Context& with)
      : model(given),
        samples(std::move(some)),
        target(runtime),
        options(how),
        context(with),
        executor(how.make_executor.value_or(ExecutorFactory())),
        trial_executor(executor) {
    if (how.make_executor || with.threads <= 1) return;
    const auto pool = std::make_shared<ThreadPool>(static_cast<int>(with.threads));
    trial_executor = [pool](const Graph& graph) { return Evaluator(graph, std::ref(*pool)); };
  }

  Model& model;
  std::optional<SampleSource> samples;
  const Target& target;
  const QuantizeOptions& options;
  Context& context;
  ExecutorFactory executor;        ///< runs as many samples at a time as the context has threads
  ExecutorFactory trial_executor;  ///< runs samples one by one; graft's own on all threads
  QuantizeResult result{};

  const StaticOptions& static_options() const { return options.static_options(); }
  bool is_cancelled() const { return result.passes.outcome == Outcome::cancelled || context.is_cancelled(); }

  /// Runs a pass on the model. False if the call is cancelled.
  bool step(const Pass& pass) {
    return result.run(pass, model, context) && !is_cancelled();
  }
  void warn(std::string warning) { detail::warn(std::move(warning), context, result.passes); }
};

}  // namespace graft::inline v1::detail
