#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that keeps in float, as exclude_nodes() does, each MatMul and Gemm by a constant, LSTM and Attention whose
/// input holds NaN or infinity on a sample: rows that the model hides later, as those of padding.
/// Quantized as the model runs, such a tensor has no finite scale, and all its rows are NaN. Before quantize_dynamic().
/// Treats make_executor as analyze() does.
Pass keep_nan_inputs_in_float(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/nan_inputs.ipp>
#endif
