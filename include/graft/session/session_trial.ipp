#pragma once
#include <graft/session/session_trial.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string_view to_string(TrialVerdict verdict) {
  switch (verdict) {
    case TrialVerdict::adopted: return "adopted";
    case TrialVerdict::no_gain: return "no gain";
    case TrialVerdict::dropped: return "dropped";
    case TrialVerdict::changes_outputs: return "changes outputs";
    case TrialVerdict::refused: return "refused";
    case TrialVerdict::out_of_time: return "out of time";
  }
  return "";
}

}  // namespace graft::inline v1
