#pragma once
#include <graft/graph/model.hpp>
#include <graft/graph/result.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// pass.run(), for programs without exceptions. Rules that were applied before an Error stay applied, the rule at work
/// is undone, and the model is valid: model.revert() drops all edits since the last commit. An exception that is not an
/// Error becomes one with the code "out_of_memory" or "foreign_exception".
Result<Report> try_run(const Pass& pass, Model& model, Context& context) noexcept;
Result<Report> try_run(const Pass& pass, Model& model) noexcept;

}  // namespace graft::inline v1
