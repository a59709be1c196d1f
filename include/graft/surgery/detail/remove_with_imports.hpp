#pragma once
#include <set>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1::detail {

/// Removes functions, and imports of their domains that are then unused.
inline void remove_with_imports(Model& model, std::vector<Graph*> functions) {
  std::set<std::string> domains;
  for (const Graph* const function : functions)
    domains.emplace(canonical_domain(function->function_proto()->domain()));
  domains.erase("");
  model.remove_functions(functions);
  for (const std::string& domain : domains) model.drop_unused_opset(domain);
}

}  // namespace graft::inline v1::detail
