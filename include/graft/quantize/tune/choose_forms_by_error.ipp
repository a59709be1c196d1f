#pragma once
#include <graft/quantize/tune/choose_forms_by_error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// Products that gain over float in a form that is not static and have no chosen form, and their inputs.
struct FormCandidates {
  struct Product {
    Node* node;
    std::size_t input;  ///< index of its input in `inputs`
  };
  std::vector<const Value*> inputs{};
  std::vector<Product> products{};
  std::unordered_set<const Node*> dynamic{}, weight_only{};  ///< products that may have this form

  FormCandidates(Graph& graph, const Target& target, const ProductForms& chosen, const Context& context) {
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    const TypicalSizes sizes(graph, context);
    for (const DynamicInput& input : dynamic_inputs(graph, target, kept)) {
      if (!(input.gain(target) > 0)) continue;
      for (Node* const reader : input.readers)
        if (product_gain(*reader, target) > 0 && !chosen.holds(*reader)) add(*reader, *input.x, dynamic);
    }
    for (const BlockProduct& product : block_products(graph, target, kept, ProductForms::usual_bits)) {
      ConstantProduct read;
      if (!chosen.holds(*product.node) && ConstantProduct::read(*product.node, read))
        add(*product.node, *read.x, weight_only);
    }
  }

 private:
  void add(Node& node, const Value& x, std::unordered_set<const Node*>& may_be_so) {
    const auto [place, is_new] = places_.try_emplace(&x, inputs.size());
    if (is_new) inputs.push_back(&x);
    if (!dynamic.contains(&node) && !weight_only.contains(&node)) products.push_back({&node, place->second});
    may_be_so.insert(&node);
  }

  std::unordered_map<const Value*, std::size_t> places_{};
};

/// The squared error of rounding.
inline double rounding_error(std::span<const float> values, const QParams& q) {
  const double scale = q.scale, lowest = q.lowest() - q.zero_point, highest = q.highest() - q.zero_point;
  double sum = 0;
  for (const float value : values) {
    const double error = std::clamp(round_half_even(value / scale), lowest, highest) * scale - value;
    sum += error * error;
  }
  return sum;
}

/// The squared error of rounding to int8 with a scale for each block of a row, including the last, shorter block.
inline double block_rounding_error(std::span<const float> values, std::size_t columns) {
  constexpr auto block_size = static_cast<std::size_t>(BlockForm().block_size);
  double sum = 0;
  for (std::size_t row = 0; row + columns <= values.size(); row += columns) {
    for (std::size_t at = 0; at < columns; at += block_size) {
      const std::span<const float> part = values.subspan(row + at, std::min(block_size, columns - at));
      const Extent extent = extent_of(part);
      QParams q;
      q.dtype = DType::i8;
      q.scale = std::max(-extent.range.min, extent.range.max) / 127;
      if (q.scale > 0) sum += rounding_error(part, q);
    }
  }
  return sum;
}

/// The summed shares of each sample's power that one tensor loses: quantized by its range, during the run, and in
/// blocks.
struct RoundingErrors {
  double by_range = 0, dynamic = 0, in_blocks = 0;
  std::size_t samples = 0;

  void add(const Tensor& tensor, const QParams& of_range) {
    if (tensor.dtype() != DType::f32 || tensor.rank() == 0) return;
    const std::span<const float> values = tensor.data<float>();
    const Extent extent = extent_of(values);
    if (values.empty() || !extent.finite) return;
    double power = 0;
    for (const float value : values) power += double{value} * value;
    if (power == 0) return;
    by_range += rounding_error(values, of_range) / power;
    dynamic += rounding_error(values, choose_qparams(extent.range, DType::u8)) / power;
    in_blocks += block_rounding_error(values, static_cast<std::size_t>(tensor.dims().back())) / power;
    ++samples;
  }
  /// The form among these in which the input of the product loses much less; fixed if there is none.
  ProductForm finest(bool may_be_dynamic, bool may_be_weight_only) const {
    constexpr double much = 1e-3;
    const double other = may_be_dynamic ? std::min(by_range, dynamic) : by_range;
    if (may_be_weight_only && other > much * static_cast<double>(samples) && in_blocks < other / 4)
      return ProductForm::weight_only;
    return may_be_dynamic && dynamic < by_range / 4 ? ProductForm::dynamic : ProductForm::static_;
  }
};

}  // namespace detail

GRAFT_INLINE Pass choose_forms_by_error(const Target& target, SampleSource samples, ExecutorFactory make_executor) {
  const auto run = [target, samples = std::move(samples), make_executor = std::move(make_executor)](Graph& graph,
                                                                                                    Context& context) {
    Report report;
    ProductForms forms = context.facts.value_or_default<ProductForms>();
    const detail::FormCandidates candidates(graph, target, forms, context);
    const ActivationDTypes dtypes = context.facts.value_or_default<ActivationDTypes>();
    const detail::PairQParams qparams(*context.facts.find<Ranges>(), target, dtypes);
    std::vector<QParams> by_range;
    Fetches fetches;
    for (const Value* const x : candidates.inputs) {
      by_range.push_back(qparams.of(*x));
      fetches.emplace_back(x);
    }
    std::vector<detail::RoundingErrors> errors(fetches.size());
    if (!fetches.empty()) {
      AnyExecutor executor = make_executor(graph);
      const auto observe = [&](std::size_t, const Sample& sample) {
        executor.observe(detail::by_name(sample.feeds), fetches,
                         [&](std::size_t i, const Tensor& tensor) { errors[i].add(tensor, by_range[i]); });
        return true;
      };
      detail::for_first(samples, std::numeric_limits<std::size_t>::max(), context, observe);
    }
    for (const auto& [node, input] : candidates.products) {
      const ProductForm form =
          errors[input].finest(candidates.dynamic.contains(node), candidates.weight_only.contains(node));
      if (form == ProductForm::static_) continue;
      report.changes +=
          forms.choose(*node, form,
                       form == ProductForm::dynamic ? "its input loses much less when it is quantized during the run"
                                                    : "its input loses much less with a scale for each block");
    }
    context.facts.provide(std::move(forms));
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report;
  };
  return pass("choose_forms_by_error", run).needs<Ranges>().provides<ProductForms>().preserves_all();
}

}  // namespace graft::inline v1
