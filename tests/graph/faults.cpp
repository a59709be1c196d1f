// What happens outside: a full disk, a process that is killed, a folder that cannot be written, a data file that
// changes. The output is whole or not there, what stood there before is untouched, and the error names the file.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/file_aside.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_file.hpp>
#include <graft/graph/whole_file.hpp>

#include "support/child_process.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"

using namespace graft;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

constexpr std::int64_t count = 4096;  // 16 KiB each
const SaveOptions outside{.external_data_over = 0};

Tensor filled(float value) { return Tensor::of<float>({count}, std::vector<float>(count, value)); }

/// Two weights that hold nothing but `value`.
Model model_of(float value) {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {count});
  Value& sum = b.op("Add", {&x, &b.constant(filled(value), "a")});
  b.output(b.op("Mul", {&sum, &b.constant(filled(value), "b")}), "y");
  return b.build();
}

/// The value that both weights of a model hold, and with it that the model is whole.
float value_of(const fs::path& file) {
  const Model model = Model::load(file);
  const auto a = model.graph().find("a")->constant()->to<float>(), b = model.graph().find("b")->constant()->to<float>();
  REQUIRE(a == b);
  REQUIRE(std::count(a.begin(), a.end(), a[0]) == count);
  return a[0];
}

/// Every file of a folder with its bytes.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = entry.is_regular_file() ? read_file(entry.path()) : "";
  return files;
}

std::vector<std::string> names(const fs::path& folder) {
  std::vector<std::string> result;
  for (const auto& [name, bytes] : contents(folder)) result.push_back(name);
  return result;
}

void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("no limit");
}

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

TEST_CASE("faults: a model that is to replace its own input, and does not fit, leaves it") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  const auto before = contents(folder.path());
  const ChildEnd end = in_child([&] {
    Model model = Model::load(folder / "m.onnx");
    for (const char* const name : {"a", "b"}) model.graph().set_initializer(*model.graph().find(name), filled(2));
    limit_file_size(20'000);
    model.save(folder / "m.onnx", outside);
    return 0;
  });
  CHECK(end.code() == 1);
  CHECK_THAT(end.said, EndsWith("m.onnx.1.data: cannot be written: File too large"));
  CHECK(contents(folder.path()) == before);
  CHECK(value_of(folder / "m.onnx") == 1);
}

TEST_CASE("faults: a model that replaces its own input takes the place of its data file too") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  write_file(folder / "m.onnx.x.data", "of someone else");
  Model model = Model::load(folder / "m.onnx");
  for (const float value : {2.f, 3.f}) {
    for (const char* const name : {"a", "b"}) model.graph().set_initializer(*model.graph().find(name), filled(value));
    model.save(folder / "m.onnx", outside);
    CHECK(value_of(folder / "m.onnx") == value);
    CHECK(names(folder.path()).size() == 3);
  }
  CHECK(read_file(folder / "m.onnx.x.data") == "of someone else");
}

TEST_CASE("faults: a save in place keeps the file of what the model reads, wherever it says so") {
  const auto external = [](onnx::TensorProto& tensor, std::int64_t size, onnx::TensorProto::DataType type) {
    tensor.set_data_type(type);
    tensor.add_dims(size);
    set_external_location(tensor, {.location = "m.onnx.data"});
  };
  const Folder folder;
  write_file(folder / "m.onnx.data", std::string(64, '\0'));
  onnx::ModelProto proto = model_of(1).commit();
  SECTION("sparse initializer") {
    onnx::SparseTensorProto& sparse = *proto.mutable_graph()->add_sparse_initializer();
    sparse.mutable_values()->set_name("sparse");
    external(*sparse.mutable_values(), 1, onnx::TensorProto::FLOAT);
    external(*sparse.mutable_indices(), 1, onnx::TensorProto::INT64);
    sparse.add_dims(4);
  }
  SECTION("training") {
    onnx::TensorProto& tensor = *proto.add_training_info()->mutable_initialization()->add_initializer();
    tensor.set_name("training");
    external(tensor, 4, onnx::TensorProto::FLOAT);
  }
  SECTION("a field that cannot be walked") {
    proto.GetReflection()->MutableUnknownFields(&proto)->AddGroup(1000)->AddVarint(1, 1);
    external(*proto.add_training_info()->mutable_initialization()->add_initializer(), 4, onnx::TensorProto::FLOAT);
  }
  write_file(folder / "m.onnx", proto.SerializeAsString());
  Model::load(folder / "m.onnx").save(folder / "m.onnx", outside);
  CHECK(read_file(folder / "m.onnx.data") == std::string(64, '\0'));
  CHECK(names(folder.path()) == std::vector<std::string>{"m.onnx", "m.onnx.1.data", "m.onnx.data"});
  CHECK(value_of(folder / "m.onnx") == 1);
}

TEST_CASE("faults: a save that fails leaves the model in memory as it was") {
  const Folder folder, other;
  onnx::ModelProto proto = model_of(1).commit();
  for (onnx::TensorProto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    write_file(folder / (tensor.name() + ".bin"), tensor.raw_data());
    tensor.clear_raw_data();
    set_external_location(tensor, {.location = tensor.name() + ".bin"});
  }
  Model model(std::move(proto), folder.path());
  const std::string before = model.commit().SerializeAsString(), bytes = read_file(folder / "b.bin");
  fs::remove(folder / "b.bin");
  CHECK_THROWS_WITH(model.save(other / "n.onnx"), Contains("b.bin"));
  CHECK(model.commit().SerializeAsString() == before);
  write_file(folder / "b.bin", bytes);
  model.save(other / "n.onnx");
  CHECK(value_of(other / "n.onnx") == 1);
}

TEST_CASE("faults: a message that fails leaves the weights of a scratch file where they are") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  Model model = Model::load(folder / "m.onnx", {.scratch_folder = folder.path()});
  for (const char* const name : {"a", "b"}) model.graph().set_initializer(*model.graph().find(name), filled(2));
  const std::string before = model.commit().SerializeAsString();
  {
    const AllocationLimit limit(100);
    CHECK_THROWS_WITH(model.serialize(), Contains("has 16384 bytes for it, the limit is 100"));
  }
  CHECK(model.commit().SerializeAsString() == before);
  model.save(folder / "n.onnx");
  CHECK(value_of(folder / "n.onnx") == 2);
}

TEST_CASE("faults: what a save in place removes can still be read by who has it") {
  const Folder folder;
  const std::string file = folder / "m.onnx";
  model_of(1).save(file, outside);
  Model original = Model::load(file), copy = original.clone();
  const Tensor old = *copy.graph().find("a")->constant();
  for (const float value : {2.f, 3.f, 4.f}) {
    for (const char* const name : {"a", "b"}) copy.graph().set_initializer(*copy.graph().find(name), filled(value));
    copy.save(file, outside);
    CHECK(value_of(file) == value);
    CHECK(names(folder.path()).size() == 2);
  }
  CHECK(old.to<float>() == filled(1).to<float>());
  CHECK(original.graph().find("b")->constant()->to<float>() == filled(1).to<float>());
  original.save(file);  // its file is gone: the weights move to a new one
  CHECK(value_of(file) == 1);
  CHECK(names(folder.path()).size() == 2);
}

TEST_CASE("faults: a model reads nothing of what another load of its file has put in its place") {
  const Folder folder;
  const std::string file = folder / "m.onnx";
  model_of(1).save(file, outside);
  Model first = Model::load(file), second = Model::load(file);
  const bool has_read = GENERATE(false, true);
  if (has_read) CHECK(second.graph().find("b")->constant()->to<float>() == filled(1).to<float>());
  for (const float value : {2.f, 3.f}) {  // the data file of the last has the name of the first
    for (const char* const name : {"a", "b"}) first.graph().set_initializer(*first.graph().find(name), filled(value));
    first.save(file, outside);
  }
  REQUIRE(names(folder.path()) == std::vector<std::string>{"m.onnx", "m.onnx.data"});
  CHECK_THROWS_AS(second.graph().find("a")->constant()->to<float>(), UnreadableTensor);
  CHECK_THROWS_WITH(second.save(file, outside), Contains("'m.onnx.data' has been replaced since the model was loaded"));
  CHECK(value_of(file) == 3);
}

TEST_CASE("faults: a save replaces no data file that is there") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  fs::rename(folder / "m.onnx", folder / "old.onnx");
  model_of(2).save(folder / "m.onnx", outside);
  CHECK(value_of(folder / "old.onnx") == 1);
  CHECK(value_of(folder / "m.onnx") == 2);
}

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
    FileAside aside(folder / "m.onnx");
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

TEST_CASE("faults: a data file that changes after the model was loaded is an error, not other numbers and no signal") {
  const Folder folder, other;
  model_of(1).save(folder / "m.onnx", outside);
  const std::string data = folder / "m.onnx.data", bytes = read_file(data);
  Model model = Model::load(folder / "m.onnx");
  const Tensor a = *model.graph().find("a")->constant(), b = *model.graph().find("b")->constant();
  CHECK(b.to<float>() == filled(1).to<float>());  // read before the change: it stays
  std::string why;
  SECTION("shrunk") {
    fs::resize_file(data, 1000);
    why = "has changed since the model was loaded: it had 32768 bytes, and has 1000";
  }
  SECTION("emptied") {
    fs::resize_file(data, 0);
    why = "it had 32768 bytes, and has 0";
  }
  SECTION("written in place") {
    write_file(data, std::string(bytes.size(), 'x'));
    // File systems count time in ticks, and may not have come to the next.
    const timespec times[2] = {{0, UTIME_OMIT}, {1, 0}};
    REQUIRE(::utimensat(AT_FDCWD, data.c_str(), times, 0) == 0);
    why = "has been written since the model was loaded";
  }
  SECTION("replaced by another") {
    write_file(folder / "new", bytes);
    fs::rename(folder / "new", data);
    why = "has been replaced since the model was loaded";
  }
  SECTION("removed") {
    fs::remove(data);
    why = "cannot be opened: No such file or directory";
  }
  CHECK(b.to<float>() == filled(1).to<float>());
  const std::string which = "tensor 'a': external data 'm.onnx.data' ";
  CHECK_THROWS_WITH(a.bytes(), Contains(which) && Contains(why));
  CHECK_THROWS_AS(a.to<float>(), UnreadableTensor);
  CHECK_THROWS_WITH(model.save(other / "n.onnx"), Contains("m.onnx: " + which) && Contains(why));
  CHECK(fs::is_empty(other.path()));
  CHECK(names(folder.path()).size() <= 2);
}

TEST_CASE("faults: a data file that shrinks while it is read raises no signal") {
  const Folder folder;
  model_of(1).save(folder / "m.onnx", outside);
  const std::string data = folder / "m.onnx.data", bytes = read_file(data);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    while (!done) {
      fs::resize_file(data, 0);
      fs::resize_file(data, bytes.size());
    }
  });
  int read = 0, refused = 0;
  for (int i = 0; i < 500 || (refused == 0 && i < 100'000); ++i) {
    try {
      const Model model = Model::load(folder / "m.onnx");
      for (const char* const name : {"a", "b"}) read += model.graph().find(name)->constant()->bytes().size() != 0;
    } catch (const UnreadableTensor&) {
      ++refused;
    }
  }
  done = true;
  writer.join();
  CHECK(refused > 0);
  INFO(read << " tensors were read");
}
