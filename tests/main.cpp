#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "support/skip.hpp"

namespace {

constexpr int skipped = 77;

bool has_tag(const Catch::TestCase& test, const char* tag) {
  return std::find(test.lcaseTags.begin(), test.lcaseTags.end(), tag) != test.lcaseTags.end();
}

/// The labels that ctest selects a test by, as a list of CMake: the first of these tags that it has, and `data`.
std::string labels(const Catch::TestCase& test) {
  std::string result = "fast";
  for (const char* tag : {"slow", "conformance", "runtime"})
    if (has_tag(test, tag)) result = tag;
  return has_tag(test, "data") ? result + ";data" : result;
}

/// A test's name as Catch2's command line reads it back.
std::string escaped(std::string_view name) {
  std::string spec;
  for (const char c : name) {
    if (std::string_view("\\,[]\"~").find(c) != std::string_view::npos) spec += '\\';
    spec += c;
  }
  return spec;
}

/// Writes a CMake file that makes each test case of this program a test of ctest.
int write_ctest_file(std::string_view program, std::string_view folder, const char* path) {
  std::ofstream file(path);
  for (const Catch::TestCase& test : Catch::getAllTestCasesSorted(Catch::Config())) {
    if (test.isHidden()) continue;
    const std::string name = "[====[" + std::string(folder) + ": " + test.name + "]====]";
    file << "add_test(" << name << " [====[" << program << "]====] [====[" << escaped(test.name)
         << "]====] --warn NoTests)\n"
         << "set_tests_properties(" << name << " PROPERTIES LABELS \"" << labels(test) << "\" SKIP_RETURN_CODE "
         << skipped << ")\n";
  }
  return file.flush() ? 0 : 1;
}

int cases_run = 0;

struct CaseCounter : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo&) override { ++cases_run; }
};
CATCH_REGISTER_LISTENER(CaseCounter)

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--ctest") return write_ctest_file(argv[0], argv[2], argv[3]);
  const int failures = Catch::Session().run(argc, argv);
  return failures == 0 && cases_run > 0 && skip_count() == cases_run ? skipped : failures;
}
