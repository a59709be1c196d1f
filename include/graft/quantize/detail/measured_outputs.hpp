#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/tune/fidelity.hpp>

namespace graft::inline v1::detail {

/// The outputs by which a quantized copy is compared with its float graph: all except strings. For integers and
/// booleans, the floats from which they are computed are compared too, because many errors do not change a class.
///
/// NonMaxSuppression, NonZero, Unique, Compress and the indices of TopK select rows. A small difference of a score
/// selects other rows or another order, which says little about a copy. So copies are fed with the selections of the
/// float graph, and have the same rows. The values of TopK are computed. Unselected rows count too: the floats in front
/// of a selection are compared as further outputs.
///
/// A selection in a body cannot be fed, and neither can later selections. Outputs behind these are compared only if a
/// product by a constant is between, because no other output shows the loss of that product.
class MeasuredOutputs {
 public:
  /// The graph must have dtypes: floats of an unknown dtype are not compared as further outputs.
  explicit MeasuredOutputs(const Graph& floats);

  /// Adds the further outputs to an unchanged copy.
  void add_to(Graph& copy) const;
  /// The compared values of a copy that has the further outputs, after any passes.
  Fetches in_copy(const Graph& copy) const;
  /// The compared values of a graph that was quantized without the further outputs; nullptr for floats that it lacks,
  /// or has in another dtype. Throws Error if it has another number of outputs.
  std::vector<const Value*> in_quantized(const Graph& quantized) const;
  /// The compared values of the float graph, followed by its selections.
  Fetches in_floats(const Graph& floats) const;

  /// Removes the selections of the float graph from its results for in_floats(), and returns them.
  Feeds take_selected(std::vector<Tensor>& outputs) const;

  /// First in the order of comparison: outputs of the float graph.
  const std::vector<std::size_t>& places() const { return places_; }
  struct Source {
    std::string name;
    DType dtype;
  };
  /// Second: the floats in front of selections, integers and booleans.
  const std::vector<Source>& sources() const { return sources_; }
  /// One for each of both, in this order.
  const std::vector<Decision>& decisions() const { return decisions_; }
  /// Whether an agreement is defined: whether some output decides between classes.
  bool decide() const { return decide_; }

 private:
  std::vector<std::size_t> places_;
  std::vector<Source> sources_;
  std::vector<Decision> decisions_;
  std::vector<std::string> selected_;
  std::size_t outputs_ = 0;
  bool decide_ = false;
};

/// Feeds for a copy of the graph: the inputs, and the float graph's selections that the copy computes.
Feeds feeds_of_copy(const Graph& copy, const Feeds& inputs, const Feeds& selected);

}  // namespace graft::inline v1::detail
