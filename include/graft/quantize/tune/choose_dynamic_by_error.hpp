#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that adds to DynamicProducts the products, MatMul and Gemm by constants, whose inputs are rounded much less
/// if they are quantized as the model runs: where the noise, as a share of each sample's signal, is on average less
/// than a quarter of what the Ranges make of it, as where one sample's values are far above those of others. Products
/// that would take longer so than in float, by the target's costs, are left. The graph stays as it is. Needs Ranges;
/// next come inject_qdq() and quantize_dynamic(). What it reports as changes is how many products it added. Runs the
/// samples once, and treats make_executor as analyze() does.
Pass choose_dynamic_by_error(const Target& target, SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/choose_dynamic_by_error.ipp>
#endif
