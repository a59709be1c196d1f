#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace graft::inline v1 {

enum class Severity : std::uint8_t {
  none,
  info,
  warning,  ///< slower or less accurate than it looks
  error,    ///< the runtime refuses the model, or computes something else
};

/// What a runtime will do with one operator, and its most severe problem.
struct Finding {
  std::string node, op;
  bool fused = true;  ///< computed by an integer kernel
  Severity severity = Severity::none;
  std::string_view code{};  ///< "graph_output", a literal; empty if there is nothing to say
  std::string text{};       ///< what is the matter
  std::string_view mend{};  ///< what would help, a literal
  bool float_result = false;  ///< where it is fused: no integers come out of the kernel
};

/// "conv1 (Conv): not fused: 'y' has 2 users; put a pair of quantizers behind it that all of them share"
std::string to_string(const Finding& finding);
inline std::ostream& operator<<(std::ostream& out, const Finding& finding) { return out << to_string(finding); }

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/audit/finding.ipp>
#endif
