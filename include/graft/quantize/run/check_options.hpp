#pragma once
#include <graft/quantize/run/quantize_options.hpp>

namespace graft::inline v1 {

/// Throws Error naming an option that differs from its default and that the mode does not heed: those of static
/// quantization with DynamicOptions and BlockwiseOptions. Options that help the accuracy of static quantization are on
/// by default, and may be off. quantize() checks so first.
void check_options(const QuantizeOptions& options);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/check_options.ipp>
#endif
