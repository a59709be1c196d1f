#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph/shortest_decimal.hpp>
#include <graft/rewrite/near_names.hpp>

/// Checks that a number is in a range, with a plainer message than CLI11's.
template <class T>
CLI::Validator wanted(const std::string& what, bool (*is_good)(T)) {
  return CLI::Validator(
      [what, is_good](std::string& text) {
        T number{};
        const bool is_number = CLI::detail::lexical_cast(text, number);
        return is_number && is_good(number) ? std::string() : "expected " + what + ", found " + text;
      },
      "");
}

/// Accepts fractions for a number, as in 1/255.
inline CLI::Validator number_or_fraction() {
  const auto change = [](std::string& text) {
    const auto slash = text.find('/');
    double number = 0, divisor = 1;
    const bool is_number = CLI::detail::lexical_cast(text.substr(0, slash), number) &&
                           (slash == std::string::npos || CLI::detail::lexical_cast(text.substr(slash + 1), divisor));
    if (!is_number || divisor == 0) return "expected a number or a fraction such as 1/255, found " + text;
    text = graft::shortest_decimal(static_cast<float>(number / divisor));
    return std::string();
  };
  return CLI::Validator(change, "");
}

/// An option of numbers separated by commas, which is given once.
inline CLI::Option* add_numbers(CLI::App& app, const char* name, std::vector<float>& numbers, const char* help) {
  const auto set = [name, &numbers, is_given = false](const std::vector<float>& given) mutable {
    if (std::exchange(is_given, true))
      throw CLI::ValidationError(name, "is given twice: expected all numbers at once, with commas between them");
    numbers = given;
  };
  std::string defaults;
  for (const float number : numbers) defaults += (defaults.empty() ? "" : ",") + graft::shortest_decimal(number);
  return app.add_option_function<std::vector<float>>(name, set, help)
      ->delimiter(',')
      ->trigger_on_parse()
      ->transform(number_or_fraction())
      ->type_name("A,B,C")
      ->default_str(defaults);
}

/// Checks that a text is one of these names.
inline CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto check = [names](const std::string& text) {
    if (std::ranges::find(names, text) != names.end()) return std::string();
    const std::vector<std::string_view> views(names.begin(), names.end());
    return "expected one of " + CLI::detail::join(names, ", ") + ", found " + text + graft::did_you_mean(text, views);
  };
  return CLI::Validator(check, "{" + CLI::detail::join(names) + "}");
}

/// The names of choices, which are the first elements of the pairs.
std::vector<std::string> names_of(const auto& choices) {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : choices) names.emplace_back(name);
  return names;
}

/// An option whose value is one of these names; case does not matter.
template <class T>
CLI::Option* add_choice(CLI::App& app, const char* name, T& value, const std::map<std::string, T>& choices,
                        const char* help) {
  return app.add_option_function<std::string>(
      name,
      [name, choices, &value](const std::string& text) {
        const auto found = choices.find(CLI::detail::to_lower(text));
        if (found != choices.end()) {
          value = found->second;
          return;
        }
        throw CLI::ValidationError(name, one_of(names_of(choices))(text));
      },
      help);
}

/// Parses NAME=N.
inline std::pair<std::string, std::int64_t> size_of_dim(const std::string& text) {
  const auto equals = text.rfind('=');
  std::int64_t size = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), size) || size < 0)
    throw CLI::ValidationError("--dim", "expected NAME=N, found " + text);
  return {text.substr(0, equals), size};
}

/// An option that may be repeated, with one text each time.
inline CLI::Option* add_repeatable(CLI::App& app, const char* name, std::vector<std::string>& texts, const char* type,
                                   const char* help) {
  return app.add_option(name, texts, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}
