#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that makes a LayerNormalization of each layer normalization that is written in several operators, in
/// bodies too, and raises the model to opset 17, which has it, where there is one. What is computed twice is merged
/// before: exporters subtract the mean twice. After inline_functions(), since local functions are not raised, and
/// before simplify(): that takes factors of 1 away, by which this pass and runtimes know a normalization.
Pass name_normalizations();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/name_normalizations.ipp>
#endif
