#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/lower.hpp>
#include <graft/simplify.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Pass to_4d() {
  return matmul_to_transpose_conv_transpose() | four_d_model_inputs() | four_d_reduce_sum() | four_d_gather() |
         four_d_gather_elements() | four_d_initializers() | four_d_reshape() | four_d_expand() | four_d_transpose() |
         four_d_slice({2}) | four_d_lp_normalization() | flatten_to_reshape() | four_d_model_outputs() |
         remove_intermediary_squeezes();
}

/// Of batch 1: attention over rows, the sum of them, and one of them.
const std::string encoder = R"(
  x: f32[1,6,8]
  w1 = f32[8,8] random; w2 = f32[8,8] random; w3 = f32[8,8] random; b = f32[8] random
  q = Add(MatMul(x, w1), b)
  k = Add(MatMul(x, w2), b)
  v = MatMul(x, w3)
  scores = Softmax(Div(MatMul(q, Transpose(k) {perm=[0,2,1]}), f32[1] 2.5)) {axis=-1}
  h = Mul(Add(MatMul(scores, v), x), b)
  n = LpNormalization(h) {axis=2}
  y = Slice(n, i64[1] 2, i64[1] 7, i64[1] 2)
  total = ReduceSum(h, i64[1] 1) {keepdims=0}
  first = Gather(h, i64[] 3) {axis=1}
  logits = Gemm(first, f32[5,8] 0.25, f32[5] {1,2,3,4,5}) {transB=1}
  return y, total, first, logits
)";

bool is_4d_within(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (node.is("Squeeze")) continue;
    if (node.output(0)->shape().rank() != 4) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a net of matrices becomes 4-D, and gives the same") {
  const Trial trial = given(encoder).pass(to_4d());
  CHECK(trial.equivalent());
  const Run run = trial.run();
  CHECK(is_4d_within(run.model.graph()));
  CHECK(verify(run.model.graph()).empty());
  std::size_t products = 0;
  for (const Node& node : run.model.graph().nodes()) {
    CHECK(!node.is("Gemm"));
    products += node.is("MatMul");  // of what is computed with what is computed
  }
  CHECK(products == 2);
}

TEST_CASE("it does in the order in which accelerators name the surgeries, too") {
  const Pass named = matmul_to_transpose_conv_transpose() | remove_intermediary_squeezes() | to_4d();
  CHECK(given(encoder).pass(named).equivalent());
  CHECK(is_4d_within(given(encoder).pass(named).run().model.graph()));
}

TEST_CASE("a classifier becomes 4-D, whether its Flatten or its Gemm does first") {
  const char* const classifier = R"(
    x: f32[1,3,6,6]
    h = Relu(Conv(x, f32[4,3,3,3] 0.5))
    y = Softmax(Gemm(Flatten(h), f32[64,5] random, f32[5] random)) {axis=-1}
  )";
  for (const Pass& pass : {flatten_to_reshape() | matmul_to_transpose_conv_transpose() | four_d_model_outputs(),
                           matmul_to_transpose_conv_transpose() | flatten_to_reshape() |
                               remove_intermediary_squeezes() | four_d_model_outputs()}) {
    CHECK(given(classifier).pass(pass).equivalent());
    CHECK(is_4d_within(given(classifier).pass(pass).run().model.graph()));
  }
}

TEST_CASE("each of the passes leaves a graph that verify() finds nothing against") {
  Model model = graph(encoder);
  Context context;
  const Pass all = to_4d();
  for (const Pass& pass : all.steps()) {
    INFO(pass.name());
    pass.run(model, context);
    CHECK(verify(model).empty());
    Model saved(onnx::ModelProto(model.commit()));  // what is written is all that the next one may need
    CHECK(verify(saved).empty());
    model = std::move(saved);
  }
  CHECK(equivalent(graph(encoder).graph(), model.graph()));
}

TEST_CASE("from the inputs on it does too, and what is left of Transposes can be simplified") {
  const Pass first_inputs = four_d_model_inputs() | four_d_transpose() | four_d_gather() | four_d_reduce_sum() |
                            four_d_slice({2}) | four_d_lp_normalization() | four_d_model_outputs() |
                            matmul_to_transpose_conv_transpose() | remove_intermediary_squeezes() |
                            four_d_initializers();
  CHECK(given(encoder).pass(first_inputs).equivalent());
  CHECK(given(encoder).pass(first_inputs | simplify()).equivalent());
}
