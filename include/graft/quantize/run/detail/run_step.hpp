#pragma once
#include <string>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Runs a pass on the model and adds what it reports, part by part. False if the run is cancelled.
inline bool run_step(const Pass& pass, Model& model, Context& context, Report& all) {
  Report report = pass.run(model, context);
  for (const Report& part : report.steps) all.seconds += part.steps.empty() ? part.seconds : 0;
  all.seconds += report.steps.empty() ? report.seconds : 0;
  if (pass.steps().empty()) {
    all.add(std::move(report));
  } else {
    for (Report& part : report.steps) all.add(std::move(part));
  }
  return all.outcome != Outcome::cancelled && !context.is_cancelled();
}

/// Adds a warning to the log and the report.
inline void warn(std::string warning, const Context& context, Report& all) {
  context.tell("warning: " + warning);
  all.warnings.push_back(std::move(warning));
}

}  // namespace graft::inline v1::detail
