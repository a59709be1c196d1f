#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/surgery/detail/function_call.hpp>

namespace graft::inline v1::detail {

/// The local functions of a model by what calls them.
class LocalFunctions {
 public:
  explicit LocalFunctions(const Model& model) {
    for (Graph* const function : model.functions()) {
      const onnx::FunctionProto& proto = *function->function_proto();
      by_call_.emplace(std::pair(model.find_op(proto.domain(), proto.name()), overload_of(proto)), function);
    }
  }

  /// nullptr if the node calls none.
  Graph* called_by(const Node& node) const {
    if (by_call_.empty()) return nullptr;
    const auto found = by_call_.find({node.op(), overload_of(node.proto())});
    return found == by_call_.end() ? nullptr : found->second;
  }

  /// f(node, function) for the calls in a scope and in the bodies in it.
  template <class F>
  void for_each_call(const Graph& scope, F&& f) const {
    std::vector<const Graph*> scopes{&scope};
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      for (const Node& node : scopes[i]->nodes()) {
        if (Graph* const function = called_by(node)) f(node, *function);
        for (const Body& body : node.bodies()) scopes.push_back(body.graph);
      }
    }
  }

 private:
  std::map<std::pair<OpId, std::string>, Graph*> by_call_;
};

/// Takes functions away, and the imports of their domains that nothing needs any more.
inline void remove_with_imports(Model& model, std::vector<Graph*> functions) {
  std::set<std::string> domains;
  for (const Graph* const function : functions)
    domains.emplace(canonical_domain(function->function_proto()->domain()));
  domains.erase("");
  model.remove_functions(functions);
  for (const std::string& domain : domains) model.drop_unused_opset(domain);
}

}  // namespace graft::inline v1::detail
