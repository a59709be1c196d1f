#include <graft/quantize/calibrate/sample_source.hpp>

#include <algorithm>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>

using namespace graft;

namespace {

Feeds feeds(float value) { return {{"x", Tensor::of<float>({1}, {value})}}; }

float value_of(const Sample& sample) { return sample.feeds.at(0).second.data<float>()[0]; }

/// The values of the first samples, at most that many.
std::vector<float> values(const SampleSource& source, std::size_t most = 100) {
  std::vector<float> seen;
  source.for_each([&](const Sample& sample) {
    seen.push_back(value_of(sample));
    return seen.size() < most;
  });
  return seen;
}

SampleStream stream(int count) {
  return SampleStream([at = 0, count]() mutable {
    return at == count ? std::nullopt : std::optional<Sample>(feeds(static_cast<float>(++at)));
  });
}

/// As generators: it cannot be copied, begins on what is not const, and makes each sample when it is asked for.
struct Generator {
  struct Iterator {
    using difference_type = std::ptrdiff_t;
    using value_type = Feeds;
    Feeds operator*() const { return feeds(static_cast<float>(*left)); }
    Iterator& operator++() {
      --*left;
      return *this;
    }
    void operator++(int) { --*left; }
    bool operator==(std::default_sentinel_t) const { return *left == 0; }
    int* left;
  };
  Iterator begin() { return {left.get()}; }
  std::default_sentinel_t end() const { return {}; }
  std::unique_ptr<int> left = std::make_unique<int>(2);
};

/// A range of your own, whose iterators have no traits.
struct Counting {
  struct Iterator {
    Sample operator*() const { return feeds(static_cast<float>(at)); }
    void operator++() { ++at; }
    bool operator==(const Iterator&) const = default;
    int at;
  };
  Iterator begin() const { return {1}; }
  Iterator end() const { return {4}; }
};

}  // namespace

static_assert(SampleRange<std::vector<Feeds>> && SampleRange<const std::vector<Sample>> && SampleRange<SampleStream> &&
              SampleRange<Counting>);
static_assert(SampleRange<Generator> && !SampleRange<const Generator>);
static_assert(!SampleRange<Feeds> && !SampleRange<int> && !SampleRange<std::vector<int>> && !SampleRange<SampleSource>);
static_assert(std::is_convertible_v<const std::vector<Feeds>&, SampleSource>);
static_assert(!std::is_convertible_v<Feeds, SampleSource> && !std::is_convertible_v<std::vector<int>, SampleSource>);

TEST_CASE("samples are gone through from the first on, as often as wanted and as far", "[quantize]") {
  const SampleSource source = std::vector<Feeds>{feeds(1), feeds(2), feeds(3)};
  CHECK(values(source) == std::vector<float>{1, 2, 3});
  CHECK(values(source, 2) == std::vector<float>{1, 2});
  CHECK(values(source) == std::vector<float>{1, 2, 3});
  CHECK(values(Counting()) == std::vector<float>{1, 2, 3});
  CHECK(values(std::vector<Sample>()).empty());
}

TEST_CASE("the size is known where the range knows it", "[quantize]") {
  CHECK(SampleSource(std::vector<Feeds>(2)).size() == 2u);
  CHECK(SampleSource(std::list<Sample>{feeds(1)}).size() == 1u);
  CHECK_FALSE(SampleSource(std::forward_list<Feeds>(2)).size());
  CHECK_FALSE(SampleSource(stream(3)).size());
}

TEST_CASE("what can be gone through only once is an error the second time, however far the first one went",
          "[quantize]") {
  for (const std::size_t most : {std::size_t{1}, std::size_t{100}}) {
    const SampleSource source = stream(3);
    CHECK_FALSE(source.begins_anew());
    const SampleSource copy = source;
    CHECK(values(source, most).size() == std::min<std::size_t>(most, 3));
    CHECK_THROWS_WITH(values(source), "the samples can be gone through only once: hold them in a vector");
    CHECK_THROWS_AS(values(copy), Error);
  }
  const SampleSource generator = Generator();
  CHECK_FALSE(generator.begins_anew());
  CHECK(values(generator) == std::vector<float>{2, 1});
  CHECK_THROWS_AS(values(generator), Error);
  CHECK(SampleSource(Counting()).begins_anew());
  CHECK(SampleSource(std::forward_list<Feeds>()).begins_anew());
}

TEST_CASE("a stream is asked for no sample more than are wanted", "[quantize]") {
  int asked = 0;
  const SampleStream endless([&]() { return ++asked, std::optional<Sample>(feeds(1)); });
  CHECK(values(endless, 2).size() == 2);
  CHECK(asked == 2);
}

TEST_CASE("a range is copied, moved, or referred to", "[quantize]") {
  std::vector<Sample> samples{feeds(1)};
  const SampleSource copied = samples, referring = std::ref(samples);
  samples.push_back(feeds(2));
  CHECK(values(copied) == std::vector<float>{1});
  CHECK(values(referring) == std::vector<float>{1, 2});
  referring.for_each([&, i = std::size_t{0}](const Sample& sample) mutable {
    CHECK(&sample == &samples[i]);
    return ++i < 2;
  });
  const Sample* const place = samples.data();
  SampleSource(std::move(samples)).for_each([&](const Sample& sample) {
    CHECK(&sample == place);
    return false;
  });
}

TEST_CASE("what reading a sample throws passes through", "[quantize]") {
  const SampleStream damaged([]() -> std::optional<Sample> { throw Error("cannot be read").file("a.pb"); });
  CHECK_THROWS_WITH(values(damaged), "a.pb: cannot be read");
  CHECK_THROWS_AS(SampleSource(std::vector<Feeds>(1)).for_each([](const Sample&) -> bool { throw 7; }), int);
}

TEST_CASE("a vector is indexed, and has parts", "[quantize]") {
  const SampleSource source(std::vector<Feeds>{feeds(1), feeds(2), feeds(3), feeds(4)});
  CHECK(source.is_indexed());
  CHECK(value_of(*source.at(2).sample) == 3);
  const SampleSource part = source.part({1, 3});
  CHECK(part.size() == 2);
  CHECK(values(part) == std::vector<float>{2, 4});
  CHECK(value_of(*part.at(1).sample) == 4);
  CHECK(values(part.part({0})) == std::vector<float>{2});
  CHECK_FALSE(SampleSource(stream(3)).is_indexed());
}

namespace {

/// The second cannot be read.
struct Torn {
  std::size_t size() const { return 3; }
  Sample operator[](std::size_t i) const {
    if (i == 1) throw Error("is torn");
    return feeds(static_cast<float>(i));
  }
  std::vector<Feeds>::const_iterator begin() const { throw Error("is not gone through"); }
  std::vector<Feeds>::const_iterator end() const { return {}; }
};

}  // namespace

TEST_CASE("samples that cannot be read are skipped where that is asked for", "[quantize]") {
  const SampleSource all{Torn()}, readable = all.skipping_unreadable();
  CHECK_THROWS_WITH(all.at(1), "is torn");
  CHECK(readable.at(1).why == "is torn");
  CHECK(values(readable) == std::vector<float>{0, 2});
  CHECK(values(readable.part({0, 1})) == std::vector<float>{0});
}
