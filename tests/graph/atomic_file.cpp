#include <graft/graph/atomic_file.hpp>

#include <filesystem>

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include "support/folder.hpp"

using namespace graft;
namespace fs = std::filesystem;

TEST_CASE("a file aside takes its place when it is published, and is gone otherwise") {
  const Folder folder;
  write_file(folder / "f", "old");
  {
    const AtomicFile aside(folder / "f");
    write_file(aside.path(), "half");
    CHECK(read_file(folder / "f") == "old");
  }
  CHECK(std::distance(fs::directory_iterator(folder / ""), {}) == 1);
  AtomicFile aside(folder / "f");
  write_file(aside.path(), "new");
  aside.publish();
  CHECK(read_file(folder / "f") == "new");
}

TEST_CASE("a link stays, and what it leads to is replaced") {
  const Folder folder;
  fs::create_directory(folder / "d");
  fs::create_symlink("d/target", folder / "link");  // leads nowhere yet
  for (const char* const text : {"first", "second"}) {
    AtomicFile aside(folder / "link");
    write_file(aside.path(), text);
    aside.publish();
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(read_file(folder / "d/target") == text);
  }
}

TEST_CASE("neither folders nor pipes are replaced") {
  const Folder folder;
  fs::create_directory(folder / "d");
  fs::create_symlink("d", folder / "link");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(AtomicFile(folder / "d"), Catch::EndsWith("d: cannot be written: it is a folder"));
  CHECK_THROWS_WITH(AtomicFile(folder / "link"), Catch::EndsWith("link: cannot be written: it is a folder"));
  fs::create_symlink("loop", folder / "loop");
  CHECK_THROWS_WITH(AtomicFile(folder / "loop"),
                    Catch::EndsWith("loop: cannot be written: its symbolic links are broken"));
  CHECK_THROWS_WITH(AtomicFile(folder / "pipe"), Catch::EndsWith("pipe: cannot be written: it is not a regular file"));
}

TEST_CASE("a new file is one: what is there meanwhile stays, and two of one place do not meet") {
  const Folder folder;
  {
    AtomicFile first(folder / "f"), second(folder / "f");
    write_file(first.path(), "first");
    write_file(second.path(), "second");
    first.publish_new();
    CHECK_THROWS_WITH(second.publish_new(), Catch::EndsWith("f: cannot be written: File exists"));
    CHECK(read_file(folder / "f") == "first");
    second.publish();
    CHECK(read_file(folder / "f") == "second");
  }
  CHECK(std::distance(fs::directory_iterator(folder / ""), {}) == 1);
}
