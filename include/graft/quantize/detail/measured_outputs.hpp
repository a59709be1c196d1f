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

/// The outputs by which a quantized copy is compared with its float graph: all except strings. For integers and truth
/// values the floats that decide them are compared as well, because many errors change no class.
///
/// NonMaxSuppression, NonZero, Unique, Compress and the indices of TopK select rows. A score that differs a little
/// gives other rows, or another order, which says little about a copy. So copies are fed with what the float graph
/// selects, and have the same rows. The values of TopK are computed. Rows that are not selected count too: the floats
/// in front of a selection are compared as further outputs.
///
/// A selection in a body cannot be fed, nor is one behind it. Outputs behind these are compared only if a product by a
/// constant lies between: nothing else shows what the product loses.
class MeasuredOutputs {
 public:
  /// The dtypes in the graph are known: floats of an unknown dtype are no further outputs.
  explicit MeasuredOutputs(const Graph& floats);

  /// Adds the further outputs to a copy that nothing has changed yet.
  void add_to(Graph& copy) const;
  /// The compared values of a copy that has the further outputs, after any passes.
  Fetches in_copy(const Graph& copy) const;
  /// The same in a graph that was quantized without the further outputs; nullptr for floats that it does not have, or
  /// has in another dtype. Throws Error if it has another number of outputs.
  std::vector<const Value*> in_quantized(const Graph& quantized) const;
  /// The same in the float graph, and then what it selects.
  Fetches in_floats(const Graph& floats) const;

  /// Removes what the float graph selects from its results for in_floats(), and returns it.
  Feeds take_selected(std::vector<Tensor>& outputs) const;

  /// The outputs of the float graph that are compared come first.
  const std::vector<std::size_t>& places() const { return places_; }
  struct Source {
    std::string name;
    DType dtype;
  };
  /// Then come floats in front of selections, integers and truth values.
  const std::vector<Source>& sources() const { return sources_; }
  /// One for each of both.
  const std::vector<Decision>& decisions() const { return decisions_; }
  /// Whether an agreement means anything: some output decides between classes.
  bool decide() const { return decide_; }

 private:
  std::vector<std::size_t> places_;
  std::vector<Source> sources_;
  std::vector<Decision> decisions_;
  std::vector<std::string> selected_;
  std::size_t outputs_ = 0;
  bool decide_ = false;
};

/// Feeds for a copy of the graph: the inputs, and those values that the float graph selects and the copy computes.
Feeds feeds_of_copy(const Graph& copy, const Feeds& inputs, const Feeds& selected);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/measured_outputs.ipp>
#endif
