#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/equivalent.hpp>
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
  std::size_t count(Variant::Outcome outcome) const;
  /// nullptr if there is no such case: the graph has nothing to derive it from, or cannot be evaluated that way.
  const Variant* find(std::string_view name) const;

  explicit operator bool() const;
  /// A line of counts, and the first of what failed.
  std::string message() const;
  friend std::ostream& operator<<(std::ostream& out, const VariantReport& report) { return out << report.message(); }

 private:
  std::vector<Variant> all_;
};

/// Every case with its outcome, a line each.
std::string to_string(const VariantReport& report);

/// Tries a rule or a pass on a graph, which must be rewritten, and on cases derived from it, each of which must be
/// refused or stay equivalent: another consumer of each value, each value as a graph output, capture by the body of an
/// If; each initializer shared, overridable, made by a Constant, of other floats; optional inputs absent, operands of
/// commutative operators exchanged; every attribute, mentioned or not, with other values; axes counted from the other
/// end; each opset; a node behind each output; all of it inside a body; floats as f64 and f16, the latter to within
/// 1/64 of the largest. What is rewritten must be tidy and stay as it is in a second run. Cases that the embedded
/// executor cannot run are left out, and those that the options name. Throws Error for a kind that does not exist, or
/// one without a reason.
VariantReport variants(const Trial& trial, const Equivalence& how = {}, const VariantOptions& options = {});

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
VariantReport variants(const Pass& pass, const Model& graph, const Equivalence& how = {},
                       const VariantOptions& options = {});
VariantReport variants(const Pass& pass, std::string_view graph, const Equivalence& how = {},
                       const VariantOptions& options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/variants.ipp>
#endif
