// A data file that changes after the model was loaded.
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/model.hpp>

#include "graph/faults/small_model.hpp"
#include "support/folder.hpp"

using namespace graft;
using namespace graft::faults;
using Catch::Matchers::Contains;

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
