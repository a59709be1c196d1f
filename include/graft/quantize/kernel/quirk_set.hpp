#pragma once
#include <cstdint>
#include <initializer_list>

namespace graft::inline v1 {

/// A set of quirks: `{Quirk::converts_int8_to_uint8, Quirk::constant_qparams_only}`.
template <class Enum>
class QuirkSet {
 public:
  constexpr QuirkSet() = default;
  constexpr QuirkSet(std::initializer_list<Enum> quirks) {
    for (const Enum quirk : quirks) bits_ |= bit(quirk);
  }
  constexpr bool contains(Enum quirk) const { return (bits_ & bit(quirk)) != 0; }
  constexpr QuirkSet with(Enum quirk) const { return with(QuirkSet{quirk}); }
  constexpr QuirkSet with(QuirkSet others) const { return QuirkSet(bits_ | others.bits_); }
  constexpr QuirkSet without(Enum quirk) const { return without(QuirkSet{quirk}); }
  constexpr QuirkSet without(QuirkSet others) const { return QuirkSet(bits_ & ~others.bits_); }
  constexpr bool operator==(const QuirkSet&) const = default;

 private:
  constexpr explicit QuirkSet(std::uint64_t bits) : bits_(bits) {}
  static constexpr std::uint64_t bit(Enum quirk) { return std::uint64_t{1} << static_cast<unsigned>(quirk); }

  std::uint64_t bits_ = 0;
};

}  // namespace graft::inline v1
