#include <graft/surgery/surgeons.hpp>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "support/error_of.hpp"

using namespace graft;

namespace {

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
    std::string name(one.name);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    CHECK(before < name);
    before = name;
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
    if (name == "changebatch" || name == "renameinputdims") {
      CHECK_THROWS_WITH(one.pass(all), Catch::Contains("exclude each other"));
      all.erase(name == "changebatch" ? "batch" : "input_idx");
    }
    CHECK(one.pass(all).name() == one.name);
  }
}

TEST_CASE("surgeons: all names that other tools' configurations have for them are there") {
  for (const char* const name :
       {"RenameInputs", "RenameOutputs", "InferShapes", "RemoveShapes", "RemoveInitializerFromInputs", "ReorderInputs",
        "ReplaceErfWithTanh", "ZeroOutInput", "RemoveInputs", "ExposeOutputs", "ExposeQuantizedOutput",
        "DecomposeQuickGelu", "DecomposeRotaryEmbedding", "RMSNormToL2Norm", "SimplifiedLayerNormToL2Norm",
        "MatMulAddToGemm", "ReplaceAttentionMaskValue", "RemoveQDQ", "QDQToClip", "MatMulToTransposeConvTranspose",
        "RemoveIntermediarySqueezeAndUnsqueeze", "RemoveDeqLin", "Non4DModelInputs", "Non4DModelOutputs",
        "StandaloneReduceSum", "Gather", "GatherElements", "Non4DInitializers", "RemoveAllTensorValueShapes",
        "Non4DReshape", "Non4DExpand", "Non4DTranspose", "Non4DSlice", "Non4DLpNorm", "Flatten",
        "AddIntermediateTensorsToOutputs", "ReshapeReduceSum", "ReshapeClipReduceSum", "ReduceMax",
        "SimplifiedLayerNormToRMSNorm", "PowReduceSumPowDiv2LpNorm", "GemmToMatMulAdd", "RemoveRopeMultiCache",
        "AttentionMaskToSequenceLengths", "RemoveGidxFromMatMulNBits", "ReciprocalMulToDiv", "DeduplicateNodes",
        "DeduplicateSubgraphInitializers", "RenameInputDims", "RenameOutputDims", "RemoveMemcpy", "TieWordEmbeddings",
        "QuantizeEmbeddingInt8", "ShareEmbeddingLmHead", "PackedAttentionToLoopMHA", "PackedAttentionToPackedMHA"})
    CHECK(surgeon_named(name).name == name);
}

TEST_CASE("surgeons: found in upper and lower case") {
  CHECK(surgeon_named("removeINITIALIZERfromInputs").name == "RemoveInitializerFromInputs");
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  CHECK(surgery("removeinitializerfrominputs").run(model).pass == "RemoveInitializerFromInputs");
  CHECK(model.graph().inputs().size() == 1);
}

TEST_CASE("surgeons: an unknown name is an Error with the names near to it, or all") {
  CHECK(error_of([] { surgeon_named("DeduplicateNode"); }) ==
        "there is no surgery 'DeduplicateNode'; did you mean 'DeduplicateNodes'?");
  const std::string all = error_of([] { surgeon_named("Xyzzy"); });
  for (const Surgeon& one : surgeons()) CHECK(all.find(one.name) != std::string::npos);
}

TEST_CASE("surgeons: arguments reach what they are for") {
  using Texts = std::vector<std::string>;
  const auto inputs = [](const char* text, const char* name, const SurgeonArguments& arguments) {
    Model model = graph(text);
    surgery(name, arguments).run(model);
    std::string names;
    for (const Value* const input : model.graph().inputs()) names += to_string(*input) + " ";
    return names;
  };
  const char* const two = "x: f32[N,3]; z: f32[3]; y = Add(x, z)";
  CHECK(inputs(two, "RenameInputs", {{"old_names", Texts{"x"}}, {"new_names", Texts{"w"}}}) ==
        "%w : f32[N,3] %z : f32[3] ");
  CHECK(inputs(two, "ReorderInputs", {{"permutation", std::vector<std::int64_t>{1, 0}}}) ==
        "%z : f32[3] %x : f32[N,3] ");
  const SurgeonArguments batch{{"dim_idx", std::int64_t{0}}, {"dim_name", std::string("batch")}};
  CHECK(inputs(two, "RenameInputDims", batch) == "%x : f32[batch,3] %z : f32[3] ");
  SurgeonArguments of_z = batch;
  of_z["input_idx"] = std::int64_t{1};
  CHECK(inputs(two, "RenameInputDims", of_z) == "%x : f32[N,3] %z : f32[batch] ");
  of_z.erase("input_idx");
  of_z["input_name"] = std::string("z");
  CHECK(inputs(two, "RenameInputDims", of_z) == "%x : f32[N,3] %z : f32[batch] ");
  CHECK(inputs(two, "FixDim", {{"dim_name", std::string("N")}, {"value", std::int64_t{5}}}) ==
        "%x : f32[5,3] %z : f32[3] ");
  CHECK(inputs("x: f32[1,3]; y = Neg(x)", "ChangeBatch", {{"batch", std::int64_t{4}}}) == "%x : f32[4,3] ");
  CHECK(inputs("x: f32[1,3]; y = Neg(x)", "ChangeBatch", {{"symbol", std::string("B")}}) == "%x : f32[B,3] ");
  CHECK(inputs("x: f32[1,3]; y = Neg(x)", "ChangeBatch", {}) == "%x : f32[N,3] ");
  CHECK_THROWS_WITH(surgery("ChangeBatch", {{"symbol", std::string("B")}, {"batch", std::int64_t{4}}}),
                    Catch::Contains("'batch' and 'symbol' exclude each other"));
  CHECK(inputs("x: f32[1,3,4,5]; y = Neg(x)", "ConvertToChannelsLast", {{"outputs", false}}) == "%x : f32[1,4,5,3] ");
  CHECK(given("x: f32[2]; m = f32[2] {0, -50}; y = Add(x, m)")
            .pass(surgery("ReplaceAttentionMaskValue", {{"threshold", -40.0}, {"replacement", std::int64_t{-7}}}))
            .becomes("x: f32[2]; m = f32[2] {0, -7}; y = Add(x, m)"));
  CHECK(given("opset 11; x: f32[1,2,3,4]; m = ReduceMax(x) {axes=[3]}; y = Neg(m)")
            .pass(surgery("ReduceMax", {{"count", std::int64_t{6}}}))
            .changes_signature()
            .becomes("opset 11; x: f32[1,2,3,4]; m = ReduceMax(x) {axes=[3]}; s = i64[4] {1, 1, 1, 6};"
                     "y = Neg(Reshape(m, s))"));
}

TEST_CASE("surgeons: renaming ignores what the graph does not have, with a warning") {
  using Texts = std::vector<std::string>;
  Model model = graph("x: f32[2]; y = Neg(x)");
  const Report inputs =
      surgery("RenameInputs", {{"old_names", Texts{"y", "x"}}, {"new_names", Texts{"a", "b"}}}).run(model);
  CHECK(inputs.changes == 1);
  CHECK(inputs.warnings == Texts{"'y' is ignored: the graph has no such input"});
  CHECK(model.graph().inputs()[0]->name() == "b");
  const Report outputs = surgery("RenameOutputs", {{"old_names", Texts{"x"}}, {"new_names", Texts{"a"}}}).run(model);
  CHECK(outputs.changes == 0);
  CHECK(outputs.warnings == Texts{"'x' is ignored: the graph has no such output"});
  CHECK(model.graph().output(0)->name() == "y");
}

TEST_CASE("surgeons: an empty list of tensors means all, as none does") {
  for (const SurgeonArguments& arguments :
       {SurgeonArguments{}, SurgeonArguments{{"intermediate_tensor_to_add", std::vector<std::string>{}}}}) {
    Model model = graph("x: f32[2]; h = Neg(x); y = Abs(h)");
    surgery("AddIntermediateTensorsToOutputs", arguments).run(model);
    CHECK(model.graph().output_count() == 2);
  }
}

TEST_CASE("surgeons: what arguments may not be is an Error that names the surgery") {
  using Texts = std::vector<std::string>;
  CHECK(error_of([] { surgery("RenameInputs", {{"old_names", Texts{"a", "b"}}, {"new_names", Texts{"c"}}}); }) ==
        "the surgery RenameInputs: 'old_names' are 2, 'new_names' 1");
  CHECK(error_of([] { surgery("ReorderInputs", {{"permutation", std::vector<std::int64_t>{0, -1}}}); }) ==
        "the surgery ReorderInputs: parameter 'permutation' is negative: -1");
  CHECK(error_of([] {
          surgery("ReplaceAttentionMaskValue", {{"threshold", -1e300}});
        }) == "the surgery ReplaceAttentionMaskValue: parameter 'threshold' is out of the range of float32");
  const Pass absent = surgery("RenameOutputDims", {{"output_idx", std::int64_t{1}},
                                                   {"dim_idx", std::int64_t{0}},
                                                   {"dim_name", std::string("N")}});
  Model model = graph("x: f32[2]; y = Neg(x)");
  CHECK(error_of([&] { absent.run(model); }) == "pass 'RenameOutputDims': the graph has no output 1");
  const Pass taken = surgery("RenameInputs", {{"old_names", Texts{"x"}}, {"new_names", Texts{"y"}}});
  CHECK_THAT(error_of([&] { taken.run(model); }), Catch::StartsWith("pass 'RenameInputs': "));
}
