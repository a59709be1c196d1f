#include <graft/session/session_trial.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("verdicts are spelt in words") {
  CHECK(to_string(TrialVerdict::adopted) == "adopted");
  CHECK(to_string(TrialVerdict::changes_outputs) == "changes outputs");
  CHECK(SessionTrial().verdict == TrialVerdict::no_gain);
}
