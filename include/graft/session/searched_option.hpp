#pragma once
#include <functional>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/session/session_config.hpp>

namespace graft::inline v1 {

/// An option and the values that a search tries for it. They may depend on the other options: there are none where the
/// option has no effect.
struct SearchedOption {
  std::string name;
  std::function<std::vector<std::string>(const SessionConfig& others)> values;

  /// The same values whatever the others are. Throws Error naming the option if it does not exist, or a value is not of
  /// its type.
  static SearchedOption of(std::string name, std::vector<std::string> values);
};

/// What is worth a trial for a model on the CPU, the most promising options first. threads: the most that a session may
/// use. Options of quantized models are in it if the graph has quantizers, those of layouts if it has convolutions.
std::vector<SearchedOption> usual_session_options(const Graph& graph, int threads);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/session/searched_option.ipp>
#endif
