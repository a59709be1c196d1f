#include <graft/rewrite/context.hpp>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("the last value that an argument was given counts") {
  static constexpr auto limit = arg<"limit", int>;
  Context context;
  CHECK_THROWS_WITH(context.argument(limit), "the argument 'limit' is not given with that type");
  context.arguments = {limit = 1, arg<"limit", double> = 2.5, limit = 3};
  CHECK(context.argument(limit) == 3);
  CHECK(context.argument(arg<"limit", double>) == 2.5);
}

TEST_CASE("without callbacks nothing is logged") {
  Context context;
  context.write_log("a message");
  context.report_progress(Progress{"pass", 1, 2});
  CHECK_FALSE(context.is_cancelled());
  std::string told;
  context.log = [&](std::string_view message) { told = message; };
  context.progress = [&](const Progress& at) {
    told += " " + std::to_string(at.done) + "/" + std::to_string(at.total);
  };
  context.cancelled = [] { return true; };
  context.write_log("a message");
  context.report_progress(Progress{"pass", 1, 2});
  CHECK(told == "a message 1/2");
  CHECK(context.is_cancelled());
}

TEST_CASE("a pass adds the operators of the Context to its model, and rules heed their schemas") {
  static constexpr auto times = attr<"times", std::int64_t>;
  static constexpr auto pair = rule<"pair-of-stretches">(op<"mine::Stretch">(op<"mine::Stretch">(x)),
                                                         op<"mine::Double">(x));
  static constexpr auto doubled = rule<"double-to-stretch">(op<"mine::Double">(x).with(times == 4),
                                                            op<"mine::Stretch">(x).with(times = 4));
  const auto changes = [](const std::string& text, bool knows, const Pass& pass) {
    Model model = graph(text);
    Context context;
    OperatorSchema schema{.inputs = {{"x"}}, .outputs = {{"y"}}, .defaults = {{"times", 2}}};
    if (knows) context.operators.add("mine::Stretch", {.schema = schema});
    schema.defaults = {{"times", 4}};
    if (knows) context.operators.add("mine::Double", {.schema = schema});
    const std::size_t count = pass.run(model, context).changes;
    CHECK(model.operators() == context.operators);
    return count;
  };
  const std::string two = "x: f32[2]; y = mine::Stretch(mine::Stretch(x) {times=2}) {times=2}";
  CHECK(changes(two, true, fixpoint(pair)) == 1);  // 2 is the default
  CHECK(changes(two, false, fixpoint(pair)) == 0);
  CHECK(changes("x: f32[2]; y = mine::Stretch(mine::Stretch(x) {times=3})", true, fixpoint(pair)) == 0);
  CHECK(changes("x: f32[2]; y = mine::Double(x)", true, fixpoint(doubled)) == 1);
  CHECK(changes("x: f32[2]; y = mine::Double(x)", false, fixpoint(doubled)) == 0);
}
