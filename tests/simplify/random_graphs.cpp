// Whatever simplify() finds in random graphs: it keeps values, comes to an end, is done after one run, and never leaves
// more nodes than there were.
#include <cstdint>
#include <optional>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/verify.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::size_t nodes_of(const Model& model) {
  std::size_t count = 0;
  for (const Graph* const scope : model.scopes()) count += scope->nodes().size();
  return count;
}

std::optional<std::string> fault_of(const Pass& pass, const Model& model) {
  Model before{onnx::ModelProto(model.proto())}, after{onnx::ModelProto(model.proto())};
  infer_shapes(before.graph());
  const std::size_t problems = verify(before).size();
  try {
    const Report report = pass.run(after);
    if (!report.converged()) return "it does not converge";
  } catch (const Error& error) {
    return "it throws: " + std::string(error.what());
  }
  if (verify(after).size() > problems) return "it makes an invalid model: " + to_string(verify(after).front());
  if (nodes_of(after) > nodes_of(before)) return "it makes more nodes";
  const TestResult same = equivalent(before.graph(), after.graph(), {.inputs = 6, .atol = 1e-4, .rtol = 1e-4});
  if (!same) return same.message();
  Model again{onnx::ModelProto(after.commit())};
  if (pass.run(again).changes != 0) return "a second run changes it again";
  return std::nullopt;
}

/// The fault with the smallest graph that has it.
void check(const Pass& pass, std::uint64_t seed, std::size_t nodes) {
  const Model model = random_graph(seed, nodes);
  const std::optional<std::string> fault = fault_of(pass, model);
  if (!fault) return;
  const Model small = shrink(model, [&](const Model& less) { return fault_of(pass, less).has_value(); });
  FAIL_CHECK("random_graph(" << seed << ", " << nodes << "): " << *fault
                             << "\nthe smallest with a fault: " << fault_of(pass, small).value_or("") << "\n"
                             << to_string(small.graph()));
}

}  // namespace

TEST_CASE("simplify keeps what random graphs compute") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) check(simplify(), seed, 4 + seed % 10);
}

TEST_CASE("simplify keeps what many random graphs compute", "[slow]") {
  for (std::uint64_t seed = 1000; seed < 6000; ++seed) check(simplify(), seed, 4 + seed % 24);
}

TEST_CASE("a pass that is wrong is found among random graphs") {
  constexpr auto x = val<"x">;
  static constexpr auto forgets_relu = rule<"forgets-relu">(op<"Relu">(x), op<"Identity">(x));
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Model model = random_graph(seed, 8);
    const auto is_wrong = [](const Model& some) { return fault_of(fixpoint(forgets_relu), some).has_value(); };
    if (!is_wrong(model)) continue;
    ++found;
    const Model small = shrink(model, is_wrong);
    INFO(to_string(small.graph()));
    CHECK(small.graph().nodes().size() <= 2);
  }
  CHECK(found > 3);
}
