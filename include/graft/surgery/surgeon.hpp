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

/// What a surgery is given for one of its parameters.
using SurgeonArgument =
    std::variant<std::string, std::vector<std::string>, std::int64_t, std::vector<std::int64_t>, double, bool>;
using SurgeonArguments = std::map<std::string, SurgeonArgument, std::less<>>;

/// The alternatives of SurgeonArgument, in their order.
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
  std::optional<SurgeonArgument> fallback{};  // what one that is not required is, if it is not given
};

/// A surgery by the name that configurations of other tools have for it: the pass with its arguments as plain values.
struct Surgeon {
  std::string_view name;     // "RenameInputs"
  std::string_view summary;  // one line
  std::vector<SurgeonParameter> parameters{};
  Intent changes{};  // what the surgery may change
  /// Of arguments that are complete and have the types of their kinds.
  Pass (*make)(const SurgeonArguments& arguments) = nullptr;

  /// nullptr if there is none.
  const SurgeonParameter* parameter(std::string_view name) const;

  /// The surgery with these arguments, under its name. An integer serves as a number, and an empty list as one of
  /// either kind. An argument that it has no parameter for is ignored, with a warning in the pass's Report and in the
  /// Context's log. Throws Error naming surgery and parameter where one is missing or of another kind.
  Pass pass(const SurgeonArguments& arguments = {}) const;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/surgeon.ipp>
#endif
