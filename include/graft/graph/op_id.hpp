#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// The interned (domain, op_type) of one model. Comparing two ids costs one integer comparison.
enum class OpId : std::uint32_t { none = 0 };

/// "ai.onnx" is another spelling of the main domain, "".
constexpr std::string_view canonical_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

/// "domain::op_type", split. A name without "::" belongs to the main domain.
struct OpName {
  std::string_view domain, op_type;

  static constexpr OpName parse(std::string_view qualified) {
    const auto colons = qualified.rfind("::");
    if (colons == std::string_view::npos) return {"", qualified};
    return {canonical_domain(qualified.substr(0, colons)), qualified.substr(colons + 2)};
  }
};

/// "Conv", "domain::Op"
inline std::string to_string(const OpName& name) {
  return (name.domain.empty() ? "" : std::string(name.domain) + "::") + std::string(name.op_type);
}
inline std::ostream& operator<<(std::ostream& out, const OpName& name) { return out << to_string(name); }

/// Interns operator names. Ids are consecutive and start at 1.
class OpTable {
 public:
  OpId intern(std::string_view domain, std::string_view op_type);
  /// OpId::none if the name has not been interned.
  OpId find(std::string_view domain, std::string_view op_type) const;

  const OpName& name(OpId id) const { return names_[static_cast<std::size_t>(id) - 1]; }
  std::size_t size() const { return names_.size(); }

 private:
  OpId intern_slowly(std::string_view domain, std::string_view op_type);
  static std::size_t recent_place(std::string_view op_type);
  bool is(OpId id, std::string_view domain, std::string_view op_type) const;

  std::unordered_map<std::string, OpId> ids_;
  std::deque<OpName> names_;
  // Models repeat a few operators: this small cache answers most calls without hashing.
  std::array<OpId, 32> recent_{};
  std::string key_;
};

}  // namespace graft::inline v1
