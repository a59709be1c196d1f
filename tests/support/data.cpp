#include "support/data.hpp"

#include <cstdlib>

#include <settings.hpp>

namespace {

std::filesystem::path setting(const char* variable, const char* configured) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : configured;
}

}  // namespace

std::optional<std::filesystem::path> test_data(std::string_view relative) {
  const std::filesystem::path root = setting("GRAFT_TEST_DATA", GRAFT_TEST_DATA);
  if (root.empty() || !std::filesystem::exists(root / relative)) return std::nullopt;
  return root / relative;
}

std::optional<std::filesystem::path> test_python() {
  const std::filesystem::path python = setting("GRAFT_PYTHON", GRAFT_PYTHON);
  if (python.empty()) return std::nullopt;
  return python;
}
