#pragma once
#include <filesystem>
#include <optional>
#include <string_view>

#include "support/skip.hpp"

/// A file or folder of the test data, which is not part of the repository: below $GRAFT_TEST_DATA, else below the
/// folder that CMake was given, else below that of made-up models. nullopt where it is absent.
std::optional<std::filesystem::path> test_data(std::string_view relative);

/// A Python interpreter that has the packages of requirements.txt: $GRAFT_PYTHON, else the one that CMake was told.
std::optional<std::filesystem::path> test_python();

/// Declares a path below the test data, or skips the test.
#define TEST_DATA(variable, relative)                                           \
  const auto variable##_if_present = test_data(relative);                       \
  if (!variable##_if_present) SKIP_TEST("there is no test data " << (relative)); \
  const std::filesystem::path& variable = *variable##_if_present

/// Declares the path of the Python interpreter, or skips the test.
#define TEST_PYTHON(variable)                                               \
  const auto variable##_if_present = test_python();                         \
  if (!variable##_if_present) SKIP_TEST("there is no Python for the tests"); \
  const std::filesystem::path& variable = *variable##_if_present
