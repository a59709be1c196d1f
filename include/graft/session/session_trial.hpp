#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/session/output_difference.hpp>
#include <graft/session/paired_ratio.hpp>
#include <graft/session/session_config.hpp>

namespace graft::inline v1 {

enum class TrialVerdict : std::uint8_t {
  adopted,          ///< it was the fastest of its option, beyond noise
  no_gain,          ///< it is not faster beyond noise, or another value of the option was faster
  dropped,          ///< half-way through the rounds it was behind
  changes_outputs,  ///< beyond the tolerance
  refused,          ///< by the runtime
  out_of_time,
};

std::string_view to_string(TrialVerdict verdict);

/// One value of one option, against the configuration that was the best when it was tried.
struct SessionTrial {
  std::string option;
  SessionConfig config, against;
  OutputDifference difference{};
  /// The objective in seconds, an element for each round in which it took part; what else ran in the same rounds.
  std::vector<double> times{}, times_against{}, times_of_default{};
  PairedRatio ratio{};  ///< to `against`
  TrialVerdict verdict = TrialVerdict::no_gain;
  std::string reason{};  ///< of what was refused
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/session/session_trial.ipp>
#endif
