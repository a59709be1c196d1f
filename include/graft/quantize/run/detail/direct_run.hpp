#pragma once
#include <optional>
#include <string_view>

#include <graft/graph/model.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Fills the counts of products and tables, and what stayed in float, from the report of this pass in result.passes.
void read_products(std::string_view pass, QuantizeResult& result);

/// quantize() in a mode that needs no ranges. Samples measure how near the outputs are to float; there may be none.
QuantizeResult quantize_directly(Model& model, const std::optional<SampleSource>& samples, const Target& target,
                                 const QuantizeOptions& options, Context& context);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/direct_run.ipp>
#endif
