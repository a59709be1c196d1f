#pragma once
#include <graft/session/session_code.hpp>

#include <algorithm>
#include <cctype>

#include <graft/config.hpp>

namespace graft::inline v1 {

namespace detail {

inline std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// The runtime's name of an execution mode.
inline std::string execution_mode_name(const std::string& value) { return "ORT_" + in_capitals(value); }

/// The runtime's name of an optimization level.
inline std::string optimization_level_name(const std::string& value) {
  return value == "disabled" ? "ORT_DISABLE_ALL" : "ORT_ENABLE_" + in_capitals(value);
}

/// Quotes the text for C++ and Python.
inline std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

inline std::string cpp_statement(const std::string& name, const std::string& value) {
  if (session_option(name).is_config_entry())
    return "AddConfigEntry(" + in_quotes(name) + ", " + in_quotes(value) + ")";
  if (name == "execution_mode") return "SetExecutionMode(" + execution_mode_name(value) + ")";
  if (name == "graph_optimization_level") return "SetGraphOptimizationLevel(" + optimization_level_name(value) + ")";
  if (name == "intra_op_num_threads") return "SetIntraOpNumThreads(" + value + ")";
  if (name == "inter_op_num_threads") return "SetInterOpNumThreads(" + value + ")";
  return (value == "1" ? "Enable" : "Disable") + std::string(name == "enable_mem_pattern" ? "MemPattern()"
                                                                                          : "CpuMemArena()");
}

inline std::string python_statement(const std::string& name, const std::string& value) {
  const SessionOption& option = session_option(name);
  if (option.is_config_entry()) return "add_session_config_entry(" + in_quotes(name) + ", " + in_quotes(value) + ")";
  switch (option.type) {
    case SessionOptionType::execution_mode: return name + " = onnxruntime.ExecutionMode." + execution_mode_name(value);
    case SessionOptionType::optimization_level:
      return name + " = onnxruntime.GraphOptimizationLevel." + optimization_level_name(value);
    case SessionOptionType::flag: return name + (value == "1" ? " = True" : " = False");
    default: return name + " = " + value;
  }
}

}  // namespace detail

GRAFT_INLINE std::string to_cpp(const SessionConfig& config) {
  check_session_config(config);
  std::string text = "Ort::SessionOptions options;\n";
  for (const auto& [name, value] : config) text += "options." + detail::cpp_statement(name, value) + ";\n";
  return text;
}

GRAFT_INLINE std::string to_python(const SessionConfig& config) {
  check_session_config(config);
  std::string text = "options = onnxruntime.SessionOptions()\n";
  for (const auto& [name, value] : config) text += "options." + detail::python_statement(name, value) + "\n";
  return text;
}

}  // namespace graft::inline v1
