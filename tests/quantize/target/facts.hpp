#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/testing/text.hpp>

/// A fact about a runtime: a model that just fits, the edit of its text with which it does not, and what the audit
/// says then of an operator: "Conv dtypes, refused".
struct TargetFact {
  std::string name, text, from, to, outcome;
};

/// "Conv axis, wrong; Add dtypes, float": of each operator that is not computed in integers, or not as the graph says.
inline std::string unusual_outcomes(const std::string& text, const graft::Target& target) {
  using namespace graft;
  std::string all;
  const Model model = graph(text);
  for (const OperatorOutcome& one : audit(model.graph(), target).findings) {
    if (one.form == OperatorForm::within || one.code.empty()) continue;
    const std::string_view form = !one.fused()                         ? to_string(one.form)
                                  : one.severity == Severity::error   ? "wrong"
                                  : one.severity == Severity::warning ? "warned of"
                                  : one.float_result                  ? "float result"
                                                                      : "noted";
    all += (all.empty() ? "" : "; ") + one.op + " " + std::string(one.code) + ", " + std::string(form);
  }
  return all;
}

/// In the model that fits, nothing is refused or wrong, and nothing fails the same condition.
inline void check_facts(const std::vector<TargetFact>& facts, const graft::Target& target) {
  for (const TargetFact& fact : facts) {
    INFO(fact.name << "\n" << fact.text << "\n'" << fact.from << "' becomes '" << fact.to << "'");
    const std::size_t place = fact.text.find(fact.from);
    CHECK(place != std::string::npos);
    if (place == std::string::npos) continue;
    const std::string edited = std::string(fact.text).replace(place, fact.from.size(), fact.to);
    const std::string code = fact.outcome.substr(0, fact.outcome.find(','));
    const std::string fitting = unusual_outcomes(fact.text, target);
    for (const std::string& fault : {code, std::string(", refused"), std::string(", left to"), std::string(", wrong")})
      CHECK_THAT(fitting, !Catch::Contains(fault));
    CHECK_THAT(unusual_outcomes(edited, target), Catch::Contains(fact.outcome));
    CHECK_FALSE(code.empty());
  }
}
