#pragma once
#include <graft/session/searched_option.hpp>

#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE SearchedOption SearchedOption::of(std::string name, std::vector<std::string> values) {
  for (const std::string& value : values) check_session_config({{name, value}});
  return {std::move(name), [values = std::move(values)](const SessionConfig&) { return values; }};
}

namespace detail {

inline bool has_setting(const SessionConfig& config, std::string_view name, std::string_view value) {
  const auto found = config.find(name);
  return (found == config.end() ? session_option(name).preset : std::string_view(found->second)) == value;
}

/// 1, 2, 4 and so on, and the limit.
inline std::vector<std::string> thread_counts(int most) {
  std::vector<std::string> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(std::to_string(count));
  counts.push_back(std::to_string(most));
  return counts;
}

/// One processor for each thread, without the first thread, which is the caller's. The runtime accepts affinities only
/// with an explicit number of threads.
inline std::vector<std::string> affinities(const SessionConfig& config) {
  const auto found = config.find("intra_op_num_threads");
  if (found == config.end()) return {};
  int threads = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), threads);
  std::string text;
  for (int thread = 2; thread <= threads; ++thread) text += (text.empty() ? "" : ";") + std::to_string(thread);
  if (text.empty()) return {};
  return {text};
}

}  // namespace detail

GRAFT_INLINE std::vector<SearchedOption> usual_session_options(const Graph& graph, int threads) {
  std::set<std::string_view> ops;
  for (const Graph* const scope : graph.model().scopes())
    for (const Node& node : scope->nodes()) ops.insert(node.op_type());
  const bool has_quantizers = ops.contains("QuantizeLinear") || ops.contains("DynamicQuantizeLinear");
  const bool has_convolutions = ops.contains("Conv") || ops.contains("ConvTranspose");

  // Spinning and blocks apply to threads other than the caller's.
  const auto with_threads = [](std::vector<std::string> values) {
    return [values = std::move(values)](const SessionConfig& config) {
      return detail::has_setting(config, "intra_op_num_threads", "1") ? std::vector<std::string>() : values;
    };
  };
  const auto in_parallel = [](std::vector<std::string> values) {
    return [values = std::move(values)](const SessionConfig& config) {
      return detail::has_setting(config, "execution_mode", "parallel") ? values : std::vector<std::string>();
    };
  };
  std::vector<SearchedOption> options{SearchedOption::of("intra_op_num_threads", detail::thread_counts(threads)),
                                      {"session.intra_op.allow_spinning", with_threads({"0"})},
                                      SearchedOption::of("graph_optimization_level", {"extended", "basic"})};
  if (threads > 1) {
    options.push_back({"session.dynamic_block_base", with_threads({"2", "4", "8"})});
    options.push_back({"session.intra_op_thread_affinities", detail::affinities});
  }
  if (has_quantizers) {
    options.push_back(SearchedOption::of("session.qdqisint8allowed", {"1"}));
    options.push_back(SearchedOption::of("session.x64quantprecision", {"1"}));
  }
  options.push_back(SearchedOption::of("enable_mem_pattern", {"0"}));
  options.push_back(SearchedOption::of("enable_cpu_mem_arena", {"0"}));
  options.push_back(SearchedOption::of("session.set_denormal_as_zero", {"1"}));
  std::vector<std::string> optimizers{"TransposeOptimizer"};
  if (has_convolutions) optimizers.insert(optimizers.begin(), {"NchwcTransformer", "NhwcTransformer"});
  options.push_back(SearchedOption::of("optimization.disable_specified_optimizers", std::move(optimizers)));
  if (threads > 1) {
    options.push_back(SearchedOption::of("execution_mode", {"parallel"}));
    options.push_back({"inter_op_num_threads", in_parallel(detail::thread_counts(threads))});
    options.push_back({"session.inter_op.allow_spinning", in_parallel({"0"})});
  }
  return options;
}

}  // namespace graft::inline v1
