#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that replaces each layer normalization that is written in several operators by a LayerNormalization, in
/// bodies too. If it finds one, it raises the model to opset 17, which has that operator. It merges equal nodes first,
/// because exporters subtract the mean twice. Run it after inline_functions(), because local functions are not raised,
/// and before simplify(), which removes factors of 1 by which this pass and runtimes recognize a normalization.
Pass name_normalizations();

}  // namespace graft::inline v1
