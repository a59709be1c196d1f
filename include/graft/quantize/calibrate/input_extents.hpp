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

/// The extents of a graph's inputs in the samples. Passes that run samples provide it. When costs are estimated, it
/// replaces extents that the graph leaves open, such as that of the batch.
class InputExtents {
 public:
  static constexpr std::string_view fact_name = "input_extents", fact_maker = "calibrate";
  static constexpr bool is_decision = true;  // passes keep the inputs of a graph

  /// The feeds of one sample.
  void add(const Feeds& feeds);
  std::size_t samples() const { return samples_; }

  void rename(std::string_view from, std::string_view to);

  /// The mean along each axis, rounded. nullopt if the input was not fed, or was fed with tensors of different ranks.
  std::optional<Dims> of(std::string_view input) const;

 private:
  struct Sums {
    std::vector<double> along{};
    std::size_t tensors = 0;
    bool is_of_one_rank = true;
  };
  std::map<std::string, Sums, std::less<>> by_name_;
  std::size_t samples_ = 0;
};

}  // namespace graft::inline v1
