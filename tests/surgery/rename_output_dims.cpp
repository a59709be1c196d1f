#include <graft/surgery/rename_output_dims.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("an extent of an output gets a name", "[rename_output_dims]") {
  Model model = graph("x: f32[8]; y = NonZero(x); z = Neg(x)");
  rename_output_dims("y", 1, "count").run(model);
  CHECK(unsound(model).empty());
  CHECK(to_string(model.proto().graph().output(0).type()) == "i64[1,count]");
  rename_output_dims("z", 0, "N").run(model);
  CHECK(to_string(model.commit().graph().output(1).type()) == "f32[N]");
}

TEST_CASE("a symbol that no input bears is renamed everywhere", "[rename_output_dims]") {
  Model model = graph("x: f32[M]; y = NonZero(x) : i64[1,K]; v = Neg(y) : i64[1,K]; z = Abs(x) : f32[M]; "
                      "w = Exp(x) : f32[M]; return y, v, z, w");
  rename_output_dims("y", 1, "count").run(model);
  CHECK(to_string(model.commit().graph().output(1).type()) == "i64[1,count]");
  rename_output_dims("z", 0, "N").run(model);
  CHECK(to_string(model.commit().graph().output(2).type()) == "f32[N]");
  CHECK(to_string(model.proto().graph().output(3).type()) == "f32[M]");
  CHECK(to_string(model.proto().graph().input(0).type()) == "f32[M]");
}

TEST_CASE("outputs and axes that there are not are errors", "[rename_output_dims]") {
  const auto why = [](const char* output, std::size_t axis, const char* symbol) {
    return refusal(graph("x: f32[2]; y = Neg(x)"), rename_output_dims(output, axis, symbol));
  };
  CHECK_THAT(why("x", 0, "N"), Contains("is no output"));
  CHECK_THAT(why("y", 1, "N"), Contains("y: has no axis 1"));
  CHECK_THAT(why("y", 0, ""), Contains("empty"));
}
