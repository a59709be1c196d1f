#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

/// That a number is in a range, in other words than CLI11's.
template <class T>
CLI::Validator wanted(const std::string& what, bool (*is_good)(T)) {
  return CLI::Validator(
      [what, is_good](std::string& text) {
        T number{};
        const bool is_number = CLI::detail::lexical_cast(text, number);
        return is_number && is_good(number) ? std::string() : "wanted " + what + ", got " + text;
      },
      "");
}

/// An option that is one of these names, in any case of letters.
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
        std::string names;
        for (const auto& [each, meaning] : choices) names += (names.empty() ? "" : ", ") + each;
        throw CLI::ValidationError(name, "wanted one of " + names + ", got " + text);
      },
      help);
}

/// Of NAME=N.
inline std::pair<std::string, std::int64_t> size_of_dim(const std::string& text) {
  const auto equals = text.rfind('=');
  std::int64_t size = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), size) || size < 0)
    throw CLI::ValidationError("--dim", "wanted NAME=N, got " + text);
  return {text.substr(0, equals), size};
}

/// An option that may be given several times, each time with one text.
inline CLI::Option* add_repeatable(CLI::App& app, const char* name, std::vector<std::string>& texts, const char* type,
                                   const char* help) {
  return app.add_option(name, texts, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}
