#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <graft/quantize.hpp>

/// One of those that a command line can name.
using AnyObserver =
    std::variant<graft::MinMax, graft::MovingAverage, graft::Percentile, graft::Entropy, graft::SquaredError>;

inline const std::vector<std::string> observer_names{"min-max", "moving-average", "percentile", "entropy",
                                                     "squared-error"};

struct ObserverChoice {
  std::string name = observer_names.front();
  double percent = graft::Percentile().percent;
  double weight = graft::MovingAverage().weight;

  AnyObserver observer() const {
    if (name == "moving-average") return graft::MovingAverage{weight};
    if (name == "percentile") return graft::Percentile{percent};
    if (name == "entropy") return graft::Entropy();
    if (name == "squared-error") return graft::SquaredError();
    return graft::MinMax();
  }
};
