// A process that is killed leaves the old model or the new one, and nothing else.
#include <csignal>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <graft/graph/atomic_file.hpp>
#include <graft/graph/model.hpp>

#include "graph/faults/small_model.hpp"
#include "support/child_process.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"

using namespace graft;
using namespace graft::faults;

namespace {

/// Runs a function in a child process that is killed when it makes its n-th system call. Whether it lived to make it.
bool killed_at(int n, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
    ::raise(SIGSTOP);
    try {
      work();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  for (int stops = 0; stops < n && WIFSTOPPED(status); ++stops) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
  }
  if (!WIFSTOPPED(status)) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) throw std::runtime_error("no process can be traced here");
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    return false;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return true;
}

}  // namespace

TEST_CASE("faults: a process killed at any point of saving leaves the old model or the new one") {
  for (const bool replaces : {false, true}) {
    const Folder folder;
    bool finished = false;
    int kept = 0, replaced = 0;
    for (int n = 1; !finished; ++n) {
      for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove(entry.path());
      if (replaces) model_of(1).save(folder / "m.onnx", outside);
      Model model = model_of(2);
      try {
        finished = !killed_at(n, [&] { model.save(folder / "m.onnx", outside); });
      } catch (const std::runtime_error& error) {
        SKIP_TEST(error.what());
      }
      INFO("at system call " << n);
      if (fs::exists(folder / "m.onnx")) {
        const float value = value_of(folder / "m.onnx");
        CHECK((value == 2 || (replaces && value == 1)));
        ++(value == 2 ? replaced : kept);
      } else {
        CHECK_FALSE(replaces);
        ++kept;
      }
      for (const std::string& name : names(folder.path()))  // nothing else that reads as a model
        CHECK((name == "m.onnx" || name.ends_with(".data") || name.find(".part") != std::string::npos));
    }
    CHECK(kept > 10);
    CHECK(replaced >= 1);
    CHECK(value_of(folder / "m.onnx") == 2);
    CHECK(names(folder.path()).size() == 2);
  }
}

TEST_CASE("faults: nothing of what is written aside outlives the process, where the file system has unnamed files") {
  const Folder folder;
  const int unnamed = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (unnamed < 0) SKIP_TEST("this file system has none");
  ::close(unnamed);
  const ChildEnd end = in_child([&] {
    AtomicFile aside(folder / "m.onnx");
    write_file(aside.path(), "half");
    Model::load((model_of(1).save(folder / "n.onnx", outside), folder / "n.onnx"), {.scratch_folder = folder.path()})
        .graph()
        .add_initializer(Tensor(DType::u8, {8192}), "large");
    ::raise(SIGKILL);
    return 0;
  });
  CHECK(end.signal() == SIGKILL);
  CHECK(names(folder.path()) == std::vector<std::string>{"n.onnx", "n.onnx.data"});
}
