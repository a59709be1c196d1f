// custom_pipeline on a model file: it prints its pipeline, and what each pass did.
#include <catch2/catch.hpp>

#include <graft/graph/model.hpp>

#include "models.hpp"
#include "program.hpp"
#include "support/folder.hpp"

TEST_CASE("custom_pipeline: reads, rewrites and writes a model", "[examples]") {
  const Folder folder;
  write_file(folder / "m.onnx", conv_relu().SerializeAsString());
  const Ended ended = run_program("custom_pipeline", {folder / "m.onnx", folder / "out.onnx"});
  INFO(ended.error);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Catch::Contains("1 Conv") && Catch::Contains("1 Relu"));
  CHECK(graft::Model::load(folder / "out.onnx").graph().nodes().size() == 2);
  CHECK(run_program("custom_pipeline", {folder / "none.onnx", folder / "o.onnx"}).code == 1);
  CHECK(run_program("custom_pipeline", {}).code == 2);
}
