// Whatever simplify() finds in random graphs, it never leaves more nodes than there were. That it keeps values is what
// tests/properties is about.
#include <cstdint>

#include <catch2/catch.hpp>
#include <graft/graph/print.hpp>
#include <graft/simplify/rules.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::size_t nodes_of(const Model& model) {
  std::size_t count = 0;
  for (const Graph* const scope : model.scopes()) count += scope->nodes().size();
  return count;
}

bool grows(const Model& model) {
  Model after{onnx::ModelProto(model.proto())};
  simplify().run(after);
  return nodes_of(after) > nodes_of(model);
}

}  // namespace

TEST_CASE("simplify leaves no more nodes than random graphs have") {
  Vocabulary vocabulary;
  vocabulary.patterns = shrinking_rules();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Model model = random_graph(seed, 4 + seed % 10, vocabulary);
    if (grows(model)) FAIL_CHECK(seed << "\n" << to_string(shrink(model, grows).graph()));
  }
}
