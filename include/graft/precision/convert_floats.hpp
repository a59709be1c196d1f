#pragma once
#include <graft/precision/float_options.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that computes a float32 model in float16, except where facts or options speak against it. It converts
/// constants, attributes, the bodies of If, Loop, Scan and SequenceMap, sequences and optionals. Local functions are
/// inlined. Large weights are converted one at a time.
///
/// These stay in float32: nodes and operators of the options, and operators that the target or ONNX's type constraints
/// exclude; nodes that read a constant beyond 65,504, or one that vanishes, or a sum with such a constant; values
/// computed from integers alone, such as positions; long sums; scales of Resize, grids of GridSample, and scales of
/// Q/DQ nodes that are not normal numbers of the type. Bounds of Clip, Min and Max saturate instead.
///
/// Products are converted wherever they may be. Of the other nodes, those are converted that save more bytes than their
/// Casts cost: a minimum cut. A Cast serves all readers of a value.
///
/// Inputs and outputs keep their names. The notes count nodes by the reason why they stay, and Casts. Throws Error for
/// functions that cannot be inlined, and for samples that do not run. After an Error or a cancellation the model is as
/// it was. The bodies and the main graph are converted together, whichever is given.
Pass to_float16(const FloatOptions& options = {});

/// The same to bfloat16, which has the range of float32 and 8 bits of precision.
Pass to_bfloat16(const FloatOptions& options = {});

/// The way back: the pass that computes a model of 16-bit floats, f16 or bf16, in float32. Graph inputs and outputs
/// keep their dtypes. Casts that then change nothing are removed. An input or output that is a sequence or optional of
/// 16-bit floats keeps its nodes in that type, because Cast does not support it. Results change by the rounding to 16
/// bits.
Pass to_float32();

}  // namespace graft::inline v1
