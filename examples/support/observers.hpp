#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <graft/quantize.hpp>

/// An observer that a command line can name.
using AnyObserver =
    std::variant<graft::MinMax, graft::MovingAverage, graft::Percentile, graft::Entropy, graft::SquaredError>;

inline const std::vector<std::string> observer_names{"min-max", "moving-average", "percentile", "entropy",
                                                     "squared-error"};

/// Options that are not given have the library's defaults.
struct ObserverChoice {
  std::optional<std::string> name;
  std::optional<double> percent, weight;

  AnyObserver observer() const {
    if (name == "moving-average") return graft::MovingAverage{weight.value_or(graft::MovingAverage().weight)};
    if (name == "percentile") return graft::Percentile{percent.value_or(graft::Percentile().percent)};
    if (name == "entropy") return graft::Entropy();
    if (name == "squared-error") return graft::SquaredError();
    return graft::MinMax();
  }
};

/// The observer as it follows --observer on a command line.
inline std::string to_string(const ObserverChoice& choice) {
  const AnyObserver observer = choice.observer();
  std::string text = choice.name.value_or(observer_names.front());
  if (const auto* const percentile = std::get_if<graft::Percentile>(&observer))
    text += " --percent " + graft::shortest_decimal(percentile->percent);
  if (const auto* const average = std::get_if<graft::MovingAverage>(&observer))
    text += " --weight " + graft::shortest_decimal(average->weight);
  return text;
}
