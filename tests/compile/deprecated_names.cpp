// The old spellings of public names, which are deprecated for one version.
#include <concepts>
#include <cstdint>
#include <functional>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>
#include <graft/vocabulary.hpp>

namespace graft {

static_assert(std::same_as<FileAside, AtomicFile>);
static_assert(std::same_as<InferContext::Told, InferContext::InferredOutput>);
static_assert(std::same_as<Gathering, GatherOptions>);
static_assert(std::same_as<LayerTrials, LayerTrialOptions>);
static_assert(std::same_as<AnyRangeObserver, RangeMethod>);
static_assert(std::same_as<RangeChoice, RangeMethod>);
static_assert(std::same_as<Finding, OperatorOutcome>);
static_assert(std::same_as<ProductResult, OperatorOutcome>);
static_assert(std::same_as<InFloat, FloatOutcomes>);
static_assert(std::same_as<AutomaticQuantization, StaticOptions>);
static_assert(std::same_as<QuantizedFormat, qonnx::Format>);

static_assert(KernelForm::one_dtype == KernelForm::elementwise);
static_assert(KernelForm::same_qparams == KernelForm::passthrough);
static_assert(KernelWidth::narrow == KernelWidth::few_channels);
static_assert(KernelWidth::image == KernelWidth::first_layer);
static_assert(ProductForm::fixed == ProductForm::static_);
static_assert(Histogram::most_bins == Histogram::max_bins);
static_assert(vocabulary::most_error_of_folding == vocabulary::max_error_of_folding);

bool use(Rewriter& rewriter, const InferContext& context) {
  const QuantizationMode mode = StaticQuantization();
  Context().tell("text");
  Context().tell(Progress());
  return rewriter.commit() && &context.told(0) == &context.inferred(0) && LayerTrialOptions().concern("conv") &&
         calibrates(mode) && !std::get<StaticOptions>(mode).mix_forms && usual_range_choices().empty() &&
         &qonnx::shape_functions() == &qonnx::operators();
}

}  // namespace graft
