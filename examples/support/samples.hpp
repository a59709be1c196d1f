#pragma once
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/sample.hpp>

/// A range of graft::Sample that reads each on demand; one at a time is in memory.
class Samples {
 public:
  using Read = std::function<graft::Sample(std::size_t)>;
  using Name = std::function<std::string(std::size_t)>;
  /// name: identifies a sample without reading it; preprocessing: how a file becomes a sample.
  Samples(std::size_t count, Read read, Name name = {}, std::string preprocessing = {})
      : count_(count), read_(std::move(read)), name_(std::move(name)), preprocessing_(std::move(preprocessing)) {}

  std::size_t size() const { return count_; }
  const std::string& preprocessing() const { return preprocessing_; }
  /// The block `number` of `count` blocks, whose lengths differ by at most one sample.
  Samples block(std::size_t number, std::size_t count) const {
    const std::size_t first = count_ * number / count, last = count_ * (number + 1) / count;
    Samples result = *this;
    result.first_ += first;
    result.count_ = last - first;
    return result;
  }
  graft::Sample operator[](std::size_t i) const {
    graft::Sample sample = read_(first_ + i);
    sample.identity = identity(i);
    return sample;
  }
  /// The index among all samples, for a sample of any block.
  graft::SampleIdentity identity(std::size_t i) const {
    return {first_ + i, name_ ? name_(first_ + i) : std::string()};
  }

  class Iterator {
   public:
    Iterator(const Samples& samples, std::size_t i) : samples_(&samples), i_(i) {}
    graft::Sample operator*() const { return (*samples_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    const Samples* samples_;
    std::size_t i_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, count_}; }

 private:
  std::size_t first_ = 0, count_;
  Read read_;
  Name name_;
  std::string preprocessing_;
};

/// The samples without NaN; prints the number of the others on standard error. Keeps unreadable samples, whose error
/// the run reports. Throws graft::Error if all samples hold NaN.
inline Samples without_nan(const Samples& samples) {
  const auto has_nan = [](const graft::Sample& sample) {
    for (const auto& [input, tensor] : sample.feeds)
      if (graft::is_float(tensor.dtype()))
        for (const float value : tensor.to<float>())
          if (std::isnan(value)) return true;
    return false;
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    bool is_kept = true;
    try {
      is_kept = !has_nan(samples[i]);
    } catch (const graft::Error&) {
    }
    if (is_kept) places.push_back(i);
  }
  if (places.size() == samples.size()) return samples;
  if (places.empty()) throw graft::Error("all " + std::to_string(samples.size()) + " samples hold NaN");
  std::fprintf(stderr, "skipped %zu of %zu samples, which hold NaN\n", samples.size() - places.size(), samples.size());
  return {places.size(), [=](std::size_t i) { return samples[places[i]]; },
          [=](std::size_t i) { return samples.identity(places[i]).name; }, samples.preprocessing()};
}

/// Identifies a sample by the names and sizes of its files, whatever their folder.
inline std::string name_of(const std::filesystem::path& place, const std::vector<std::filesystem::path>& files) {
  std::string name = place.filename().string();
  for (const std::filesystem::path& file : files) {
    std::error_code ignored;  // reading that file fails later, with a message
    name += '\n' + file.filename().string() + ' ' + std::to_string(std::filesystem::file_size(file, ignored));
  }
  return name;
}
