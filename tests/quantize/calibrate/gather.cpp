#include <graft/quantize/calibrate/gather.hpp>

#include <atomic>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// Sample i is of the value i; number 3 cannot be read.
struct Numbers {
  std::size_t count;
  std::size_t size() const { return count; }
  Sample operator[](std::size_t i) const {
    if (i == 3) throw Error("is torn").file("3");
    Sample sample({{"x", Tensor::of<float>({1}, {static_cast<float>(i)})}});
    sample.identity = identity(i);
    return sample;
  }
  SampleIdentity identity(std::size_t i) const { return {i, std::to_string(i)}; }
  struct Iterator {
    const Numbers* all;
    std::size_t i;
    Sample operator*() const { return (*all)[i]; }
    Iterator& operator++() { return ++i, *this; }
    bool operator==(const Iterator& other) const { return i == other.i; }
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, count}; }
};

Model twice() { return graph("x: f32[1]; y = Add(x, x)"); }

}  // namespace

TEST_CASE("threads change no bit of what is gathered, and skipped samples are counted", "[quantize]") {
  Model model = twice();
  const SampleSource source = SampleSource(Numbers{27}).skipping_unreadable();
  const auto gathered = [&](std::size_t threads) {
    Statistics<Histogram> statistics;
    GatherOptions how;
    how.threads = threads;
    const auto unreadable = gather(statistics, model.graph(), observable(model.graph()), source, how);
    CHECK(unreadable == std::vector<std::string>{"3: is torn"});
    return statistics;
  };
  const Statistics<Histogram> one = gathered(1);
  CHECK(one.samples == 26);
  CHECK(one.skipped == 1);
  CHECK(one.seen.count() == 27);
  CHECK(gathered(2) == one);
  CHECK(gathered(5) == one);
}

TEST_CASE("a sample that cannot be read ends a run that does not skip it", "[quantize]") {
  Model model = twice();
  Statistics<Extremes> statistics;
  CHECK_THROWS_WITH(gather(statistics, model.graph(), observable(model.graph()), Numbers{5}), "3: is torn");
}

TEST_CASE("a run resumes where its statistics end", "[quantize]") {
  Model model = twice();
  const auto values = observable(model.graph());
  Statistics<Extremes> whole, parts;
  const SampleSource source = SampleSource(Numbers{20}).skipping_unreadable();
  gather(whole, model.graph(), values, source);
  GatherOptions how;
  std::size_t blocks = 0;
  how.go_on = [&](std::size_t done) { return done < 6; };
  how.after_block = [&] { ++blocks; };
  gather(parts, model.graph(), values, source, how);
  CHECK(parts.samples + parts.skipped == 4);  // whole blocks alone
  CHECK(blocks == 1);
  gather(parts, model.graph(), values, source);
  CHECK(parts == whole);
}

TEST_CASE("there are no more executors than threads have samples for", "[quantize]") {
  Model model = twice();
  for (const std::size_t samples : {3u, 9u}) {
    Statistics<Extremes> statistics;
    std::atomic<int> made{0};
    GatherOptions how;
    how.threads = 100000;
    how.make_executor = [&](const Graph& graph) {
      ++made;
      return Evaluator(graph);
    };
    gather(statistics, model.graph(), observable(model.graph()), SampleSource(Numbers{samples}).skipping_unreadable(),
           how);
    CHECK(statistics.samples + statistics.skipped == samples);
    CHECK(made == (samples == 3 ? 1 : 3));
  }
}

TEST_CASE("samples without an index are read one after the other, and run side by side", "[quantize]") {
  Model model = twice();
  std::vector<Feeds> all;
  for (int i = 0; i < 11; ++i) all.push_back({{"x", Tensor::of<float>({1}, {static_cast<float>(i)})}});
  const SampleSource stream(SampleStream([all, i = std::size_t{0}]() mutable {
    return i == all.size() ? std::nullopt : std::optional<Sample>(all[i++]);
  }));
  CHECK_FALSE(stream.is_indexed());
  Statistics<Extremes> statistics;
  GatherOptions how;
  how.threads = 2;
  gather(statistics, model.graph(), observable(model.graph()), stream, how);
  CHECK(statistics.samples == 11);
  CHECK(statistics.find("y")->range() == Range{0, 20});
}
