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
  adopted,          ///< it was the fastest value of its option, beyond noise
  no_gain,          ///< it is not faster beyond noise, or another value of the option was faster
  dropped,          ///< it was behind halfway through the rounds
  changes_outputs,  ///< its outputs differ by more than the tolerance
  refused,          ///< the runtime rejected it
  out_of_time,
};

std::string_view to_string(TrialVerdict verdict);

/// One value of one option, compared with the best configuration at that time.
struct SessionTrial {
  std::string option;
  SessionConfig config, against;
  OutputDifference difference{};
  /// The objective in seconds, one element for each round: of this trial, and of the others in the same rounds.
  std::vector<double> times{}, times_against{}, times_of_default{};
  PairedRatio ratio{};  ///< to `against`
  TrialVerdict verdict = TrialVerdict::no_gain;
  std::string reason{};  ///< the reason of the runtime if it was refused
};

}  // namespace graft::inline v1
