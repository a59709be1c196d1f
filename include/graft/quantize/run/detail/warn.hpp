#pragma once
#include <string>
#include <utility>

#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Adds a warning to the log and the report.
inline void warn(std::string warning, const Context& context, Report& report) {
  context.write_log("warning: " + warning);
  report.warnings.push_back(std::move(warning));
}

}  // namespace graft::inline v1::detail
