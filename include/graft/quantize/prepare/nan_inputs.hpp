#pragma once
#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that keeps in float, as exclude_nodes() does, each node whose input holds NaN or infinity on a sample:
/// MatMul and Gemm by a constant, LSTM and Attention. Models hide such rows later, for example those of padding. If
/// such a tensor is quantized during the run, it has no finite scale, and all its rows become NaN. Run it before
/// quantize_dynamic(). Uses make_executor as analyze() does.
Pass keep_nan_inputs_in_float(SampleSource samples, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
