#pragma once
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <graft/graph/error.hpp>
#include <graft/surgery/surgeons.hpp>

/// A surgery that the command line or a file asks for.
struct Order {
  Order(const graft::Surgeon& who, const graft::SurgeonArguments& arguments)
      : surgeon(&who), pass(who.pass(arguments)) {}

  const graft::Surgeon* surgeon;
  graft::Pass pass;
};

/// Returns the position of the next ":NAME=", or the end of the text. A colon or an equals sign within a tensor name
/// does not count.
inline std::size_t next_argument(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(':', from); at != text.npos; at = text.find(':', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (end > at + 1 && end < text.size() && text[end] == '=') return at;
  }
  return text.size();
}

template <class T>
T number_of(const std::string& text, const std::string& parameter) {
  T number{};
  if (!CLI::detail::lexical_cast(text, number))
    throw graft::Error(parameter + ": expected " + (std::is_integral_v<T> ? "an integer" : "a number") + ", found " +
                       text);
  return number;
}

/// Parses an argument; commas separate the elements of a list.
inline graft::SurgeonArgument argument_of(const std::string& text, graft::ParameterKind kind,
                                          const std::string& parameter) {
  using graft::ParameterKind;
  const auto words = text.empty() ? std::vector<std::string>() : CLI::detail::split(text, ',');
  switch (kind) {
    case ParameterKind::text: return text;
    case ParameterKind::texts: return words;
    case ParameterKind::integer: return number_of<std::int64_t>(text, parameter);
    case ParameterKind::integers: {
      std::vector<std::int64_t> numbers;
      for (const std::string& word : words) numbers.push_back(number_of<std::int64_t>(word, parameter));
      return numbers;
    }
    case ParameterKind::number: return number_of<double>(text, parameter);
    case ParameterKind::flag: break;
  }
  if (text != "true" && text != "false") throw graft::Error(parameter + " is true or false, not " + text);
  return text == "true";
}

/// Parses NAME or NAME:PARAMETER=VALUE:...
inline Order order_of(const std::string& text) {
  std::size_t at = next_argument(text, 0);
  if (const std::size_t colon = text.find(':'); colon < at) {  // names of surgeries contain no colon
    const std::string given = text.substr(colon + 1, at - colon - 1);
    const bool has_value = given.find('=') != given.npos;
    throw graft::Error("'" + given + (has_value ? "' starts with no parameter" : "' has no =VALUE"));
  }
  const graft::Surgeon& surgeon = graft::surgeon_named(text.substr(0, at));
  graft::SurgeonArguments arguments;
  while (at < text.size()) {
    const std::size_t equals = text.find('=', at), end = next_argument(text, equals);
    const std::string name = text.substr(at + 1, equals - at - 1), value = text.substr(equals + 1, end - equals - 1);
    const std::string which = "the surgery " + std::string(surgeon.name) + ": parameter '" + name + "'";
    const graft::SurgeonParameter* const parameter = surgeon.parameter(name);
    const graft::ParameterKind kind = parameter != nullptr ? parameter->kind : graft::ParameterKind::text;
    if (!arguments.emplace(name, argument_of(value, kind, which)).second) throw graft::Error(which + " is given twice");
    at = end;
  }
  return {surgeon, arguments};
}

/// Returns nullopt for null, which means that the parameter is not given.
inline std::optional<graft::SurgeonArgument> argument_of(const nlohmann::json& value, const std::string& parameter) {
  const auto is = [&](bool (nlohmann::json::*kind)() const noexcept) {
    for (const nlohmann::json& element : value)
      if (!(element.*kind)()) return false;
    return true;
  };
  const auto integer = [&](const nlohmann::json& number) {
    if (number.is_number_unsigned() && number.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
      throw graft::Error(parameter + " is too large: " + number.dump());
    return number.get<std::int64_t>();
  };
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return integer(value);
  if (value.is_number()) return value.get<double>();
  if (value.is_array() && is(&nlohmann::json::is_string)) return value.get<std::vector<std::string>>();
  if (value.is_array() && is(&nlohmann::json::is_number_integer)) {
    std::vector<std::int64_t> numbers;
    for (const nlohmann::json& element : value) numbers.push_back(integer(element));
    return numbers;
  }
  throw graft::Error(parameter + " is neither a text, a number, a flag, nor a list of texts or of integers");
}

/// Throws Error for a number that is not an integer in the range of the parameter.
inline void check_integers(const nlohmann::json& value, graft::ParameterKind kind, const std::string& parameter) {
  const auto check = [&](const nlohmann::json& number) {
    if (number.is_number_float()) throw graft::Error(parameter + ": expected an integer, found " + number.dump());
  };
  if (kind == graft::ParameterKind::integer) check(value);
  if (kind == graft::ParameterKind::integers && value.is_array())
    for (const nlohmann::json& element : value) check(element);
}

/// Parses {"surgeon": NAME, PARAMETER: VALUE, ...}
inline Order order_of(const nlohmann::json& entry) {
  if (!entry.is_object()) throw graft::Error("a surgery is an object with a \"surgeon\", not " + entry.dump());
  const auto named = entry.find("surgeon");
  if (named == entry.end() || !named->is_string())
    throw graft::Error("a surgery names its \"surgeon\" in a text: " + entry.dump());
  const graft::Surgeon& surgeon = graft::surgeon_named(named->get_ref<const std::string&>());
  graft::SurgeonArguments arguments;
  for (const auto& [name, value] : entry.items()) {
    if (name == "surgeon") continue;
    const std::string which = "the surgery " + std::string(surgeon.name) + ": parameter '" + name + "'";
    const graft::SurgeonParameter* const parameter = surgeon.parameter(name);
    const bool is_unknown = parameter == nullptr;  // ignored with a warning, whatever its value
    if (!is_unknown) check_integers(value, parameter->kind, which);
    if (is_unknown) arguments.emplace(name, std::string());
    else if (auto argument = argument_of(value, which)) arguments.emplace(name, *std::move(argument));
  }
  return {surgeon, arguments};
}

/// Reads the surgeries of a file: a list, or an object that has such a list or object under "surgeries". Throws Error
/// naming the file.
inline std::vector<Order> load_orders(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  try {
    if (!file) throw graft::Error("cannot be read");
    const nlohmann::json whole = nlohmann::json::parse(text);
    const nlohmann::json* list = &whole;
    while (list->is_object() && list->contains("surgeries")) list = &list->at("surgeries");
    if (!list->is_array()) throw graft::Error("holds no list of surgeries");
    std::vector<Order> orders;
    for (const nlohmann::json& entry : *list) orders.push_back(order_of(entry));
    return orders;
  } catch (const nlohmann::json::exception& error) {
    throw graft::Error(std::string("is not JSON: ") + error.what()).file(path.string());
  } catch (graft::Error& error) {
    throw error.file(path.string());
  }
}
