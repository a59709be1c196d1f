#include <graft/quantize/calibrate/statistics_file.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>

#include "quantize/statistics/parts.hpp"
#include "support/folder.hpp"

using namespace graft;

namespace {

Statistics<Histogram> some() {
  Statistics<Histogram> statistics;
  statistics.samples = 12;
  statistics.skipped = 3;
  statistics.seen = SeenSamples({0, 14, 0x123456789abcdef});
  statistics.seen.add(300, "after a gap");
  statistics.settings = {{"observer", "entropy"}, {"preprocessing", "224x224"}};
  for (const Tensor& sample : random_samples(1)) add(statistics.of("a"), sample);
  add(statistics.of("b \n ü"), tensor_of({1, 2}));
  statistics.of("unseen");
  return statistics;
}

/// With a checksum that is right.
std::string sealed(std::string bytes) {
  const std::uint64_t checksum = detail::checksum(bytes);
  google::protobuf::io::StringOutputStream stream(&bytes);
  detail::StatisticOutput(&stream).WriteLittleEndian64(checksum);
  return bytes;
}

}  // namespace

TEST_CASE("statistics come back from bytes as they were, and the same give the same bytes", "[quantize]") {
  const Statistics<Histogram> statistics = some();
  const std::string bytes = to_bytes(statistics);
  CHECK(statistics_kind(bytes) == "histogram");
  CHECK(statistics_from_bytes<Histogram>(bytes) == statistics);
  CHECK(to_bytes(statistics_from_bytes<Histogram>(bytes)) == bytes);
}

TEST_CASE("bytes that were changed or cut anywhere are refused", "[quantize]") {
  const std::string bytes = to_bytes(some());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    CHECK_THROWS_AS(statistics_from_bytes<Histogram>(changed), Error);
    CHECK_THROWS_AS(statistics_from_bytes<Histogram>(std::string_view(bytes).substr(0, i)), Error);
  }
  CHECK_THROWS_AS(statistics_from_bytes<Histogram>(bytes + "x"), Error);
}

TEST_CASE("bytes that contradict themselves are refused, whatever their checksum", "[quantize]") {
  const auto refused = [](const std::string& body, const std::string& why) {
    CHECK_THROWS_WITH(statistics_from_bytes<Extremes>(sealed("graft statistics 2 extremes\n" + body)), why);
  };
  const std::string empty(std::string("\0\0\x80\x7f\0\0\x80\xff", 8)), none(1, '\0');  // the extremes of nothing
  const std::string counts = empty + none + none + none;
  CHECK(to_bytes(Statistics<Extremes>()) == sealed("graft statistics 2 extremes\n" + counts + none + none));
  refused(counts + none + none + "x", "has data after its end");
  refused(counts + "\2\1a\1x\1a\1y" + none, "a: is set twice");
  refused(counts + none + "\2\1a" + empty + "\1a" + empty, "a: occurs twice");
  refused(counts +
              "\1\x81\x80\x80\x80\x10"
              "a" +
              none + none,
          "ends too early");  // a name of 2^32 + 1 bytes
  const std::string most = std::string(9, '\xff') + "\1";
  refused(empty + most + "\1" + none + none + none, "its sample count overflows");
  const std::string seen = "\1" + none + "\2" + std::string(8, '\0');
  refused(empty + "\1" + none + seen + none + none, "lists samples beyond its count");
  CHECK(statistics_from_bytes<Extremes>(sealed("graft statistics 2 extremes\n" + empty + "\1\1" + seen + none + none))
            .samples == 1);
}

TEST_CASE("a checksum that begins in front of the statistics is none", "[quantize]") {
  // A line without its end, whose checksum begins with one.
  std::string line;
  for (int i = 0; line.empty() || (detail::checksum(line) & 0xff) != '\n'; ++i)
    line = "graft statistics 2 extremes" + std::to_string(i);
  CHECK_THROWS_WITH(statistics_kind(sealed(line)), "is damaged: its checksum is another");
}

TEST_CASE("statistics of more bytes than protobuf reads are refused unread", "[quantize]") {
  const std::size_t size = std::size_t{std::numeric_limits<int>::max()} + 1;
  const std::unique_ptr<char, decltype(&std::free)> bytes(static_cast<char*>(std::calloc(size, 1)), &std::free);
  REQUIRE(bytes);  // takes no room
  std::string("graft statistics 2 extremes\n").copy(bytes.get(), size);
  CHECK_THROWS_WITH(statistics_kind({bytes.get(), size}), "is over 2 GiB");
}

TEST_CASE("what is not statistics, of another version, damaged or of another kind is distinguished", "[quantize]") {
  std::string bytes = to_bytes(some());
  CHECK_THROWS_WITH(statistics_kind("{}"), "holds no statistics");
  CHECK_THROWS_WITH(statistics_kind("graft statistics 1 histogram\n"), "holds statistics of another version of graft");
  CHECK_THROWS_WITH(statistics_from_bytes<Extremes>(bytes), "holds histogram, expected extremes");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  CHECK_THROWS_WITH(statistics_kind(bytes), "is damaged: its checksum is another");
}

TEST_CASE("statistics are saved whole or not at all, and errors name the file", "[quantize]") {
  const Folder folder;
  const Statistics<Histogram> statistics = some();
  save_statistics(statistics, folder / "s");
  CHECK(load_statistics<Histogram>(folder / "s") == statistics);
  CHECK(std::get<Statistics<Histogram>>(load_any_statistics<Extremes, Histogram>(folder / "s")) == statistics);
  CHECK_THROWS_WITH((load_any_statistics<Extremes, ChannelMeans>(folder / "s")),
                    Catch::EndsWith("s: holds histogram, which is not one of the accepted kinds"));
  CHECK_THROWS_WITH(load_statistics<Extremes>(folder / "s"), Catch::EndsWith("s: holds histogram, expected extremes"));
  CHECK_THROWS_WITH(load_statistics<Extremes>(folder / "none"), Catch::EndsWith("none: cannot be read"));
  CHECK_THROWS_WITH(load_any_statistics<Extremes>(folder / "none"), Catch::EndsWith("none: cannot be read"));
  CHECK_THROWS_WITH(save_statistics(statistics, folder / "none/s"), Catch::Contains("none/s: cannot be written"));
  CHECK_THROWS_AS(save_statistics(statistics, folder / ""), Error);
  CHECK(std::distance(std::filesystem::directory_iterator(folder / ""), {}) == 1);
}

TEST_CASE("statistics of more bytes than asked for are not read", "[quantize]") {
  const Folder folder;
  save_statistics(some(), folder / "s");
  const std::size_t size = std::filesystem::file_size(folder / "s");
  CHECK(load_statistics<Histogram>(folder / "s", size) == some());
  CHECK_THROWS_WITH(load_statistics<Histogram>(folder / "s", size - 1), Catch::Contains("s: is over"));
  CHECK_THROWS_WITH((load_any_statistics<Extremes, Histogram>(folder / "s", size - 1)), Catch::Contains("s: is over"));
}
