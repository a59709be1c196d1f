// graft's own rules and passes under the fuzz, a minute of it.
#include <limits>
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "subjects.hpp"

namespace {

/// Rules that the graphs of the test below never apply, and why.
const std::map<std::string, std::string> never_applied{
    {"lower/added-convs-to-conv", "two Convs of one geometry are rarely drawn"},
    {"lower/conv-and-strided-to-conv", "two Convs, one of them with strides, are rarely drawn"},
    {"lower/strided-and-conv-to-conv", "two Convs, one of them with strides, are rarely drawn"},
    {"lower/decompose-fused-conv", "FusedConv has no kernel"},
    {"lower/decompose-fused-gemm", "FusedGemm has no kernel"},
    {"lower/decompose-fused-matmul", "FusedMatMul has no kernel"},
    {"lower/drop-group-index", "MatMulNBits is not drawn"},
    {"lower/einsum-to-transpose", "an Einsum of one operand is rarely drawn"},
    {"lower/image-conv-to-depth", "the images are too small for it to pay"},
    {"lower/packed-attention-to-loop", "custom::PackedAttention has no kernel"},
    {"lower/packed-attention-to-packed-mha", "custom::PackedAttention has no kernel"},
    {"lower/score-div-to-query", "scores of attention are not drawn"},
    {"lower/score-mul-to-query", "scores of attention are not drawn"},
    {"lower/single-rope-cache", "an If over two caches is not drawn"},
    {"quantize/commute-dq-past-activation", "a Conv between quantizers, and an activation behind, are rarely drawn"},
    {"simplify/broadcast-expand", "an Expand to the shape of its reader is rarely drawn"},
    {"simplify/concat-of-sequence", "the evaluator has no sequences"},
    {"simplify/element-of-sequence", "the evaluator has no sequences"},
    {"simplify/erase-from-sequence", "the evaluator has no sequences"},
    {"simplify/insert-into-empty-sequence", "the evaluator has no sequences"},
    {"simplify/insert-into-sequence", "the evaluator has no sequences"},
    {"simplify/length-of-sequence", "the evaluator has no sequences"},
    {"simplify/split-to-parts", "the evaluator has no sequences"},
    {"simplify/element-of-optional", "the evaluator has no optionals"},
    {"simplify/optional-has-element", "the evaluator has no optionals"},
    {"simplify/known-choice", "conditions over shapes that are known, and not constant, are rarely drawn"},
    {"transformer/bias-into-skip-layer-normalization", "a bias of the last extent is rarely drawn"},
    {"transformer/bias-into-skip-simplified-layer-normalization", "a bias of the last extent is rarely drawn"},
    {"transformer/capped-attention", "scores between a Div, a Tanh and a Mul are not drawn"},
    {"transformer/embed-layer-normalization", "what decomposes it makes tables that are added otherwise"},
    {"transformer/expand-attention-mask", "masks that need it are not drawn"},
    {"transformer/extent-of-input", "a symbol that an input has too is rarely an extent of what is computed"},
    {"transformer/heads-into-attention", "heads that are taken apart and joined again are not drawn"},
    {"transformer/hidden-then-masked", "scores that are hidden and then masked are not drawn"},
    {"transformer/interleaved-rotary-embedding", "pairs that are halves of one value are not drawn"},
    {"transformer/masked-windows", "scores of windows are not drawn"},
    {"transformer/merged-heads", "heads that are merged with the batch are not drawn"},
    {"transformer/partial-rotary-embedding", "parts of one value are not drawn"},
    {"transformer/products-of-merged-heads", "heads that are merged with the batch are not drawn"},
    {"transformer/repeated-halves", "no rotation reads them"},
    {"transformer/repeated-table", "no rotation reads them"},
    {"transformer/rotary-embedding", "halves of one value are not drawn"},
    {"transformer/scaled-score-bias", "scores of attention with a bias within their scale are not drawn"},
    {"transformer/skip-wide-root-mean-square", "root mean squares behind sums are not drawn"},
    {"transformer/stacked-projections", "projections that are stacked are not drawn"},
    {"transformer/subtracted-mask", "scores of attention from which a mask is subtracted are not drawn"}};

}  // namespace

TEST_CASE("graft's own rules and passes keep what random graphs compute", "[slow]") {
  std::set<std::string> never;
  for (const Subject& subject : subjects()) {
    const graft::FuzzReport report = subject.fuzz(1, 100, std::numeric_limits<double>::infinity());
    INFO(subject.name);
    INFO(report);
    CHECK(report);
    const bool is_rule = subject.rules.size() == 1;
    if (is_rule && report.applied.at(std::string(subject.rules[0].name())) == 0) never.insert(subject.name);
  }
  std::set<std::string> expected;
  for (const auto& [name, why] : never_applied) expected.insert(name);
  CHECK(never == expected);
}
