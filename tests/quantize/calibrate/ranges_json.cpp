#include <graft/quantize/calibrate/ranges_json.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics_file.hpp>

#include "support/folder.hpp"

using namespace graft;

TEST_CASE("ranges are written for people, sorted by name", "[quantize]") {
  CHECK(to_json(Ranges{{"y", {0, 6}}, {"a", {-0.1f, 2.5f}}}) ==
        "{\n  \"ranges\": {\n    \"a\": {\"min\": -0.1, \"max\": 2.5},\n    \"y\": {\"min\": 0, \"max\": 6}\n  }\n}\n");
}

TEST_CASE("every finite float32 and any name comes back as it was", "[quantize]") {
  Ranges ranges{{"quote\" back\\slash\nline\ttab \x01 \xc3\xa9", {-1, 1}}, {"", {0, 0}}, {"/a/b:0", {-0.0f, 1}}};
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const auto b = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(a) && std::isfinite(b)) ranges.set(std::to_string(i), {std::fmin(a, b), std::fmax(a, b)});
  }
  CHECK(ranges_from_json(to_json(ranges)) == ranges);
}

TEST_CASE("ranges that are not finite are not written, and empty ones are null", "[quantize]") {
  CHECK_THROWS_WITH(to_json(Ranges{{"x", {-1, 1}}, {"y", {-INFINITY, 1}}}), "y: the range is not finite");
  CHECK_THROWS_WITH(to_json(Ranges{{"x", {0, NAN}}}), "x: the range is not finite");
  const Ranges ranges{{"x", {-1, 1}}, {"y", {}}};
  CHECK(to_json(ranges).find("\"y\": null") != std::string::npos);
  CHECK(ranges_from_json(to_json(ranges)) == ranges);
}

TEST_CASE("a file of ranges that a person has edited is read", "[quantize]") {
  const Ranges ranges = ranges_from_json(R"({"comment": 1, "ranges": {"x": {"max": 6e0, "min": -1, "note": "mine"}}})");
  CHECK(ranges == Ranges{{"x", {-1, 6}}});
}

TEST_CASE("what is wrong with ranges is named", "[quantize]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(ranges_from_json("{"), Contains("is not a JSON object: "));
  CHECK_THROWS_WITH(ranges_from_json("[1]"), Contains("is not a JSON object"));
  CHECK_THROWS_WITH(ranges_from_json("{}"), "ranges: is missing");
  CHECK_THROWS_WITH(ranges_from_json(R"({"ranges": 1})"), "ranges: is not an object");
  CHECK_THROWS_WITH(ranges_from_json(R"({"ranges": {"x": [0, 1]}})"), "ranges.x: is not an object with min and max");
  CHECK_THROWS_WITH(ranges_from_json(R"({"ranges": {"x": {"min": 0}}})"), "ranges.x.max: is missing");
  CHECK_THROWS_WITH(ranges_from_json(R"({"ranges": {"x": {"min": "0", "max": 1}}})"), "ranges.x.min: is not a number");
  CHECK_THROWS_WITH(ranges_from_json(R"({"ranges": {"x": {"min": 0, "max": 1e39}}})"),
                    "ranges.x.max: is not a finite float32");
  CHECK_THROWS_WITH(ranges_from_json(R"({"ranges": {"x": {"min": 2, "max": 1}}})"),
                    "ranges.x: its min is above its max");
}

TEST_CASE("faults of JSON are reported on one line, with the text near them", "[quantize]") {
  CHECK_THROWS_WITH(ranges_from_json("{\n  \"ranges\":\n  {,}\n}\n"),
                    "is not a JSON object: Expected an object key or }. {   \"ranges\":   {,} }");
  CHECK_THROWS_WITH(ranges_from_json("{\"a\xc3\xa9\x7f\x1b\" 1}"),
                    "is not a JSON object: Expected : between key:value pair. {\"a??? \" 1}");
}

TEST_CASE("a file of anything else is not quoted", "[quantize]") {
  const Folder folder;
  for (const std::string& text : {std::string(), std::string("[1]"), std::string("\x08\x07\x12\0\xff{", 6)}) {
    write_file(folder / "r", text);
    CHECK_THROWS_WITH(load_ranges(folder / "r"),
                      (folder / "r").string() + ": is not a JSON object: it does not begin with '{'");
  }
}

TEST_CASE("statistics are not taken for ranges", "[quantize]") {
  const Folder folder;
  save_statistics(Statistics<Extremes>(), folder / "s");
  CHECK_THROWS_WITH(load_ranges(folder / "s"),
                    (folder / "s").string() + ": holds statistics, not ranges: 'graft-calibrate ranges' makes ranges "
                                              "of them, as ranges_of() does");
}

TEST_CASE("a file of ranges is whole or not there", "[quantize]") {
  const Folder folder;
  const Ranges ranges{{"x", {-1, 1}}};
  save_ranges(ranges, folder / "r.json");
  CHECK(load_ranges(folder / "r.json") == ranges);
  CHECK_THROWS_WITH(save_ranges(ranges, folder / "absent" / "r.json"), Catch::Contains("r.json: cannot be written"));
  std::filesystem::create_directory(folder / "taken");
  CHECK_THROWS_WITH(save_ranges(ranges, folder / "taken"), Catch::Contains("taken: cannot be written"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  CHECK(files == 2);
}

TEST_CASE("an error in a file of ranges names the file", "[quantize]") {
  const Folder folder;
  write_file(folder / "r.json", R"({"ranges": {"x": {"min": 0}}})");
  CHECK_THROWS_WITH(load_ranges(folder / "r.json"), (folder / "r.json").string() + ": ranges.x.max: is missing");
  CHECK_THROWS_WITH(load_ranges(folder / "none.json"), (folder / "none.json").string() + ": cannot be read");
  CHECK_THROWS_WITH(load_ranges(folder.path()), folder.path().string() + ": cannot be read");
}

TEST_CASE("brackets that are nested without end are refused at once", "[quantize]") {
  const std::string begin = "{\"a\": ";
  CHECK_THROWS_WITH(ranges_from_json(begin + std::string(20000, '[') + std::string(20000, ']') + "}"),
                    Catch::Contains("more than 32 brackets are nested"));
  CHECK_THROWS_WITH(ranges_from_json(begin + std::string(200, '[')), Catch::Contains("brackets are nested"));
  // Not those of names.
  const std::string name = "\"" + std::string(40, '[') + "\\\"" + std::string(40, '{') + "\"";
  CHECK_NOTHROW(ranges_from_json("{\"ranges\": {" + name + ": {\"min\": -1, \"max\": 1}}}"));
}
