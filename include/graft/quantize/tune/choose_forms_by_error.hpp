#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that chooses another form for products, MatMul and Gemm by constants, whose inputs are rounded much less
/// so: where the noise, as a share of the power of each sample's signal, is on average less than a quarter of what it
/// was. Dynamic, where that is so beside the Ranges, as where one sample's values are far above those of others.
/// Weight-only with 8 bits, where the other forms that it may have lose more than a thousandth of the power, and int8
/// with a scale for each block of 32 much less, as where a few features are far above others. Where many are, they are
/// the signal, of which little is lost, whatever becomes of the others: choose_one_form() serves there. Products that
/// would take longer so than in float, by the target's costs, are left, and so are those of which ProductForms has a
/// choice. The graph stays as it is. Needs Ranges; next come
/// inject_qdq(), quantize_dynamic() and quantize_weights_blockwise(). What it reports as changes is how many products
/// it chose. Runs the samples once, and treats make_executor as analyze() does.
Pass choose_forms_by_error(const Target& target, SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/choose_forms_by_error.ipp>
#endif
