#pragma once
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// A reason for a refusal: a sentence, a code for programs, up to four numbers and a name. All strings have static
/// storage. Plain data, so that a refusal costs nothing while matching; to_string() formats it on demand.
struct Reason {
  std::string_view text{};
  std::string_view code{};
  std::array<double, 4> numbers{};
  std::uint8_t number_count = 0;
  std::string_view name{};
};

/// The sentence, with each {} replaced by the next number and {name} by the name. Further numbers follow in
/// parentheses.
std::string to_string(const Reason& reason);

inline std::ostream& operator<<(std::ostream& out, const Reason& reason) { return out << to_string(reason); }

/// Yes, or no with a reason.
class [[nodiscard]] Verdict {
 public:
  static constexpr Verdict yes() { return Verdict{true, {}}; }
  static constexpr Verdict no(std::string_view static_text) { return Verdict{false, Reason{static_text, {}, {}, 0}}; }
  static constexpr Verdict no(const Reason& reason) { return Verdict{false, reason}; }

  constexpr explicit operator bool() const { return ok_; }
  constexpr const Reason& reason() const { return reason_; }

 private:
  constexpr Verdict(bool ok, const Reason& reason) : ok_(ok), reason_(reason) {}
  bool ok_;
  Reason reason_;
};

/// "yes", "no: ..."
inline std::string to_string(const Verdict& verdict) {
  return verdict ? "yes" : "no: " + to_string(verdict.reason());
}
inline std::ostream& operator<<(std::ostream& out, const Verdict& verdict) { return out << to_string(verdict); }

}  // namespace graft::inline v1
