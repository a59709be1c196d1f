#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

TEST_CASE("a program whose output cannot be written fails, and says so", "[examples]") {
  const Folder folder;
  const std::string model = folder / "m.onnx", full = R"(sh -c 'exec "$0" "$@" > /dev/full' )";
  write_file(model, conv_relu().SerializeAsString());
  const std::vector<std::pair<std::string, std::vector<std::string>>> calls{
      {"graft-inspect", {model}},
      {"graft-qonnx", {"datatypes", model}},
      {"graft-quantize", {model, "--dynamic", "--dry-run"}}};
  for (const auto& [program, words] : calls) {
    const Ended ended = run_program(program, words, full);
    INFO(program);
    CHECK(ended.code == 1);
    CHECK_THAT(ended.error,
               Catch::EndsWith(program + ": standard output: cannot be written: No space left on device\n"));
  }
}
