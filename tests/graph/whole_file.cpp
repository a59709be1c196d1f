#include <graft/graph/whole_file.hpp>

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>

#include "support/folder.hpp"

using namespace graft;

TEST_CASE("a file is written and read as it is, NULs and line ends too") {
  const Folder folder;
  const std::string path = (folder.path() / "bytes").string(), bytes("a\0\r\n", 4);
  write_whole(path, "old");
  write_whole(path, bytes);
  CHECK(read_whole(path) == bytes);
}

TEST_CASE("a file that cannot be read or written is named") {
  const Folder folder;
  const std::string absent = (folder.path() / "absent").string();
  CHECK_THROWS_WITH(read_whole(absent), Catch::Contains(absent) && Catch::Contains("cannot be read"));
  CHECK_THROWS_WITH(read_whole(folder.path().string()), Catch::Contains("cannot be read"));
  CHECK_THROWS_AS(write_whole(folder.path().string(), ""), Error);
}

TEST_CASE("no more of a file is read than was asked for, nor of what has no end") {
  const Folder folder;
  const std::string path = folder / "bytes";
  write_whole(path, std::string(100000, 'x'));
  CHECK(read_whole(path, 100000).size() == 100000);
  CHECK_THROWS_WITH(read_whole(path, 99999), path + ": is over 99999 bytes");
  CHECK_THROWS_WITH(read_whole("/dev/zero", 1 << 20), "/dev/zero: is over 1048576 bytes");
}
