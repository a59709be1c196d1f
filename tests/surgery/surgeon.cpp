#include <graft/surgery/surgeon.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "support/error_of.hpp"

using namespace graft;

namespace {

SurgeonArguments received;

/// Of one parameter of each kind, the last two of which need not be given.
const Surgeon& sample() {
  static const Surgeon surgeon{
      "Sample",
      "keeps what it is given",
      {{"text", ParameterKind::text},
       {"texts", ParameterKind::texts},
       {"integer", ParameterKind::integer},
       {"integers", ParameterKind::integers},
       {"number", ParameterKind::number, false, 0.5},
       {"flag", ParameterKind::flag, false}},
      {},
      [](const SurgeonArguments& arguments) {
        received = arguments;
        return pass("inner", [](Graph&, Context&) { return Report(); });
      }};
  return surgeon;
}

SurgeonArguments complete() {
  return {{"text", std::string("a")}, {"texts", std::vector<std::string>{"b"}}, {"integer", std::int64_t{3}},
          {"integers", std::vector<std::int64_t>{4, 5}}};
}

}  // namespace

TEST_CASE("surgeon: a pass under its name, with the arguments and what those that are absent fall back to") {
  const Pass made = sample().pass(complete());
  CHECK(made.name() == "Sample");
  SurgeonArguments wanted = complete();
  wanted["number"] = 0.5;
  CHECK(received == wanted);
  SurgeonArguments more = complete();
  more["number"] = 2.5;
  more["flag"] = true;
  static_cast<void>(sample().pass(more));
  CHECK(received == more);
}

TEST_CASE("surgeon: an integer serves as a number, an empty list as either") {
  SurgeonArguments arguments = complete();
  arguments["number"] = std::int64_t{-7};
  arguments["texts"] = std::vector<std::int64_t>();
  arguments["integers"] = std::vector<std::string>();
  static_cast<void>(sample().pass(arguments));
  CHECK(received["number"] == SurgeonArgument(-7.0));
  CHECK(received["texts"] == SurgeonArgument(std::vector<std::string>()));
  CHECK(received["integers"] == SurgeonArgument(std::vector<std::int64_t>()));
}

TEST_CASE("surgeon: a parameter that is missing or of another kind is an Error that names it") {
  for (const SurgeonParameter& parameter : sample().parameters) {
    CAPTURE(parameter.name);
    const std::string name(parameter.name);
    SurgeonArguments lacking = complete();
    if (lacking.erase(name) != 0)
      CHECK(error_of([&] { sample().pass(lacking); }) == "the surgery Sample: parameter '" + name +
                                                             "' is missing: it is " +
                                                             std::string(to_string(parameter.kind)));
    SurgeonArguments wrong = complete();
    if (parameter.kind == ParameterKind::text) wrong[name] = false;
    else wrong[name] = std::string("x");
    CHECK(error_of([&] { sample().pass(wrong); }).find("parameter '" + name + "' is ") != std::string::npos);
  }
  SurgeonArguments wrong = complete();
  wrong["integer"] = 3.5;
  CHECK(error_of([&] { sample().pass(wrong); }) ==
        "the surgery Sample: parameter 'integer' is an integer, not a number");
  wrong["integer"] = std::vector<std::int64_t>{3};
  CHECK(error_of([&] { sample().pass(wrong); }) ==
        "the surgery Sample: parameter 'integer' is an integer, not a list of integers");
}

TEST_CASE("surgeon: an argument without a parameter is ignored, with a warning") {
  SurgeonArguments arguments = complete();
  arguments["colour"] = std::string("red");
  const Pass made = sample().pass(arguments);
  CHECK(received.count("colour") == 0);
  Model model = graph("x: f32[2]; y = Relu(x)");
  Context context;
  std::vector<std::string> told;
  context.log = [&](std::string_view message) { told.emplace_back(message); };
  const std::string wanted = "the surgery Sample has no parameter 'colour', which is ignored";
  CHECK(made.run(model, context).warnings == std::vector<std::string>{wanted});
  CHECK(told == std::vector<std::string>{wanted});
  CHECK(made.name() == "Sample");
}
