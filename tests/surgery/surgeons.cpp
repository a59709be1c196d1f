#include <graft/surgery/surgeons.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// What an Error says; "" if there is none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Something of each kind.
SurgeonArgument any_argument(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::text: return std::string("a");
    case ParameterKind::texts: return std::vector<std::string>{"a"};
    case ParameterKind::integer: return std::int64_t{0};
    case ParameterKind::integers: return std::vector<std::int64_t>{0};
    case ParameterKind::number: return 1.0;
    case ParameterKind::flag: break;
  }
  return true;
}

}  // namespace

TEST_CASE("surgeons: each has a summary of one line and makes a pass of its name, whatever the arguments") {
  std::string before;
  for (const Surgeon& one : surgeons()) {
    CAPTURE(one.name);
    CHECK(before < one.name);
    before = one.name;
    CHECK_FALSE(one.summary.empty());
    CHECK(one.summary.find('\n') == std::string_view::npos);
    SurgeonArguments least, all;
    std::set<std::string_view> names;
    for (const SurgeonParameter& parameter : one.parameters) {
      CHECK(names.insert(parameter.name).second);
      all.emplace(parameter.name, any_argument(parameter.kind));
      if (parameter.required) least.emplace(parameter.name, any_argument(parameter.kind));
      if (parameter.fallback) CHECK(parameter.fallback->index() == static_cast<std::size_t>(parameter.kind));
    }
    CHECK(one.pass(least).name() == one.name);
    CHECK(one.pass(all).name() == one.name);
  }
}

TEST_CASE("surgeons: found in upper and lower case") {
  CHECK(surgeon_named("removeINITIALIZERfromInputs").name == "RemoveInitializerFromInputs");
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  CHECK(surgery("removeinitializerfrominputs").run(model).pass == "RemoveInitializerFromInputs");
  CHECK(model.graph().inputs().size() == 1);
}

TEST_CASE("surgeons: an unknown name is an Error with the names near to it, or all") {
  CHECK(error_of([] { surgeon_named("DeduplicateNode"); }) ==
        "there is no surgery 'DeduplicateNode'; there is, under a name near to it: DeduplicateNodes");
  const std::string all = error_of([] { surgeon_named("Xyzzy"); });
  for (const Surgeon& one : surgeons()) CHECK(all.find(one.name) != std::string::npos);
}
