#pragma once
#include <functional>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/session/session_config.hpp>

namespace graft::inline v1 {

/// An option and the values that a search tries for it. The values may depend on the other options; there are none if
/// the option has no effect.
struct SearchedOption {
  std::string name;
  std::function<std::vector<std::string>(const SessionConfig& others)> values;

  /// The same values for any other options. Throws Error naming the option if it does not exist or a value has the
  /// wrong type.
  static SearchedOption of(std::string name, std::vector<std::string> values);
};

/// The options to try for a model on the CPU, the most promising first. threads: the limit of a session's threads.
/// Includes options of quantized models if the graph has quantizers, and options of layouts if it has convolutions.
std::vector<SearchedOption> usual_session_options(const Graph& graph, int threads);

}  // namespace graft::inline v1
