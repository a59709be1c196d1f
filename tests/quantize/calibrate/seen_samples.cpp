#include <graft/quantize/calibrate/seen_samples.hpp>

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <graft/graph/error.hpp>

using namespace graft;

namespace {

/// Samples [first, last), each called by a letter: a, b, c, ...
SeenSamples seen(std::uint64_t first, std::uint64_t last) {
  SeenSamples result;
  for (std::uint64_t i = first; i < last; ++i) result.add(i, std::string(1, static_cast<char>('a' + i)));
  return result;
}

std::string to_bytes(const SeenSamples& seen) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  detail::StatisticOutput out(&stream);
  seen.write(out);
  return bytes;
}
SeenSamples from_bytes(const std::string& bytes) {
  detail::StatisticInput in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  return SeenSamples::read(in);
}

}  // namespace

TEST_CASE("seen samples are the same however they were shared out", "[quantize]") {
  for (std::uint64_t cut = 0; cut <= 7; ++cut) {
    SeenSamples parts = seen(0, cut);
    parts.merge(seen(cut, 7));
    CHECK(parts == seen(0, 7));
    CHECK(parts.runs().size() == 1);
  }
}

TEST_CASE("seen samples tell what is missing", "[quantize]") {
  SeenSamples some = seen(0, 5);
  CHECK(to_string(SeenSamples()) == "no known samples");
  CHECK(to_string(some) == "samples 0 to 4");
  some.merge(seen(7, 8));
  some.merge(seen(9, 12));
  CHECK(to_string(some) == "samples 0 to 4, 7, 9 to 11");
  some.merge(seen(12, 14));
  CHECK(some.runs().size() == 3);
  CHECK(some.runs().back().last == 14);
  CHECK(to_string(seen(3, 4)) == "sample 3");
}

TEST_CASE("of many seen samples the first are listed, and the others counted", "[quantize]") {
  SeenSamples some;
  for (std::uint64_t i = 0; i < 5; ++i) some.merge(seen(3 * i, 3 * i + 2));
  CHECK(to_string(some) == "samples 0 to 1, 3 to 4, 6 to 7, 9 to 10, 12 to 13");
  for (std::uint64_t i = 10; i < 20000; ++i) some.add(2 * i, "x");
  CHECK(to_string(some) == "samples 0 to 1, 3 to 4, 6 to 7, 9 to 10, 12 to 13 and 19990 more");
}

TEST_CASE("a sample has another behind it", "[quantize]") {
  SeenSamples some;
  some.add(UINT64_MAX - 1, "last");
  CHECK_THROWS_WITH(some.add(UINT64_MAX, "beyond"), "no sample can have the index 18446744073709551615");
}

TEST_CASE("a sample counts once, and in order", "[quantize]") {
  SeenSamples some = seen(2, 5);
  const SeenSamples before = some;
  CHECK_THROWS_WITH(some.merge(some), "samples 2 to 4 cannot follow samples 2 to 4: each counts once, in order");
  CHECK_THROWS_WITH(some.add(4, "e"), "sample 4 cannot follow samples 2 to 4: each counts once, in order");
  SeenSamples apart = seen(0, 1);
  apart.merge(seen(8, 9));
  CHECK_THROWS_AS(some.merge(apart), Error);
  CHECK(some == before);
}

TEST_CASE("seen samples differ where one is called otherwise or stands elsewhere", "[quantize]") {
  const auto of = [](std::initializer_list<const char*> names, std::uint64_t first = 0) {
    SeenSamples result;
    for (const char* const name : names) result.add(first++, name);
    return result.runs().at(0).checksum;
  };
  CHECK(of({"a", "b", "c"}) == of({"a", "b", "c"}));
  CHECK(of({"a", "b", "c"}) != of({"a", "b", "d"}));
  CHECK(of({"a", "b", "c"}) != of({"a", "b", "c"}, 1));
  // Names in another order, of which the plain sums of most hashes are the same where names are that alike.
  for (char x = 'a'; x < 'z'; ++x) {
    const std::string one(1, x), other(1, static_cast<char>(x + 1));
    CHECK(of({one.c_str(), other.c_str()}) != of({other.c_str(), one.c_str()}));
  }
}

TEST_CASE("seen samples come back from bytes, and bytes that hold none are refused", "[quantize]") {
  SeenSamples some = seen(0, 5);
  some.merge(seen(7, 8));
  const std::string bytes = to_bytes(some);
  CHECK(from_bytes(bytes) == some);
  CHECK(from_bytes(to_bytes({})) == SeenSamples());
  for (std::size_t i = 0; i < bytes.size(); ++i) CHECK_THROWS_WITH(from_bytes(bytes.substr(0, i)), "ends too early");
  const std::string checksum(8, '\0');
  CHECK_THROWS_WITH(from_bytes("\1\3\3" + checksum), "holds a run of no samples");
  CHECK_THROWS_WITH(from_bytes("\2\1\3" + checksum + "\2\4" + checksum), Catch::Contains("cannot follow"));
}
