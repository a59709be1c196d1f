#pragma once
#include <graft/testing/variants.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing/detail/faults.hpp>
#include <graft/testing/detail/specimen.hpp>
#include <graft/testing/detail/variations.hpp>
#include <graft/testing/detail/vary_graph.hpp>
#include <graft/testing/detail/vary_operator.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::size_t VariantReport::count(Variant::Outcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [&](const Variant& one) { return one.outcome == outcome; }));
}

GRAFT_INLINE const Variant* VariantReport::find(std::string_view name) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Variant& one) { return one.name == name; });
  return found == all_.end() ? nullptr : &*found;
}

GRAFT_INLINE VariantReport::operator bool() const {
  const Variant* const given = find("as given");
  const bool refused = given != nullptr && given->outcome == Variant::Outcome::refused;
  return count(Variant::Outcome::failed) == 0 && count(Variant::Outcome::equivalent) != 0 && !refused;
}

GRAFT_INLINE std::string VariantReport::message() const {
  const std::size_t equivalent = count(Variant::Outcome::equivalent), failed = count(Variant::Outcome::failed);
  const std::size_t left_out = count(Variant::Outcome::left_out);
  std::string text = std::to_string(all_.size() - left_out) + " variants: " + std::to_string(equivalent) +
                     " equivalent, " + std::to_string(count(Variant::Outcome::refused)) + " refused, " +
                     std::to_string(failed) + " failed\n";
  for (const Variant& one : all_)
    if (one.outcome == Variant::Outcome::left_out) text += "left out: " + one.name + ", " + one.why + "\n";
  const bool none_fired = equivalent == 0 && failed == 0;
  const Variant* const given = find("as given");
  if (!none_fired && given != nullptr && given->outcome == Variant::Outcome::refused)
    text += "the graph as given is refused: " + given->why + "\n";
  if (none_fired) text += "nothing was ever rewritten:\n";
  std::size_t told = 0;
  constexpr std::size_t most = 5;
  for (const Variant& one : all_)
    if ((none_fired ? one.outcome == Variant::Outcome::refused : one.outcome == Variant::Outcome::failed) &&
        ++told <= most)
      text += "  " + one.name + ": " + one.why + "\n";
  if (told > most) text += "  and " + std::to_string(told - most) + " more\n";
  return text;
}

GRAFT_INLINE std::string to_string(const VariantReport& report) {
  std::string text;
  for (const Variant& one : report.all()) {
    text += one.name + ": " + std::string(to_string(one.outcome));
    text += one.why.empty() ? "\n" : ", " + one.why.substr(0, one.why.find('\n')) + "\n";
  }
  return text;
}

namespace detail {

inline Variant try_variant(const Trial& trial, std::string name, const Equivalence& how) {
  const Run run = trial.run();
  const auto outcome = [&](Variant::Outcome what, const std::string& why) {
    return Variant{std::move(name), what, why};
  };
  if (!run.changed && run.untouched) {
    const std::vector<std::string> reasons = run.reasons();
    return outcome(Variant::Outcome::refused,
                   reasons.empty() ? "there is no node that it may begin at" : reasons.back());
  }
  const auto failed = [&](const std::string& why) {
    return outcome(Variant::Outcome::failed, why + "\ngiven " + to_string(trial.specimen().copy().graph()) +
                                                 "it became " + to_string(run.model.graph()));
  };
  if (auto fault = trial.fault_of(run)) return failed(*fault);
  const Model before = trial.specimen().copy();
  if (const TestResult same = equivalent(before.graph(), run.model.graph(), how); !same) return failed(same.message());
  if (auto left = first_new(litter(before), litter(run.model))) return failed("it leaves behind " + *left);
  const Run second = trial.on(run.model.proto()).run();
  if (second.changed || !second.untouched) return failed("a second run changes the graph again");
  return outcome(Variant::Outcome::equivalent, "");
}

}  // namespace detail

GRAFT_INLINE VariantReport variants(const Trial& trial, const Equivalence& how, const VariantOptions& options) {
  using Vary = void (*)(detail::Variations&);
  constexpr std::pair<std::string_view, Vary> kinds[] = {
      {"uses", detail::vary_uses},         {"constants", detail::vary_constants},
      {"operands", detail::vary_operands}, {"attributes", detail::vary_attributes},
      {"axes", detail::vary_axes},         {"opsets", detail::vary_opset},
      {"scopes", detail::vary_scope},      {"dtypes", detail::vary_dtype}};
  std::vector<Variant> left_out;
  for (const LeftOut& one : options.leave_out) {
    const auto is_it = [&](const auto& kind) { return kind.first == one.kind; };
    if (std::none_of(std::begin(kinds), std::end(kinds), is_it))
      throw Error("variants: there is no kind of cases '" + std::string(one.kind) + "' to leave out");
    if (one.why.empty()) throw Error("variants: '" + std::string(one.kind) + "' is left out without a reason");
    left_out.push_back({std::string(one.kind), Variant::Outcome::left_out, std::string(one.why)});
  }
  detail::Variations derived(trial.specimen());
  for (const auto& [kind, vary] : kinds) {
    const auto is_it = [name = kind](const LeftOut& one) { return one.kind == name; };
    if (std::none_of(options.leave_out.begin(), options.leave_out.end(), is_it)) vary(derived);
  }

  constexpr std::size_t enough_of_a_group = 3;
  std::vector<Variant> tried{detail::try_variant(trial, "as given", how)};
  std::map<std::string, std::size_t> tried_of;
  Equivalence once = how;
  once.inputs = std::min<std::size_t>(how.inputs, 5);
  for (detail::Variation& variation : derived.take()) {
    std::size_t& count = tried_of[variation.group];
    if (!variation.group.empty() && count == enough_of_a_group) continue;
    const Trial on = trial.on(std::move(variation.proto));
    Model model = on.specimen().copy();
    if (!verify(model).empty() || detail::compare(model.graph(), nullptr, once).runs == 0) continue;
    ++count;
    Equivalence own = how;
    own.atol = std::max(how.atol, variation.atol);
    tried.push_back(detail::try_variant(on, std::move(variation.name), own));
  }
  tried.insert(tried.end(), left_out.begin(), left_out.end());
  return VariantReport(std::move(tried));
}

GRAFT_INLINE VariantReport variants(const Pass& pass, const Model& graph, const Equivalence& how,
                                    const VariantOptions& options) {
  return variants(given(graph).pass(pass), how, options);
}

GRAFT_INLINE VariantReport variants(const Pass& pass, std::string_view graph, const Equivalence& how,
                                    const VariantOptions& options) {
  return variants(given(graph).pass(pass), how, options);
}

}  // namespace graft::inline v1
