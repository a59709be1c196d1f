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
  /// Those from `first` on in steps of `step`.
  Samples every(std::size_t step, std::size_t first = 0) const {
    return {(count_ + step - 1 - first) / step,
            [read = read_, step, first](std::size_t i) { return read(first + i * step); }};
  }
  /// The same, telling before each how many are done.
  Samples telling(std::function<void(std::size_t done, std::size_t total)> tell) const {
    return {count_, [read = read_, count = count_, tell = std::move(tell)](std::size_t i) {
              tell(i, count);
              return read(i);
            }};
  }

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
