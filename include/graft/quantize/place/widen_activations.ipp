#pragma once
#include <graft/quantize/place/widen_activations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/units.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

inline double mean_square(const Histogram& histogram) {
  const auto counts = histogram.counts();
  double sum = 0, total = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    const double center = histogram.edge(bin) + histogram.width() / 2, count = static_cast<double>(counts[bin]);
    sum += count * center * center;
    total += count;
  }
  return total > 0 ? sum / total : 0;
}

/// What 8 bits lose of a tensor, as a share of its power.
inline double loss_in_8_bits(const Value& value, const PairQParams& qparams, const Statistics<Histogram>* histograms) {
  const QParams q = qparams.of(value);
  const Range held = q.range();
  const double width = double{held.max} - double{held.min}, step = width / 255;
  const Histogram* const histogram = histograms != nullptr ? histograms->find(value.name()) : nullptr;
  const double power = histogram != nullptr ? mean_square(*histogram) : width * width / 12;
  return power > 0 ? step * step / power : 0;
}

/// Not an activation that vanishes into a kernel, which need not have one of its own.
inline bool moves_values(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = integer_kernel(node, target);
  return kernel != nullptr && kernel->form == KernelForm::passthrough && node.input_count() != 0;
}

inline Report widen(Graph& graph, Context& context, double share, const Target& target) {
  infer_shapes(graph, context.infer_options());
  ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
  const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
  const PairQParams qparams(*context.facts.find<Ranges>(), target, dtypes);
  const auto* const histograms = context.facts.find<Statistics<Histogram>>();
  const Units found = find_units(graph, qparams, target, kept);
  std::vector<std::pair<double, const Unit*>> losses;
  for (const Unit& unit : found.units)
    if (!unit.moves_values() && !unit.may_end_in_float && !dtypes.own(*unit.result))
      losses.emplace_back(loss_in_8_bits(*unit.result, qparams, histograms), &unit);
  std::ranges::stable_sort(losses, [](const auto& a, const auto& b) { return a.first > b.first; });
  losses.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(losses.size()))));
  const DType wide = with_sign(DType::u16, !is_unsigned_integer(target.activation));
  std::vector<std::string> names;
  for (const auto& [loss, unit] : losses) names.emplace_back(unit->result->name());
  // A tensor that no unit makes is rounded once, as finely as any of its readers needs.
  std::unordered_set<const Value*> made;
  for (const Unit& unit : found.units) unit.for_each_result([&](const Value& result) { made.insert(&result); });
  for (const auto& [loss, unit] : losses)
    unit->for_each_operand([&, read = unit](std::size_t i) {
      const Value* source = read->node->input(i);
      while (made.contains(source) && moves_values(*source->producer(), target)) source = source->producer()->input(0);
      if (!made.contains(source) && !source->is_constant() && !dtypes.own(*source)) names.emplace_back(source->name());
    });
  Report report;
  for (const std::string& name : names) report.changes += dtypes.by_name.emplace(name, wide).second;
  context.facts.provide(std::move(dtypes));
  return report;
}

}  // namespace detail

GRAFT_INLINE Pass widen_activations(double share, const Target& target) {
  if (!(share >= 0 && share <= 1))
    throw Error("it is " + std::to_string(share) + ", a number from 0 to 1 expected").field("share");
  return pass("widen_activations",
              [share, target](Graph& graph, Context& context) { return detail::widen(graph, context, share, target); })
      .needs(needs_opset(21))
      .needs<Ranges>()
      .provides<ActivationDTypes>()
      .preserves_all();
}

}  // namespace graft::inline v1
