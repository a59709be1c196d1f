#pragma once
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include <graft/qonnx/convert/format.hpp>

namespace graft::inline v1::qonnx {

/// The features of a format of quantized graphs: the columns of Table I of the QONNX paper, and the bit widths of
/// single channels, which its text adds.
enum class Capability : std::uint8_t {
  arbitrary_precision,     ///< any bit width, including those above 8 and 16
  rounding_variants,       ///< rounding modes other than to the nearest, ties to even
  below_8_bits,            ///< integers of fewer than 8 bits
  weights_only,            ///< quantized weights with float activations
  no_duplication,          ///< the operators of the float graph, without second, quantized forms
  high_precision_output,   ///< results that are not requantized immediately
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

/// The capabilities of the format: its row of Table I. Empty for Format::floating and Format::mixed, which have no row.
Capabilities capabilities(Format format);

/// "QCDQ has no rounding variants": the start of the reason when a conversion to the format skips a node.
std::string lack(Format format, Capability capability);

}  // namespace graft::inline v1::qonnx
