#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>

namespace graft::inline v1::detail {

/// The outputs by which copies of a float graph are compared with it: all but strings, which no executor computes and
/// quantization leaves alone, and but for those that depend on a selection. Of integers and truth values the floats
/// that they are computed from are compared as well: many errors change no class.
///
/// NonMaxSuppression, NonZero, Unique, Compress and the indices of TopK select. A score that differs a little gives
/// other rows or another order behind them, which says little of how near a copy is. Copies get the floats in front of
/// the selection as further outputs, and these are compared: boxes and scores of a detector. An output of a product by
/// a constant behind the selection is compared as it is: nothing else would show what the product loses.
class MeasuredOutputs {
 public:
  /// The dtypes in the graph are known.
  explicit MeasuredOutputs(const Graph& floats);

  /// Adds the further outputs to a copy that nothing has changed yet.
  void add_to(Graph& copy) const;
  /// What is compared, in a copy that has them, whatever passes have made of it.
  Fetches in_copy(const Graph& copy) const;
  /// The same in the float graph.
  Fetches in_floats(const Graph& floats) const;

  /// The outputs of the float graph that are compared come first.
  const std::vector<std::size_t>& places() const { return places_; }
  struct Source {
    std::string name;
    DType dtype;
  };
  /// Then come floats in front of selections, integers and truth values.
  const std::vector<Source>& sources() const { return sources_; }

 private:
  std::vector<std::size_t> places_;
  std::vector<Source> sources_;
};

/// All outputs of a graph, but for strings.
Fetches outputs_but_strings(const Graph& graph);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/measured_outputs.ipp>
#endif
