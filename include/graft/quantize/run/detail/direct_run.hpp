#pragma once
#include <optional>

#include <graft/graph/model.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// quantize() in a mode that needs no ranges. Samples measure how near the outputs are to float; there may be none.
QuantizeResult quantize_directly(Model& model, const std::optional<SampleSource>& samples, const Target& target,
                                 const QuantizeOptions& options, Context& context);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/direct_run.ipp>
#endif
