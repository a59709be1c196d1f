#pragma once
#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/verify.hpp>
#include <graft/rewrite/pass.hpp>

#include "support/error_of.hpp"

/// What is wrong with the model as it is written: problems, nodes out of order; "" for a sound one.
inline std::string unsound(graft::Model& model) {
  graft::Model written(model.commit());
  std::ostringstream problems;
  if (written.was_unsorted()) problems << "nodes are out of order\n";
  graft::infer_shapes(written.graph());
  for (const graft::Problem& problem : graft::verify(written)) problems << problem << "\n";
  return problems.str();
}

/// What the Error says that the pass throws, with the model as it was; "" if it throws none.
inline std::string refusal(graft::Model model, const graft::Pass& pass) {
  const std::string before = model.serialize();
  const std::string text = error_of([&] { pass.run(model); });
  if (!text.empty()) CHECK(model.serialize() == before);
  return text;
}
