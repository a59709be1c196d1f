#pragma once
#include <cstddef>
#include <optional>
#include <utility>

#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/sample.hpp>

#include "support/samples.hpp"

/// The samples, but for those that cannot be read if the run is to keep going: a range that is gone through anew each
/// time, one sample in memory.
class ReadableSamples {
 public:
  ReadableSamples(Samples samples, bool keep_going) : samples_(std::move(samples)), keep_going_(keep_going) {}

  class Iterator {
   public:
    Iterator(const ReadableSamples& all) : all_(&all) { ++*this; }
    const graft::Sample& operator*() const { return *sample_; }
    Iterator& operator++() {
      for (sample_.reset(); !sample_ && next_ < all_->samples_.size(); ++next_) sample_ = all_->read(next_);
      return *this;
    }
    bool operator==(std::nullptr_t) const { return !sample_; }

   private:
    const ReadableSamples* all_;
    std::size_t next_ = 0;
    std::optional<graft::Sample> sample_;
  };
  Iterator begin() const { return {*this}; }
  std::nullptr_t end() const { return nullptr; }

 private:
  std::optional<graft::Sample> read(std::size_t i) const {
    try {
      return samples_[i];
    } catch (const graft::Error&) {
      if (!keep_going_) throw;
      return std::nullopt;
    }
  }

  Samples samples_;
  bool keep_going_;
};
