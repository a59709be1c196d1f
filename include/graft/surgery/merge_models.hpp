#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>

// Before:  graph(x): h = f(x), r = g(x)      return h, r
//          graph(h, z): y = m(h, z)          return y
// After:   graph(x, z): h = f(x), r = g(x), y = m(h, z)      return r, y
//
// The example has the connection {h, h}. Types of connected values match. If both models import a domain, the versions
// are equal, or are those of the main domain and can be raised.

namespace graft::inline v1 {

struct MergeOptions {
  /// {output of the first, input of the second}. Empty: values of equal names are connected. Without equal names,
  /// outputs and inputs are connected in order, and their numbers must be equal.
  std::vector<std::pair<std::string, std::string>> connections{};
  /// Prefix for names of values, nodes, functions, symbolic extents and metadata of the second model that have another
  /// meaning in the first.
  std::string prefix = "second_";
  /// Keeps connected outputs of the first model as outputs.
  bool keeps_connected = false;
  /// Joins inputs with one name in both models, unless they are connected. This suits the parts from split_model().
  bool shares_inputs = false;
};

/// Joins two models, one after the other: outputs of the first feed inputs of the second. The result has the inputs of
/// the first model, then the unconnected inputs of the second, and outputs in the same way. It has the functions and
/// metadata of both; all else is from the first, including the place of external data. External data of the second are
/// read into memory if they are in another folder, or if only one of the models may read outside its folder.
///
/// Throws Error if a name is not that of an output or input, if an input has two connections, if types do not match, if
/// versions cannot be made equal, and if external data cannot be read. Commits both models, and does not change them.
Model merge_models(Model& first, Model& second, const MergeOptions& options = {});

}  // namespace graft::inline v1
