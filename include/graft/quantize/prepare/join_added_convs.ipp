#pragma once
#include <graft/quantize/prepare/join_added_convs.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/conv.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/weight_form.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The magnitude that the quantizer of a range can reach.
inline double quantized_extent(const Range& range, const Target& target) {
  const double min = std::min(0.0, static_cast<double>(range.min)), max = std::max(0.0, static_cast<double>(range.max));
  return activation_form(range, target).zero_point == ZeroPoint::middle ? 2 * std::max(-min, max) : max - min;
}

/// Merges added convolutions. The facts follow the tensors.
class AddedConvsJoiner {
 public:
  AddedConvsJoiner(const WeightForms& forms, const Target& target, Graph& graph, Facts& facts)
      : forms_(forms), target_(target), graph_(graph), facts_(facts), kept_(facts.value_or_default<KeptInFloat>()) {}

  /// The sum of two Conv that is merged next, if allowed.
  Verdict may_join(const Node& sum) {
    derive();
    if (&sum.graph() != &graph_) return Verdict::no("ranges are those of the main graph");
    const Node &first = *sum.input(0)->producer(), &second = *sum.input(1)->producer();
    if (kept_.holds(sum) || kept_.holds(first) || kept_.holds(second)) return Verdict::no("one is kept in float");
    if (forms_.of(first) != forms_.of(second)) return Verdict::no("their weights have different forms");
    if (own_dtype(*first.output(0)) || own_dtype(*second.output(0)))
      return Verdict::no("the output of a convolution has its own dtype");
    if (own_dtype(*first.input(0)) != own_dtype(*second.input(0)))
      return Verdict::no("the inputs of the convolutions have different dtypes");
    const Verdict verdict = share_scale(first.input(0)->name(), second.input(0)->name());
    if (verdict) next_ = {std::string(sum.output(0)->name()), first.input(0), second.input(0)};
    return verdict;
  }

  /// Copies the facts about the inputs of the last merged sum to the tensors that now hold them.
  void derive() {
    const Joined last = std::exchange(next_, {});
    const Value* const result = graph_.find(last.result);
    const Node* const conv = result != nullptr ? made_by(*result, "Conv") : nullptr;
    if (conv == nullptr) return;
    const Value& both = *conv->input(0);
    for (const Value* const part : both.producer()->inputs()) {
      const bool is_new = part != last.x && part != last.y;  // a strided input is pooled first
      if (is_new) derive(*part, part->producer()->inputs());
    }
    derive(both, both.producer()->inputs());
  }

 private:
  /// By the output of the sum, whose name stays.
  struct Joined {
    std::string result;
    const Value *x = nullptr, *y = nullptr;
  };

  std::optional<DType> own_dtype(const Value& value) const {
    const ActivationDTypes* const dtypes = facts_.find<ActivationDTypes>();
    return dtypes != nullptr ? dtypes->own(value) : std::nullopt;
  }

  Verdict share_scale(std::string_view x, std::string_view y) const {
    const Ranges& ranges = *facts_.find<Ranges>();
    const Range *const one = ranges.find(x), *const other = ranges.find(y);
    if (one == nullptr || other == nullptr) return Verdict::no("the inputs of the convolutions have no ranges");
    if (one->empty() || other->empty()) return Verdict::no("the input of one convolution was empty on all samples");
    constexpr double most = 4;  // costs the smaller range two bits
    const auto extent = [&](const Range& range) { return quantized_extent(range, target_); };
    return extent(Range(*one).merge(*other)) <= most * std::min(extent(*one), extent(*other))
               ? Verdict::yes()
               : Verdict::no("the ranges of the inputs differ too much for one scale");
  }

  void derive(const Value& made, InputRange parts) {
    std::vector<std::string> names;
    for (const Value* const part : parts) names.emplace_back(part->name());
    facts_.tensor_joined(made.name(), names);
  }

  const WeightForms& forms_;
  const Target& target_;
  Graph& graph_;
  Facts& facts_;
  const KeptInFloat kept_;
  Joined next_;
};

}  // namespace detail

GRAFT_INLINE Pass join_added_convs(const WeightForms& forms, const Target& target) {
  const auto computes = [&](std::string_view op) { return detail::has_entry(target.kernels, op); };
  const bool pays = computes("Conv") && computes("Concat") && computes("MaxPool") && computes("Add");
  const auto run = [forms, target, pays](Graph& graph, Context& context) {
    if (!pays) return Report();
    detail::AddedConvsJoiner joiner(forms, target, graph, context.facts);
    const auto condition = [&](const Node& sum, const Context&) { return joiner.may_join(sum); };
    const Report report =
        sweep_where(condition, added_convs_to_conv, conv_and_strided_to_conv, strided_and_conv_to_conv)
            .run(graph, context);
    joiner.derive();
    return report;
  };
  return pass("join_added_convs", run).needs<Ranges>().preserves_all();
}

}  // namespace graft::inline v1
