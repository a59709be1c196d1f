#pragma once
#include <graft/evaluate/kernels.hpp>

namespace graft::inline v1::qonnx {

/// Kernels::standard() and those of operators(), for models that do not know these operators. Domains need no import.
const Kernels& kernels();

}  // namespace graft::inline v1::qonnx
