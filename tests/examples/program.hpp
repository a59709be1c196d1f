#pragma once
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <programs.hpp>

#include "support/folder.hpp"

/// What a program left when it ended; code is -1 if it did not end by itself.
struct Ended {
  int code = -1;
  std::string out, error;
};

/// In front of a program of MPI and the number of ranks. Open MPI itself leaks.
inline const std::string mpirun = "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n ";

/// Runs a program of examples/ with words that the shell must not read. `before` is shell text in front of it.
inline Ended run_program(const std::string& name, const std::vector<std::string>& arguments,
                         const std::string& before = {}) {
  const Folder folder;
  const auto quoted = [](const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  };
  std::string command = before + quoted(GRAFT_PROGRAMS "/" + name);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(folder / "out") + " 2>" + quoted(folder / "error");
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder / "out"), read_file(folder / "error")};
}

/// How many entries a folder has.
inline std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}
