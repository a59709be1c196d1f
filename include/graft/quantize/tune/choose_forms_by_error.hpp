#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses a form for MatMul and Gemm by constants whose inputs lose much less in it. The loss is the
/// power of the noise, as a share of the power of each sample's signal, averaged over samples. A form is chosen if its
/// loss is less than a quarter of the present form's loss.
///
/// - Dynamic, compared with the Ranges: for example if the values of one sample are far above those of others.
/// - Weight-only with 8 bits: if the other allowed forms lose more than a thousandth of the power, and int8 with a
///   scale for each block of 32 loses much less. That happens if a few features are far above the others. If many are,
///   they are the signal and lose little, whatever the others lose: use choose_one_form() then.
///
/// Skips products that would be slower than in float, by the target's costs, and those that ProductForms names already.
/// Does not change the graph. Needs Ranges; run inject_qdq(), quantize_dynamic() and quantize_weights_blockwise() next.
/// The report counts the chosen products as changes. Runs the samples once, and uses make_executor as analyze() does.
Pass choose_forms_by_error(const Target& target, SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
