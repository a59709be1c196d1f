#pragma once
#include <vector>

#include <graft/qonnx/convert/format.hpp>
#include <graft/qonnx/convert/set_bit_widths.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

/// The passes that write a Q/DQ model in another format: qonnx, qcdq or quantized_operators; qdq changes nothing. The
/// model is one of quantize() with StaticOptions::mix_forms and QuantizeOptions::fuse_transformers off: operators of
/// runtimes, such as MatMulInteger, stay as they are. Integers of QuantizeLinear stay what they are, whatever the zero
/// point is. `widths` are bit widths of activations other than 8: set_bit_widths(). Ranges were found for 8 bits, and
/// stay the same. Throws Error for another format, and for widths in a format that has none: only qonnx and qcdq have.
Pass qdq_to_format(Format format, std::vector<BitWidth> widths = {});

}  // namespace graft::inline v1::qonnx
