#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "evaluate/node_tests.hpp"
#include "support/skip.hpp"

namespace {

constexpr const char* debian = "/usr/share/libonnx-testdata/data/node";

/// Of the 932 cases that Debian's libonnx-testdata 1.12 has.
constexpr std::size_t promised = 873;

/// Debian's cases, or a folder of the same layout, such as that of the onnx Python package.
std::filesystem::path cases_folder() {
  const char* folder = std::getenv("GRAFT_ONNX_NODE_TESTS");
  return folder != nullptr ? folder : debian;
}

}  // namespace

TEST_CASE("every implemented operator passes the standard's node tests", "[conformance]") {
  if (!std::filesystem::exists(cases_folder())) SKIP_TEST("ONNX's node tests are not installed");
  std::map<NodeOutcome, std::size_t> counts;
  std::set<std::string> missing;
  for (const NodeTest& test : run_node_tests(cases_folder())) {
    ++counts[test.outcome];
    INFO(test.name << ": " << test.why);
    CHECK(test.outcome != NodeOutcome::failed);
    if (test.outcome == NodeOutcome::not_implemented) missing.insert(test.why);
  }
  std::string list;
  for (const std::string& why : missing) list += "\n  " + why;
  WARN(counts[NodeOutcome::passed] << " passed, " << counts[NodeOutcome::failed] << " failed, "
                               << counts[NodeOutcome::not_implemented] << " not implemented, "
                               << counts[NodeOutcome::exempt] << " exempt" << list);
  CHECK(counts[NodeOutcome::passed] > 0);
  if (cases_folder() == debian) CHECK(counts[NodeOutcome::passed] >= promised);
}
