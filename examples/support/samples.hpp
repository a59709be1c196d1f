#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include <graft/quantize/sample.hpp>

/// Samples that are read as they are asked for: a range of graft::Sample of which one at a time is in memory.
class Samples {
 public:
  using Read = std::function<graft::Sample(std::size_t)>;
  Samples(std::size_t count, Read read) : count_(count), read_(std::move(read)) {}

  std::size_t size() const { return count_; }
  /// The block `number` of `count` that are as long as one another, but for one sample.
  Samples block(std::size_t number, std::size_t count) const {
    const std::size_t first = count_ * number / count, last = count_ * (number + 1) / count;
    return {last - first, [read = read_, first](std::size_t i) { return read(first + i); }};
  }
  graft::Sample operator[](std::size_t i) const { return read_(i); }

  class Iterator {
   public:
    Iterator(const Samples& samples, std::size_t i) : samples_(&samples), i_(i) {}
    graft::Sample operator*() const { return samples_->read_(i_); }
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
  std::size_t count_;
  Read read_;
};
