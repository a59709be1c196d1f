#pragma once
#include <graft/quantize/run/detail/outcomes.hpp>

#include <cstddef>
#include <map>
#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<OperatorOutcome> products_by_constants(Graph& graph) {
  std::vector<OperatorOutcome> products;
  for (Graph* const scope : with_bodies(graph)) {
    for (const Node& node : scope->nodes()) {
      if (!is_product(node) || constant_weight(node) == nullptr) continue;
      products.push_back(OperatorOutcome::of(node, OperatorForm::in_float));
      products.back().is_product = true;
    }
  }
  return products;
}

/// One outcome a node: placement's if it left the node in float, unless it is fused or the audit finds an error.
inline void explain_by_placement(Audit& audit, const FloatOutcomes& in_float) {
  for (OperatorOutcome& found : audit.findings) {
    const bool stands = found.fused() || found.severity == Severity::error;
    const OperatorOutcome* const kept = stands ? nullptr : in_float.find(found.node, found.scope);
    if (kept != nullptr) found = *kept;
  }
}

/// The outcomes of the audit, then those that placement alone knows. Those of products follow.
class OutcomeList {
 public:
  OutcomeList(const Audit& audit, const FloatOutcomes& in_float, std::vector<OperatorOutcome>& outcomes)
      : outcomes_(outcomes) {
    for (const OperatorOutcome& found : audit.findings) add(found);
    for (const OperatorOutcome& found : audit.within) add(found);
    for (const auto& [key, kept] : in_float.by_node)
      if (!places_.contains(key)) add(kept);
  }

  /// The outcome of a product; null if nothing is known of it yet.
  OperatorOutcome* find(const OperatorOutcome& product) {
    const auto place = places_.find({product.node, product.scope});
    return place != places_.end() ? &outcomes_[place->second] : nullptr;
  }
  void add(OperatorOutcome outcome) {
    places_.emplace(FloatOutcomes::Key{outcome.node, outcome.scope}, outcomes_.size());
    outcomes_.push_back(std::move(outcome));
  }

 private:
  std::vector<OperatorOutcome>& outcomes_;
  std::map<FloatOutcomes::Key, std::size_t> places_{};
};

inline OperatorOutcome with_form(OperatorOutcome product, OperatorForm form, std::string_view code, std::string text) {
  product.form = form;
  product.code = code;
  product.text = std::move(text);
  return product;
}

/// What was chosen of a product; in_float where nothing was, as in bodies.
inline OperatorOutcome chosen_form(const ProductForms& forms, const OperatorOutcome& product) {
  if (!product.scope.empty()) return product;
  const auto dynamic = forms.dynamic.reasons.find(product.node);
  if (dynamic != forms.dynamic.reasons.end())
    return with_form(product, OperatorForm::dynamic, "", std::string(dynamic->second));
  for (const auto& [bits, products] : forms.weight_only) {
    const auto found = products.reasons.find(product.node);
    if (found != products.reasons.end())
      return with_form(product, OperatorForm::weight_only, "",
                       std::to_string(bits) + " bits: " + std::string(found->second));
  }
  return product;
}

/// Where one pass quantizes all products that are not in_float. Their bits may be chosen.
inline void collect_of_one_form(const AppliedForms& applied, const ProductForms& forms, const FloatOutcomes& in_float,
                                const IntegerCounts& counts, QuantizeResult& result) {
  OutcomeList list({}, in_float, result.outcomes);
  result.products = counts.products;
  for (const OperatorOutcome& product : applied.products) {
    OperatorOutcome* const kept = list.find(product);
    if (kept != nullptr) {
      kept->is_product = true;
      continue;
    }
    OperatorOutcome chosen = chosen_form(forms, product);
    const bool is_chosen = chosen.form != OperatorForm::in_float;
    list.add(is_chosen ? std::move(chosen)
                       : with_form(product, applied.all->form, "", std::string(applied.all->why)));
  }
}

/// Where forms differ, and the audit has the static ones.
inline void collect_of_each_form(const ProductForms& forms, const FloatOutcomes& in_float,
                                 const std::vector<OperatorOutcome>& products, QuantizeResult& result) {
  explain_by_placement(result.audit, in_float);
  OutcomeList list(result.audit, in_float, result.outcomes);
  for (const OperatorOutcome& product : products) {
    OperatorOutcome* const known = list.find(product);
    if (known != nullptr) known->is_product = true;
    if (!product.scope.empty()) {
      if (known == nullptr)
        list.add(with_form(product, OperatorForm::in_float, "in_body", "it is not in the main graph"));
      continue;
    }
    if (in_float.find(product.node) != nullptr) continue;
    OperatorOutcome chosen = chosen_form(forms, product);
    result.products += chosen.form != OperatorForm::in_float;
    if (known == nullptr) {
      const bool has_kernel = chosen.form != OperatorForm::in_float;
      list.add(has_kernel ? std::move(chosen)
                          : with_form(product, OperatorForm::in_float, "no_kernel", std::string(no_kernel_text)));
    } else if (chosen.form == OperatorForm::in_float) {
      if (known->fused() && known->text.empty()) known->text = "it is placed between pairs";
    } else if (known->severity == Severity::error) {
      known->form = chosen.form;
    } else {
      *known = std::move(chosen);
    }
  }
}

GRAFT_INLINE void collect_outcomes(const AppliedForms& applied, const Facts& facts, QuantizeResult& result) {
  const FloatOutcomes in_float = facts.value_or_default<FloatOutcomes>();
  const IntegerCounts counts = facts.value_or_default<IntegerCounts>();
  result.tables = counts.tables;
  const ProductForms forms = facts.value_or_default<ProductForms>();
  if (applied.all) return collect_of_one_form(applied, forms, in_float, counts, result);
  collect_of_each_form(forms, in_float, applied.products, result);
}

}  // namespace graft::inline v1::detail
