#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>

// Before:  graph(x): h = f(x), r = g(x)      return h, r
//          graph(h, z): y = m(h, z)          return y
// After:   graph(x, z): h = f(x), r = g(x), y = m(h, z)      return r, y
//
// For the connection {h, h}. Types of connected values agree. Versions of a domain that both import are equal, or that
// of the main domain can be raised.

namespace graft::inline v1 {

struct MergeOptions {
  /// {output of the first, input of the second}. None: those of one name; if there are none, outputs and inputs in
  /// their order, which must be as many.
  std::vector<std::pair<std::string, std::string>> connections{};
  /// Goes before names of values, nodes, functions, symbolic extents and metadata of the second model that mean
  /// something else in the first.
  std::string prefix = "second_";
  /// Outputs of the first that feed the second stay outputs.
  bool keeps_connected = false;
  /// Inputs that bear one name in both, and are not fed, are one, as in the parts that split_model() makes.
  bool shares_inputs = false;
};

/// One model that does what the two do, one behind the other: outputs of the first feed inputs of the second. Its
/// inputs are those of the first, then those of the second that are not fed; its outputs the same. Functions and
/// metadata of both stay; the rest is that of the first, its external data among it. That of the second is read into
/// memory where it lies in another folder, or where one of the two alone may look outside its folder. Throws Error for
/// names of no output or input, an input that is fed twice, types that do not agree, versions that cannot, and external
/// data that cannot be read. Commits both, and leaves them as they are.
Model merge_models(Model& first, Model& second, const MergeOptions& options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/merge_models.ipp>
#endif
