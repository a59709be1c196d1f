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

/// Identifies a sample of a sequence: its position, and a name that stays the same over all readings.
struct SampleIdentity {
  std::uint64_t index = 0;
  std::string name;
};

/// The feeds of one run of a graph, and their origin.
struct Sample {
  /// files: the file of each feed, if the feeds come from different files.
  Sample(Feeds what, std::string from = {}, std::vector<std::string> files_of_feeds = {})
      : feeds(std::move(what)), source(std::move(from)), files(std::move(files_of_feeds)) {}

  /// The file of the feed of that name; else the file of the whole sample, which may be unknown.
  const std::string& source_of(std::string_view name) const;

  Feeds feeds;
  std::string source;
  std::vector<std::string> files;
  std::optional<SampleIdentity> identity;  // set if statistics record which samples they have seen
};

/// Adds to the error of a run the file of the sample, or `called` if the file is unknown. If a node failed, the message
/// names it.
Error on_sample(const Error& error, const Sample& sample, std::string_view called);

/// The samples that a function returns, one after the other, until it returns nullopt. The range can be traversed once.
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
