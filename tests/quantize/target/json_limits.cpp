#include <graft/quantize/target/json_limits.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/ranges_json.hpp>
#include <graft/quantize/target/target_file.hpp>

#include "support/folder.hpp"

using namespace graft;

TEST_CASE("ranges beyond the limits are refused", "[quantize]") {
  const Folder folder;
  const std::string text = R"({"a": {"b": [{"c": 1}]}, "ranges": {}})";
  CHECK_NOTHROW(ranges_from_json(text, {.max_bytes = text.size(), .max_nested = 4}));
  CHECK_THROWS_WITH(ranges_from_json(text, {.max_nested = 3}), Catch::Contains("more than 3 brackets"));
  CHECK_THROWS_WITH(ranges_from_json(text, {.max_bytes = 10}), "is over 10 bytes");
  write_file(folder / "r.json", text);
  CHECK_THROWS_WITH(load_ranges(folder / "r.json", {.max_bytes = 10}), Catch::Contains("r.json: is over 10 bytes"));
  CHECK_THROWS_WITH(load_ranges("/dev/zero"), Catch::Contains("/dev/zero: is over"));
}

TEST_CASE("a target beyond the limits is refused", "[quantize]") {
  const Folder folder;
  write_file(folder / "t.json", R"({"name": "x", "base": "paper", "comment": [[]]})");
  CHECK_NOTHROW(load_target(folder / "t.json", {.max_nested = 3}));
  CHECK_THROWS_WITH(load_target(folder / "t.json", {.max_nested = 2}), Catch::Contains("more than 2 brackets"));
  CHECK_THROWS_WITH(load_target(folder / "t.json", {.max_bytes = 10}), Catch::Contains("t.json: is over 10 bytes"));
}
