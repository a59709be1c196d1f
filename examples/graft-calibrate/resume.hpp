#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <graft/quantize.hpp>

#include "support/samples.hpp"

/// Throws graft::Error unless the statistics have the model's tensors.
template <graft::Statistic S>
void check_names(const graft::Statistics<S>& statistics, const std::vector<const graft::Value*>& values) {
  std::unordered_set<std::string_view> names;
  for (const graft::Value* const value : values) names.insert(value->name());
  for (const auto& [name, statistic] : statistics)
    if (names.count(name) == 0) throw graft::Error("is of another model: this model has no such tensor").field(name);
  if (statistics.samples == 0) return;
  for (const std::string_view name : names)
    if (statistics.find(name) == nullptr)
      throw graft::Error("is of another model, which lacks this tensor").field(name);
}

/// Throws graft::Error unless the statistics are of the first of these samples, and these are unchanged.
template <graft::Statistic S>
void check_samples(const graft::Statistics<S>& statistics, const Samples& samples) {
  const std::size_t done = statistics.samples + statistics.skipped;
  if (done > samples.size())
    throw graft::Error("holds more samples than the folder: " + std::to_string(done) + ", not " +
                       std::to_string(samples.size()));
  graft::SeenSamples now;
  for (std::size_t i = 0; i < done; ++i) {
    const graft::SampleIdentity identity = samples.identity(i);
    now.add(identity.index, identity.name);
  }
  if (statistics.seen == now) return;
  const std::string seen = to_string(statistics.seen), wanted = to_string(now);
  if (seen != wanted) throw graft::Error("is of " + seen + ", expected " + wanted);
  throw graft::Error("the files of " + seen + " have changed: edited, renamed, removed, or new ones in front");
}

/// Loads the statistics to resume from. They must have the settings of `begun`, and be of the same model and samples;
/// histograms may have been gathered for any observer. Throws graft::Error naming the file and the difference.
template <graft::Statistic S>
graft::Statistics<S> resumed(graft::Statistics<S> begun, const std::filesystem::path& file,
                             const std::vector<const graft::Value*>& values, const Samples& samples) {
  auto earlier = graft::load_statistics<S>(file.string());
  if (std::is_same_v<S, graft::Histogram>) earlier.settings.erase("observer");  // this run's observer replaces it
  try {
    check_names(earlier, values);
    begun.merge(earlier);
    check_samples(earlier, samples);
  } catch (graft::Error& error) {
    throw error.file(file.string());
  }
  return begun;
}
