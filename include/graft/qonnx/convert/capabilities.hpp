#pragma once
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include <graft/qonnx/convert/format.hpp>

namespace graft::inline v1::qonnx {

/// What a format of quantized graphs can express. The columns of Table I of the QONNX paper, and the widths of single
/// channels, which its text adds.
enum class Capability : std::uint8_t {
  arbitrary_precision,     ///< any bit width, those above 8 and 16 among them
  rounding_variants,       ///< other rounding than to the nearest, ties to even
  below_8_bits,            ///< integers of fewer than 8 bits
  weights_only,            ///< quantized weights beside float activations
  no_duplication,          ///< operators are those of the float graph: none has a second, quantized form
  high_precision_output,   ///< results that are not requantized at once
  channel_wise_bit_width,  ///< a bit width for each channel
};

/// "arbitrary precision", "rounding variants" ...
std::string_view to_string(Capability capability);
std::ostream& operator<<(std::ostream& out, Capability capability);

/// A set of capabilities.
class Capabilities {
 public:
  constexpr Capabilities() = default;
  constexpr Capabilities(std::initializer_list<Capability> capabilities) {
    for (const Capability capability : capabilities) bits_ |= bit(capability);
  }
  constexpr bool has(Capability capability) const { return (bits_ & bit(capability)) != 0; }

  friend constexpr bool operator==(const Capabilities&, const Capabilities&) = default;

 private:
  static constexpr unsigned bit(Capability capability) { return 1U << static_cast<unsigned>(capability); }
  unsigned bits_ = 0;
};

/// What the format can express: its row of Table I. Nothing for Format::floating and Format::mixed, which are no rows.
Capabilities capabilities(Format format);

/// "QCDQ has no rounding variants": how a conversion to the format begins to say why it declines a node.
std::string lack(Format format, Capability capability);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/capabilities.ipp>
#endif
