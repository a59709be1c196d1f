#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

/// Identifies a sample of a sequence: its position, and a name that is the same whenever it is read.
struct SampleIdentity {
  std::uint64_t index = 0;
  std::string name;
};

/// What a graph is run on once, and where it is from.
struct Sample {
  /// files: that of each feed, where they are apart.
  Sample(Feeds what, std::string from = {}, std::vector<std::string> files_of_feeds = {})
      : feeds(std::move(what)), source(std::move(from)), files(std::move(files_of_feeds)) {}

  /// The file of the feed of that name; else where the whole sample is from, which may be unknown.
  const std::string& source_of(std::string_view name) const;

  Feeds feeds;
  std::string source;
  std::vector<std::string> files;
  std::optional<SampleIdentity> identity;  // where statistics are to know which samples they are of
};

/// An error that a run on the sample led to, with the file that the sample is from, or what it is called where that is
/// unknown; where a node failed, in its message.
Error on_sample(const Error& error, const Sample& sample, std::string_view called);

/// The samples that a function gives, one after the other, until it gives none: a range to go through once.
class SampleStream {
 public:
  using Next = std::function<std::optional<Sample>()>;
  explicit SampleStream(Next next) : next_(std::move(next)) {}

  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Sample;
    using iterator_concept = std::input_iterator_tag;

    explicit Iterator(const Next& next) : next_(&next), sample_(next()) {}
    const Sample& operator*() const { return *sample_; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(std::nullptr_t) const { return !sample_; }

   private:
    const Next* next_;
    std::optional<Sample> sample_;
  };
  Iterator begin() const { return Iterator(next_); }
  std::nullptr_t end() const { return nullptr; }

 private:
  Next next_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/sample.ipp>
#endif
