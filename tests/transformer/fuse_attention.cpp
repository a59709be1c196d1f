// Simplifies a model and applies passes to it: RUNTIME MODEL RESULT PASS... Prints how many nodes of each fused
// operator there are. For the tests that compare the result with the model in another runtime.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/simplify.hpp>
#include <graft/transformer.hpp>

namespace {

/// "ort-cpu", "onnx", or "multi-head": ONNX Runtime without an Attention that merges projections.
graft::FusedOperators runtime_named(std::string_view name) {
  using namespace graft;
  static constexpr FusedOperator operators[]{{"com.microsoft::MultiHeadAttention"}, {"com.microsoft::RotaryEmbedding"}};
  static constexpr FusedOperators multi_head{"multi-head", operators};
  for (const FusedOperators& runtime : {fused_operators::ort_cpu, fused_operators::onnx, multi_head})
    if (runtime.runtime == name) return runtime;
  throw Error("there is no such runtime").field(name);
}

graft::Pass pass_named(std::string_view name, const graft::FusedOperators& runtime) {
  using namespace graft;
  const Pass passes[] = {fuse_attention(runtime), expand_attention_masks(), fuse_rotary_embeddings(runtime)};
  for (const Pass& pass : passes)
    if (pass.name() == name) return pass;
  throw Error("there is no such pass").field(name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: graft_fuse_attention RUNTIME MODEL RESULT PASS...\n";
    return 2;
  }
  try {
    using namespace graft;
    const FusedOperators runtime = runtime_named(argv[1]);
    Model model = Model::load(argv[2]);
    Context context;
    context.executor = node_executor();
    context.refusals = true;
    simplify().run(model, context);
    for (int i = 4; i < argc; ++i) {
      const Report report = pass_named(argv[i], runtime).run(model, context);
      if (std::getenv("GRAFT_REPORT") != nullptr) std::cerr << report << '\n';
    }
    std::map<std::string, int> counts;
    for (const Node& node : model.graph().nodes())
      if (!node.domain().empty() || runtime.contains(node.op_type())) ++counts[std::string(node.op_type())];
    for (const auto& [op, count] : counts) std::cout << op << ' ' << count << '\n';
    model.save(argv[3]);
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
