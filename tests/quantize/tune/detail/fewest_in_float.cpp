#include <graft/quantize/tune/detail/fewest_in_float.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

/// Layers a to e of six, in this order, with which the goal is met if these are among them.
struct MadeUpRuns {
  detail::TrialResult measure(const detail::FewestInFloat::Names& names) const {
    ++measured;
    const double agreement = std::includes(names.begin(), names.end(), needed.begin(), needed.end()) ? 1.0 : 0.0;
    const std::size_t pairs = names.contains(no_more_pays_without) ? 0 : 6 - names.size();
    return {{0, 0, agreement}, pairs, pairs != 0};
  }
  std::set<std::string> needed;
  std::string no_more_pays_without{};
  mutable std::size_t measured = 0;
};

std::vector<std::string> letters() { return {"a", "b", "c", "d", "e"}; }
bool always() { return true; }

}  // namespace

TEST_CASE("bisection finds how many of the first layers it takes, and what is not needed among them goes",
          "[quantize]") {
  const auto find = [](const MadeUpRuns& runs, std::size_t most) {
    const Context context;
    const FidelityGoal goal{.agreement = 1};
    const auto measure = [&](const detail::FewestInFloat::Names& names, bool) { return runs.measure(names); };
    std::string text;
    const GoalResult result = detail::FewestInFloat(goal, measure, letters, always, context).find();
    for (const std::string& name : result.in_float) text += name;
    CHECK(runs.measured <= most);
    CHECK(runs.measured == result.trials);
    return text + (result.met ? "" : "!");
  };
  CHECK(find({{}}, 1).empty());
  CHECK(find({{"a"}}, 5) == "a");
  CHECK(find({{"a", "c"}}, 8) == "ac");
  CHECK(find({{"e"}}, 9) == "e");
  CHECK(find({{"a", "b", "c", "d", "e"}}, 9) == "abcde");
  CHECK(find({{"f"}}, 2) == "abcde!");
  CHECK(find({{"a", "c"}, "b"}, 8) == "ac");
  CHECK(find({{"a", "c"}, "a"}, 8) == "abcde!");
  CHECK(find({{"a", "c"}, "d"}, 8) == "ac");
}

// Each dynamic product has a quantizer of its own.
TEST_CASE("to another form layers are turned back whatever pairs that takes", "[quantize]") {
  const auto find = [](ProductForm products) {
    const Context context;
    const FidelityGoal goal{.agreement = 1};
    const auto measure = [](const detail::FewestInFloat::Names& names, bool) {
      const bool is_met = names.contains("a") && names.contains("c");
      return detail::TrialResult{{0, 0, is_met ? 1.0 : 0.0}, names.size(), true};
    };
    const auto ranking = [] { return std::vector<std::string>{"a", "b", "c"}; };
    return detail::FewestInFloat(goal, measure, ranking, always, context, products).find();
  };
  CHECK(find(ProductForm::in_float).in_float == std::vector<std::string>{"a", "b", "c"});
  CHECK(find(ProductForm::dynamic).in_float == std::vector<std::string>{"a", "c"});
  CHECK(find(ProductForm::dynamic).met);
}

TEST_CASE("layers are dropped several at a time where there are many", "[quantize]") {
  const Context context;
  const FidelityGoal goal{.agreement = 1};
  std::size_t measured = 0;
  std::vector<std::string> all;
  for (char name = '!'; name <= '~'; ++name) all.emplace_back(1, name);
  const auto measure = [&](const detail::FewestInFloat::Names& names, bool) {
    ++measured;
    const bool is_met = names.contains("!") && names.contains("r");
    return detail::TrialResult{{0, 0, is_met ? 1.0 : 0.0}, 100 - names.size(), true};
  };
  const GoalResult result = detail::FewestInFloat(goal, measure, [&] { return all; }, always, context).find();
  CHECK(result.met);
  CHECK(result.in_float.size() < 10);
  CHECK(measured < 24);
}

TEST_CASE("a search whose time is over takes what it has found", "[quantize]") {
  const Context context;
  const FidelityGoal goal{.agreement = 1};
  const MadeUpRuns runs{{"a"}};
  std::size_t left = 0;
  const auto measure = [&](const detail::FewestInFloat::Names& names, bool) { return runs.measure(names); };
  const auto find = [&](std::size_t trials) {
    left = trials;
    return detail::FewestInFloat(goal, measure, letters, [&] { return left != 0 && left-- != 0; }, context).find();
  };
  CHECK(find(0).in_float.size() == 5);
  CHECK(find(0).met);
  CHECK(find(1).in_float == std::vector<std::string>{"a", "b"});
  CHECK(find(2).in_float == std::vector<std::string>{"a"});
}
