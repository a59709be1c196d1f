#pragma once
#include <graft/qonnx/convert/capabilities.hpp>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE std::string_view to_string(Capability capability) {
  switch (capability) {
    case Capability::arbitrary_precision: return "arbitrary precision";
    case Capability::rounding_variants: return "rounding variants";
    case Capability::below_8_bits: return "widths below 8 bits";
    case Capability::weights_only: return "quantization of weights only";
    case Capability::no_duplication: return "operators of one form";
    case Capability::high_precision_output: return "outputs of high precision";
    case Capability::channel_wise_bit_width: return "channel-wise bit widths";
  }
  return "";
}

GRAFT_INLINE std::ostream& operator<<(std::ostream& out, Capability capability) { return out << to_string(capability); }

GRAFT_INLINE Capabilities capabilities(Format format) {
  using enum Capability;
  switch (format) {
    case Format::qonnx:
      return {arbitrary_precision, rounding_variants,     below_8_bits,          weights_only,
              no_duplication,      high_precision_output, channel_wise_bit_width};
    case Format::qcdq: return {below_8_bits, weights_only, no_duplication, high_precision_output};
    case Format::qdq: return {weights_only, no_duplication, high_precision_output};
    case Format::clipped_quantized_operators: return {below_8_bits};
    case Format::integer_operators: return {high_precision_output};
    case Format::quantized_operators:
    case Format::floating:
    case Format::mixed: return {};
  }
  return {};
}

GRAFT_INLINE std::string lack(Format format, Capability capability) {
  return std::string(to_string(format)) + " has no " + std::string(to_string(capability));
}

}  // namespace graft::inline v1::qonnx
