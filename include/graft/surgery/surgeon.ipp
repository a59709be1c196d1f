#pragma once
#include <graft/surgery/surgeon.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The argument as one of the kind; nullopt if it has another kind.
inline std::optional<SurgeonArgument> as_kind(const SurgeonArgument& argument, ParameterKind kind) {
  if (argument.index() == static_cast<std::size_t>(kind)) return argument;
  if (const auto* const integer = std::get_if<std::int64_t>(&argument); integer && kind == ParameterKind::number)
    return static_cast<double>(*integer);
  const auto is_empty = [](const auto* list) { return list != nullptr && list->empty(); };
  if (is_empty(std::get_if<std::vector<std::int64_t>>(&argument)) && kind == ParameterKind::texts)
    return std::vector<std::string>();
  if (is_empty(std::get_if<std::vector<std::string>>(&argument)) && kind == ParameterKind::integers)
    return std::vector<std::int64_t>();
  return std::nullopt;
}

/// Runs the pass. Errors name the surgery instead of inner passes.
inline Report run_for_surgery(const Pass& inner, Graph& graph, Context& context) {
  try {
    return inner.run(graph, context);
  } catch (const UnreadableTensor&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.message()).file(error.file()).node(error.node()).field(error.field());
  }
}

/// The pass of a surgery for complete arguments; its Errors name the surgery.
inline Pass named_pass(const Surgeon& surgeon, const SurgeonArguments& arguments) {
  const std::string title(surgeon.name);
  try {
    return around(surgeon.make(arguments), &run_for_surgery).named(title);
  } catch (const Error& error) {
    throw Error("the surgery " + title + ": " + error.message());
  }
}

}  // namespace detail

GRAFT_INLINE const SurgeonParameter* Surgeon::parameter(std::string_view wanted) const {
  const auto has_it = [&](const SurgeonParameter& one) { return one.name == wanted; };
  const auto found = std::find_if(parameters.begin(), parameters.end(), has_it);
  return found == parameters.end() ? nullptr : &*found;
}

GRAFT_INLINE Pass Surgeon::pass(const SurgeonArguments& arguments) const {
  const std::string title(name);
  SurgeonArguments complete;
  for (const SurgeonParameter& one : parameters) {
    const std::string which = "the surgery " + title + ": parameter '" + std::string(one.name) + "' ";
    if (const auto given = arguments.find(one.name); given != arguments.end()) {
      std::optional<SurgeonArgument> value = detail::as_kind(given->second, one.kind);
      if (!value) {
        const auto kind = static_cast<ParameterKind>(given->second.index());
        throw Error(which + "is " + std::string(to_string(one.kind)) + ", not " + std::string(to_string(kind)));
      }
      complete.emplace(one.name, *std::move(value));
    } else if (one.required) {
      throw Error(which + "is missing: it is " + std::string(to_string(one.kind)));
    } else if (one.fallback) {
      complete.emplace(one.name, *one.fallback);
    }
  }
  const Pass made = detail::named_pass(*this, complete);
  std::vector<std::string> warnings;
  for (const auto& [unknown, value] : arguments)
    if (parameter(unknown) == nullptr)
      warnings.push_back("the surgery " + title + " has no parameter '" + unknown + "', which is ignored");
  if (warnings.empty()) return made;
  return around(made, [warnings](const Pass& inner, Graph& graph, Context& context) {
    for (const std::string& warning : warnings) context.write_log(warning);
    Report report = inner.run(graph, context);
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
    return report;
  });
}

}  // namespace graft::inline v1
