#pragma once
#include <cstdint>
#include <optional>

#include <graft/quantize/kernel/release.hpp>

namespace graft::inline v1 {

/// What a runtime computes wrong without a word, or fails to load.
enum class Fault : std::uint8_t {
  /// A fused product that quantizes its input as it runs drops its bias, unless its weight has one scale, or scales of
  /// the weight's shape with an extent of 1 for the rows; a list of scales will do for a matrix.
  dropped_bias,
  /// Products of 8 bits with 32 rows or more are wrong where their columns leave 17 to 31 over from a multiple of 32.
  partial_tiles,
  /// Where a DequantizeLinear of signed integers states no zero point, and is carried past an operator that moves
  /// values, the quantizer behind that is of uint8: values below 0 are lost. Of computed tensors, below opset 21.
  unstated_zero_point,
  /// The same of constants, and from opset 21 on.
  unstated_zero_point_anywhere,
  /// From opset 21 on, where a DequantizeLinear of computed int8 is carried past an operator that moves values, the
  /// quantizer behind that states its dtype, and keeps it when the runtime turns the pair into uint8: the model is
  /// refused. Only of runtimes with Quirk::converts_int8_to_uint8.
  carried_int8,
  /// Where a DequantizeLinear of a computed tensor is carried past an operator that moves values, and a body reads what
  /// that gives, with no quantizer behind: the process that loads the model ends.
  carried_into_body,
  /// Attention whose key-value cache is in integers drops its bias, which is its mask.
  dropped_cache_bias,
};

/// Processors of one architecture that differ in what a runtime does on them.
enum class Processor : std::uint8_t {
  any,
  amx,  ///< x86-64 with AMX for products of int8
};

/// A fault of a runtime, and which releases and processors have it.
struct KnownFault {
  Fault fault;
  Release since;                    ///< the first release that has it
  std::optional<Release> mended{};  ///< the first one later that does not
  Processor processor = Processor::any;
};

}  // namespace graft::inline v1
