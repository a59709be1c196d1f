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

/// What copies of a float graph are compared with it by: all its outputs but strings, which no executor computes and
/// quantization leaves alone. Of integers and truth values the floats that they are computed from are compared as
/// well: many errors change no class.
///
/// NonMaxSuppression, NonZero, Unique, Compress and the indices of TopK select. A score that differs a little gives
/// other rows or another order behind them, which says little of how near a copy is. So copies are fed with what the
/// float graph selects, and their outputs have the same rows. Boxes and scores of what is not selected count too: the
/// floats in front of a selection are compared as further outputs.
///
/// No executor is fed with what a body selects. Outputs behind such a selection are compared only if a product by a
/// constant lies between: nothing else would show what the product loses.
class MeasuredOutputs {
 public:
  /// The dtypes in the graph are known.
  explicit MeasuredOutputs(const Graph& floats);

  /// Adds the further outputs to a copy that nothing has changed yet.
  void add_to(Graph& copy) const;
  /// What is compared, in a copy that has them, whatever passes have made of it.
  Fetches in_copy(const Graph& copy) const;
  /// The same in a graph that was quantized without the further outputs; nullptr for floats that it does not have.
  std::vector<const Value*> in_quantized(const Graph& quantized) const;
  /// The same in the float graph, and then what it selects.
  Fetches in_floats(const Graph& floats) const;

  /// Takes what the float graph selects from what it gave for in_floats().
  Feeds take_selected(std::vector<Tensor>& outputs) const;
  /// What a copy is fed with: the inputs, and as much of what the float graph selects as it knows.
  Feeds feeds_of_copy(const Graph& copy, const Feeds& inputs, const Feeds& selected) const;

  /// The outputs of the float graph that are compared come first.
  const std::vector<std::size_t>& places() const { return places_; }
  struct Source {
    std::string name;
    DType dtype;
  };
  /// Then come floats in front of selections, integers and truth values.
  const std::vector<Source>& sources() const { return sources_; }
  /// What each of both decides.
  const std::vector<Decision>& decisions() const { return decisions_; }

 private:
  std::vector<std::size_t> places_;
  std::vector<Source> sources_;
  std::vector<Decision> decisions_;
  std::vector<std::string> selected_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/measured_outputs.ipp>
#endif
