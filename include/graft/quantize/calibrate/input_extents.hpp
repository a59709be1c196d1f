#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/dims.hpp>

namespace graft::inline v1 {

/// What samples show of the shapes that a graph is run with: the extents of its inputs. Passes that run samples provide
/// it. Where costs are weighed it stands in for the extents that the graph leaves open, such as those of a batch.
class InputExtents {
 public:
  static constexpr std::string_view fact_name = "input_extents", fact_maker = "calibrate";
  static constexpr bool is_decision = true;  // passes keep the inputs of a graph

  /// What one sample feeds.
  void add(const Feeds& feeds);

  void rename(std::string_view from, std::string_view to);

  /// The mean along each axis, rounded. Nothing if the input was not fed, or with tensors of different ranks.
  std::optional<Dims> of(std::string_view input) const;

 private:
  struct Sums {
    std::vector<double> along{};
    std::size_t tensors = 0;
    bool is_of_one_rank = true;
  };
  std::map<std::string, Sums, std::less<>> by_name_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/input_extents.ipp>
#endif
