#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// An argument for a parameter of a surgery.
using SurgeonArgument =
    std::variant<std::string, std::vector<std::string>, std::int64_t, std::vector<std::int64_t>, double, bool>;
using SurgeonArguments = std::map<std::string, SurgeonArgument, std::less<>>;

/// The alternatives of SurgeonArgument, in order.
enum class ParameterKind : std::uint8_t { text, texts, integer, integers, number, flag };

constexpr std::string_view to_string(ParameterKind kind) {
  constexpr std::string_view names[] = {"a text", "a list of texts", "an integer", "a list of integers",
                                        "a number", "true or false"};
  return names[static_cast<std::size_t>(kind)];
}

constexpr bool is_list(ParameterKind kind) { return kind == ParameterKind::texts || kind == ParameterKind::integers; }

struct SurgeonParameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::text;
  bool required = true;
  std::optional<SurgeonArgument> fallback{};  // the value of an absent optional argument
};

/// A surgery by its name in configurations of other tools: the pass, with plain values as arguments.
struct Surgeon {
  std::string_view name;     // "RenameInputs"
  std::string_view summary;  // one line
  std::vector<SurgeonParameter> parameters{};
  Intent changes{};  // the changes that the surgery may make
  /// Makes the pass. The arguments are complete and have the types of their kinds.
  Pass (*make)(const SurgeonArguments& arguments) = nullptr;

  /// nullptr if there is no such parameter.
  const SurgeonParameter* parameter(std::string_view name) const;

  /// The surgery with these arguments, as a pass of its name. An integer serves as a number, and an empty list as a
  /// list of either kind. Unknown arguments are ignored, with a warning in the Report and in the Context's log. Throws
  /// Error with surgery and parameter if an argument is missing or has another kind.
  Pass pass(const SurgeonArguments& arguments = {}) const;
};

}  // namespace graft::inline v1
