// A full disk, and a folder that cannot be written: what stood there stays, and the error names the file.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor_file.hpp>
#include <graft/graph/whole_file.hpp>

#include "graph/faults/small_model.hpp"
#include "support/child_process.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"

using namespace graft;
using namespace graft::faults;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

/// Makes this process root of mounts that it alone sees. Whether that is permitted.
bool unshare_mounts() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user == 0) return ::unshare(CLONE_NEWNS) == 0;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // Without them no file can be made: its owner would have no number. Groups are mapped once setgroups() is given up.
  const auto tell = [](const std::string& file, const std::string& text) {
    return (std::ofstream("/proc/self/" + file) << text << std::flush).good();
  };
  return tell("setgroups", "deny") && tell("uid_map", "0 " + std::to_string(user) + " 1") &&
         tell("gid_map", "0 " + std::to_string(group) + " 1");
}

/// A file system of so many bytes in place of the folder, which this process alone sees. Whether there can be one.
bool mount_small(const fs::path& folder, std::size_t bytes) {
  const std::string size = "size=" + std::to_string(bytes);
  if (!unshare_mounts() || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) != 0)
    return false;
  const bool can_write = std::ofstream(folder / "first").is_open();
  return fs::remove(folder / "first") && can_write;
}

/// Root may write everywhere: it becomes nobody.
bool give_up_rights() { return ::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0); }

}  // namespace

TEST_CASE("faults: a full disk leaves what stood there, and the error says which file did not fit") {
  const Folder folder;
  const auto full = [&](const std::string& file, const std::function<void()>& write) {
    const ChildEnd end = in_child([&] {
      if (!mount_small(folder.path(), 128 << 10)) return 77;
      model_of(1).save(folder / "m.onnx", outside);  // 32 KiB
      const auto before = contents(folder.path());
      try {
        write();
      } catch (const Error& error) {
        const bool is_named = std::string(error.what()).find(file + ": ") != std::string::npos;
        if (contents(folder.path()) != before || value_of(folder / "m.onnx") != 1 || !is_named) return 3;
        throw;
      }
      return 4;
    });
    if (end.code() == 77) SKIP_TEST("no file system can be mounted here");
    INFO(file);
    CHECK(end.code() == 1);
    CHECK_THAT(end.said, Contains(file) && EndsWith("cannot be written: No space left on device"));
  };
  const auto enlarged = [](float value) {
    Model model = model_of(value);
    model.graph().add_initializer(Tensor(DType::u8, {256 << 10}), "large");
    return model;
  };
  full("m.onnx.1.data", [&] { enlarged(2).save(folder / "m.onnx", outside); });
  full("m.onnx", [&] { enlarged(2).save(folder / "m.onnx"); });
  full("n.onnx.data", [&] { enlarged(2).save(folder / "n.onnx", outside); });
  full("t.pb", [&] { save_tensor(Tensor(DType::u8, {256 << 10}), folder / "t.pb"); });
  full("t.txt", [&] { write_whole(folder / "t.txt", std::string(256 << 10, 'x')); });
  full(folder.path(), [&] {
    Model model = Model::load(folder / "m.onnx", {.scratch_folder = folder.path()});
    model.graph().add_initializer(Tensor(DType::u8, {256 << 10}), "large");
  });
}

TEST_CASE("faults: a folder that cannot be written is named, and what it holds can be read") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  const auto before = contents(folder.path());
  ::chmod(folder.path().c_str(), 0555);
  const auto refused = [&](const std::string& file, const std::function<void()>& write) {
    const ChildEnd end = in_child([&] {
      if (!give_up_rights()) return 77;
      if (value_of(folder / "m.onnx") != 1) return 3;
      write();
      return 4;
    });
    if (end.code() == 77) SKIP_TEST("rights cannot be given up here");
    INFO(file);
    CHECK(end.code() == 1);
    CHECK_THAT(end.said, Contains(file + ": ") && EndsWith(": Permission denied"));
  };
  refused("m.onnx", [&] { model_of(2).save(folder / "m.onnx"); });
  refused("m.onnx", [&] { model_of(2).save(folder / "m.onnx", outside); });
  refused("n.onnx", [&] { model_of(2).save(folder / "n.onnx", outside); });
  refused("t.pb", [&] { save_tensor(filled(2), folder / "t.pb"); });
  refused("t.txt", [&] { write_whole(folder / "t.txt", "text"); });
  refused(folder.path(), [&] {
    Model model = Model::load(folder / "m.onnx", {.scratch_folder = folder.path()});
    model.graph().add_initializer(filled(2), "large");
  });
  ::chmod(folder.path().c_str(), 0755);
  CHECK(contents(folder.path()) == before);
}
