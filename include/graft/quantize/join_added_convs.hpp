#pragma once
// Before: Conv -> Add <- Conv        two of kernels of one element: the shortcuts of residual networks
// After:  Concat -> Conv, as added_convs_to_conv and its two variants have it
// if the target computes Conv, Concat, MaxPool and Add in integers, one scale serves what the two read, for their
// ranges are within a factor of 4, and nobody wants one of the three nodes otherwise: in float, in other dtypes, with
// weights of other forms.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <graft/quantize/activation_dtypes.hpp>
#include <graft/quantize/kept_in_float.hpp>
#include <graft/quantize/ranges.hpp>
#include <graft/quantize/statistics.hpp>
#include <graft/quantize/statistics/histogram.hpp>
#include <graft/quantize/target.hpp>
#include <graft/quantize/weight_forms.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/added_convs_to_conv.hpp>

namespace graft::inline v1 {

namespace detail {

/// How far a quantizer reaches: the range with 0.
inline double extent_with_zero(const Range& range) {
  return std::max(0.0, static_cast<double>(range.max)) - std::min(0.0, static_cast<double>(range.min));
}

inline Verdict shares_scale(const Value& first, const Value& second, const Ranges& ranges) {
  const Range* const one = ranges.find(first.name());
  const Range* const other = ranges.find(second.name());
  if (one == nullptr || other == nullptr) return Verdict::no("the ranges of what the convolutions read are not known");
  if (one->empty() || other->empty()) return Verdict::no("nothing was seen of what one convolution reads");
  constexpr double most = 4;  // two bits of the smaller one
  const double extent = extent_with_zero(*one), other_extent = extent_with_zero(*other);
  return extent <= most * other_extent && other_extent <= most * extent
             ? Verdict::yes()
             : Verdict::no("the ranges of what the convolutions read are too unlike for one scale");
}

/// sum: of two Conv.
inline Verdict joins_added(const Node& sum, const Context& context, const WeightForms& forms) {
  if (&sum.graph() != &sum.graph().model().graph()) return Verdict::no("ranges are those of the main graph");
  const Node &first = *sum.input(0)->producer(), &second = *sum.input(1)->producer();
  const KeptInFloat kept = KeptInFloat::of(context.facts);
  if (kept.holds(sum) || kept.holds(first) || kept.holds(second)) return Verdict::no("one is kept in float");
  if (forms.of(first) != forms.of(second)) return Verdict::no("the weights are to have unlike forms");
  const Value &x = *first.input(0), &y = *second.input(0);
  const ActivationDTypes dtypes = ActivationDTypes::of(context.facts);
  if (dtypes.own(x) != dtypes.own(y)) return Verdict::no("what the convolutions read is to have unlike dtypes");
  return shares_scale(x, y, *context.facts.find<Ranges>());
}

/// Tells what is known of the parts of tensors that are new.
class KnownOfJoined {
 public:
  explicit KnownOfJoined(Facts& facts)
      : ranges_(*facts.find<Ranges>()),
        histograms_(facts.find<Statistics<Histogram>>()),
        dtypes_(facts.find<ActivationDTypes>()) {}

  void derive(const Node& node) {
    const std::string name(node.output(0)->name());
    const auto parts = node.inputs();
    const auto has_range = [&](const Value* part) { return ranges_.find(part->name()) != nullptr; };
    if (ranges_.find(name) != nullptr || !std::ranges::all_of(parts, has_range)) return;
    for (const Value* const part : parts) ranges_.merge(name, ranges_.at(part->name()));
    if (histograms_ != nullptr) derive_histogram(name, parts);
    const std::optional<DType> dtype = dtypes_ != nullptr ? dtypes_->own(*node.input(0)) : std::nullopt;
    if (dtype) dtypes_->by_name.insert_or_assign(name, *dtype);
  }

 private:
  void derive_histogram(const std::string& name, InputRange parts) {
    Histogram joined = histograms_->start();
    for (const Value* const part : parts) {
      const Histogram* const seen = histograms_->find(part->name());
      if (seen == nullptr) return;
      joined.merge(*seen);
    }
    histograms_->of(name) = std::move(joined);
  }

  Ranges& ranges_;
  Statistics<Histogram>* histograms_;
  ActivationDTypes* dtypes_;
};

}  // namespace detail

/// The pass that makes one convolution of two that are added, where the target has no kernel for a Conv and a sum: what
/// they read is put side by side under one scale, which is why it comes after calibrate(), and in front of
/// observe_channel_means(). Provides ranges, histograms if there are any, and dtypes of the tensors that it makes, from
/// those of the tensors whose values these hold. forms: those of quantize_weights(), which comes later.
inline Pass join_added_convs(const WeightForms& forms, const Target& target) {
  const NodeCondition condition = [forms](const Node& sum, const Context& context) {
    return detail::joins_added(sum, context, forms);
  };
  const Pass rules =
      sweep_where(condition, added_convs_to_conv, conv_and_strided_to_conv, strided_and_conv_to_conv);
  const auto computes = [&](std::string_view op) {
    return std::ranges::any_of(target.kernels, [&](const IntegerKernel& kernel) { return kernel.op == op; });
  };
  const bool pays = computes("Conv") && computes("Concat") && computes("MaxPool") && computes("Add");
  const auto run = [rules, pays](Graph& graph, Context& context) {
    if (!pays) return Report();
    Report report = rules.run(graph, context);
    if (report.changes == 0) return report;
    detail::KnownOfJoined known(context.facts);
    for (const Node& node : graph.nodes())
      if (node.is("Concat") || node.is("MaxPool")) known.derive(node);
    return report;
  };
  return pass("join_added_convs", run).needs(needs_fact<Ranges>("ranges", "calibrate")).makes({"ranges"});
}

}  // namespace graft::inline v1
