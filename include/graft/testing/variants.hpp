#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/verify.hpp>
#include <graft/testing/detail/faults.hpp>
#include <graft/testing/detail/variations.hpp>
#include <graft/testing/detail/vary_attributes.hpp>
#include <graft/testing/detail/vary_dtype.hpp>
#include <graft/testing/detail/vary_operators.hpp>
#include <graft/testing/detail/vary_scope.hpp>
#include <graft/testing/detail/vary_uses.hpp>
#include <graft/testing/given.hpp>
#include <graft/testing/trial.hpp>

namespace graft::inline v1 {

/// What became of one derived case.
struct Variant {
  enum class Outcome : std::uint8_t { refused, equivalent, failed, left_out };

  std::string name;  // "another consumer of %h"; "as given" for the graph itself; of all that are left out, their kind
  Outcome outcome = Outcome::refused;
  std::string why{};  // it was refused, failed, or is left out
};

constexpr std::string_view to_string(Variant::Outcome outcome) {
  constexpr std::string_view names[] = {"refused", "equivalent", "failed", "left out"};
  return names[static_cast<std::size_t>(outcome)];
}

/// A kind of derived cases that is not tried, and the reason.
struct LeftOut {
  std::string_view kind, why;
};

struct VariantOptions {
  /// Of the kinds "uses", "constants", "operands", "attributes", "axes", "opsets", "scopes" and "dtypes".
  std::vector<LeftOut> leave_out{};
};

/// All derived cases. It holds if none failed, and the graph as given was rewritten.
class VariantReport {
 public:
  explicit VariantReport(std::vector<Variant> all) : all_(std::move(all)) {}

  const std::vector<Variant>& all() const { return all_; }
  std::size_t count(Variant::Outcome outcome) const {
    return static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [&](const Variant& one) { return one.outcome == outcome; }));
  }
  /// nullptr if there is no such case: the graph has nothing to derive it from, or cannot be evaluated that way.
  const Variant* find(std::string_view name) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Variant& one) { return one.name == name; });
    return found == all_.end() ? nullptr : &*found;
  }

  explicit operator bool() const {
    const Variant* const given = find("as given");
    const bool refused = given != nullptr && given->outcome == Variant::Outcome::refused;
    return count(Variant::Outcome::failed) == 0 && count(Variant::Outcome::equivalent) != 0 && !refused;
  }
  /// A line of counts, and the first of what failed.
  std::string message() const {
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
  friend std::ostream& operator<<(std::ostream& out, const VariantReport& report) { return out << report.message(); }

 private:
  std::vector<Variant> all_;
};

/// Every case with its outcome, a line each.
inline std::string to_string(const VariantReport& report) {
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

/// Tries a rule or a pass on a graph, which must be rewritten, and on cases derived from it, each of which must be
/// refused or stay equivalent: another consumer of each value, each value as a graph output, capture by the body of an
/// If; each initializer shared, overridable, made by a Constant; optional inputs absent, operands of commutative
/// operators exchanged; every attribute, mentioned or not, with other values; axes counted from the other end; each
/// opset; a node behind each output; all of it inside a body; floats as f64 and f16, the latter to within 1/64 of the
/// largest. What is rewritten must be tidy and stay as it is in a second run. Cases that the embedded executor cannot
/// run are left out, and those that the options name. Throws Error for a kind that does not exist, or one without a
/// reason.
inline VariantReport variants(const Trial& trial, const Equivalence& how = {}, const VariantOptions& options = {}) {
  using Vary = void (*)(detail::Variations&);
  constexpr std::pair<std::string_view, Vary> kinds[] = {
      {"uses", detail::vary_uses},         {"constants", detail::vary_constants}, {"operands", detail::vary_operands},
      {"attributes", detail::vary_attributes}, {"axes", detail::vary_axes},       {"opsets", detail::vary_opset},
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

template <rule_like R>
VariantReport variants(const R& rule, const Model& graph, const Equivalence& how = {},
                       const VariantOptions& options = {}) {
  return variants(given(graph).rule(rule), how, options);
}
template <rule_like R>
VariantReport variants(const R& rule, std::string_view graph, const Equivalence& how = {},
                       const VariantOptions& options = {}) {
  return variants(given(graph).rule(rule), how, options);
}
inline VariantReport variants(const Pass& pass, const Model& graph, const Equivalence& how = {},
                       const VariantOptions& options = {}) {
  return variants(given(graph).pass(pass), how, options);
}
inline VariantReport variants(const Pass& pass, std::string_view graph, const Equivalence& how = {},
                       const VariantOptions& options = {}) {
  return variants(given(graph).pass(pass), how, options);
}

}  // namespace graft::inline v1
