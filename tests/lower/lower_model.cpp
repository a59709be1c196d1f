// Applies a pass to a model: PASS MODEL RESULT. For the tests that compare a model with what becomes of it in another
// runtime.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <graft/graph.hpp>
#include <graft/lower.hpp>
#include <graft/qdq.hpp>

namespace {

graft::Pass pass_named(std::string_view name) {
  using namespace graft;
  const Pass passes[] = {
      attention_masks_to_sequence_lengths(),
      decompose_attentions(),
      decompose_embed_layer_normalizations(),
      decompose_fused_operators(),
      decompose_fused_products(),
      decompose_gelus(),
      decompose_layer_normalizations(),
      decompose_quick_gelus(),
      decompose_rotary_embeddings(),
      drop_group_indices(),
      einsums_to_matmuls(),
      erfs_to_tanhs(),
      gemms_to_matmul_adds(),
      matmul_adds_to_gemms(),
      pow_reduce_sums_to_lp_norms(),
      qdq_to_clips(),
      reciprocal_muls_to_divs(),
      remove_dequantized_constants(),
      remove_qdq(),
      remove_qdq(true).named("remove_qdq_but_clips"),
      rms_norms_to_l2_norms(),
      simplified_layer_norms_to_l2_norms(),
      simplified_layer_norms_to_rms_norms(),
  };
  for (const Pass& pass : passes)
    if (pass.name() == name) return pass;
  throw Error("there is no such pass").field(name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: graft_lower_model PASS MODEL RESULT\n";
    return 2;
  }
  try {
    graft::Model model = graft::Model::load(argv[2]);
    if (pass_named(argv[1]).run(model).changes == 0) throw graft::Error("nothing changed").file(argv[2]);
    model.save(argv[3]);
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
