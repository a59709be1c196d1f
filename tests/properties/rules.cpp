// graft's own rules and passes under the fuzz, a minute of it.
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "subjects.hpp"

namespace {

/// Rules that the graphs of the test below never apply, and why.
const std::map<std::string, std::string> never_applied{};

}  // namespace

TEST_CASE("graft's own rules and passes keep what random graphs compute", "[slow]") {
  std::set<std::string> never;
  for (const Subject& subject : subjects()) {
    const graft::FuzzReport report = subject.fuzz(1, 100, 30);
    INFO(subject.name);
    INFO(report);
    CHECK(report);
    const bool is_rule = subject.rules.size() == 1;
    if (is_rule && report.applied.at(std::string(subject.rules[0].name())) == 0) never.insert(subject.name);
  }
  std::set<std::string> expected;
  for (const auto& [name, why] : never_applied) expected.insert(name);
  CHECK(never == expected);
}
