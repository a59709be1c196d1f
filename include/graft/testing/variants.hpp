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

/// The outcome of one derived case.
struct Variant {
  enum class Outcome : std::uint8_t { refused, equivalent, failed, left_out };

  std::string name;  // "another consumer of %h"; "as given" for the graph itself; for skipped cases, their kind
  Outcome outcome = Outcome::refused;
  std::string why{};  // the reason if it was refused, failed, or was left out
};

constexpr std::string_view to_string(Variant::Outcome outcome) {
  constexpr std::string_view names[] = {"refused", "equivalent", "failed", "left out"};
  return names[static_cast<std::size_t>(outcome)];
}

/// A kind of derived cases to skip, and the reason.
struct LeftOut {
  std::string_view kind, why;
};

struct VariantOptions {
  /// One of the kinds "uses", "constants", "operands", "attributes", "axes", "opsets", "scopes" and "dtypes".
  std::vector<LeftOut> leave_out{};
};

/// All derived cases. It holds if none failed, and the graph as given was rewritten.
class VariantReport {
 public:
  explicit VariantReport(std::vector<Variant> all) : all_(std::move(all)) {}

  const std::vector<Variant>& all() const { return all_; }
  std::size_t count(Variant::Outcome outcome) const;
  /// nullptr if there is no such case: the graph has no part for it, or cannot be evaluated in that form.
  const Variant* find(std::string_view name) const;

  explicit operator bool() const;
  /// A line of counts, and the first failures.
  std::string message() const;
  friend std::ostream& operator<<(std::ostream& out, const VariantReport& report) { return out << report.message(); }

 private:
  std::vector<Variant> all_;
};

/// Every case with its outcome, one line each.
std::string to_string(const VariantReport& report);

/// Tries a rule or a pass on a graph, which it must rewrite, and on cases derived from that graph. Each case must be
/// refused or stay equivalent:
/// - another reader of each value, each value as a graph output, and each value captured by the body of an If;
/// - each initializer shared, overridable, from a Constant, or with other floats;
/// - optional inputs absent, and operands of commutative operators exchanged;
/// - every attribute, mentioned or not, with other values, and axes counted from the other end;
/// - each opset; a node behind each output; the whole graph inside a body;
/// - floats as f64 and f16, the latter to within 1/64 of the largest.
///
/// A rewritten graph must have no remains, and not change in a second run. Cases that the embedded executor cannot run
/// are left out, and so are the kinds that the options name. Throws Error for a kind that does not exist, or one
/// without a reason.
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
