// For the comparison with the runtime: quantizes a model that is calibrated on made-up data, or audits models.
//   quantize MODEL OUT TARGET naive|fusion-aware|commuted|conv-only|all-supported|min-cost per-tensor|per-channel
//   TARGET/i16 quantizes activations to that dtype, in opset 21; TARGET/u16:TENSORS those that the expression matches
//   dynamic MODEL OUT TARGET standard|contrib per-tensor|per-channel i8|u8
//   blockwise MODEL OUT BITS BLOCK symmetric|asymmetric contrib|standard ACCURACY_LEVEL
//   audit TARGET MODEL...      for each a line: the model, "refused" or "loads", the findings
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <graft/lower/gemm.hpp>
#include <graft/precision/convert_floats.hpp>
#include <graft/quantize.hpp>
#include <graft/simplify.hpp>

namespace {

graft::Feeds made_up(const graft::Graph& graph) {
  std::mt19937 random(1);
  graft::Feeds feeds;
  for (const graft::Value* const input : graph.inputs()) {
    if (input->initializer() != nullptr) continue;
    graft::Dims dims;
    for (std::size_t i = 0; i < input->shape().rank(); ++i)
      dims.push_back(input->shape()[i].known() ? input->shape()[i].value() : i == 0 ? 1 : 16);
    const bool is_integer = input->dtype() == graft::DType::i64;
    std::vector<float> values(static_cast<std::size_t>(graft::element_count(dims)));
    for (float& value : values)
      value = is_integer ? static_cast<float>(random() % 2) : static_cast<float>(random() % 4001) / 1000 - 2;
    feeds.emplace_back(input, graft::Tensor::of(is_integer ? graft::DType::i64 : graft::DType::f32, dims, values));
  }
  return feeds;
}

void quantize(const std::vector<std::string>& arguments) {
  using namespace graft;
  Model model = Model::load(arguments[0]);
  const std::size_t slash = arguments[2].find('/'), colon = arguments[2].find(':');
  Target target = targets::named(arguments[2].substr(0, slash));
  const bool is_other = slash != std::string::npos;
  const DType other = is_other ? dtype_named(arguments[2].substr(slash + 1, colon - slash - 1)) : target.activation;
  std::vector<ActivationOverride> single;
  if (colon != std::string::npos) single.push_back({arguments[2].substr(colon + 1), other});
  else target = with_activations(target, other);
  const Placement placement = arguments[3] == "fusion-aware"    ? Placement::fusion_aware
                              : arguments[3] == "all-supported" ? Placement::all_supported
                              : arguments[3] == "min-cost"      ? Placement::min_cost
                              : arguments[3] == "conv-only"     ? Placement::conv_only
                                                                : Placement::naive;
  const auto granularity = arguments[4] == "per-tensor" ? Granularity::per_tensor : Granularity::per_channel;
  Context context;
  (freeze_inputs() | raise_opset(is_other ? 21 : 13) | to_float32() | fold_constants() | name_normalizations() |
   fixpoint(gemm_bias, gemm_alpha_into_weight) | eliminate_dead_code() | unique_node_names() |
   keep_compositions_in_float())
      .run(model, context);
  const Pass place = override_activations(single) | inject_qdq(target, placement);
  (calibrate(std::vector<Feeds>{made_up(model.graph())}) | place | quantize_weights(granularity, target))
      .run(model, context);
  if (arguments[3] == "commuted") commute_dq_past_activation(target).run(model, context);
  model.save(arguments[1]);
}

void quantize_dynamic(const std::vector<std::string>& arguments) {
  using namespace graft;
  Model model = Model::load(arguments[0]);
  const DynamicOptions options{
      .weights = arguments[4] == "per-tensor" ? Granularity::per_tensor : Granularity::per_channel,
      .weight_dtype = dtype_named(arguments[5]),
      .form = arguments[3] == "contrib" ? DynamicForm::contrib : DynamicForm::standard,
      .tables = EmbeddingOptions{.least_elements = 1},
      .attention = true};
  std::cout << (raise_opset(13) | graft::quantize_dynamic(targets::named(arguments[2]), options)).run(model);
  model.save(arguments[1]);
}

void quantize_blockwise(const std::vector<std::string>& arguments) {
  using namespace graft;
  Model model = Model::load(arguments[0]);
  BlockwiseOptions options{
      .weights = {std::stoi(arguments[2]), std::stoi(arguments[3]), arguments[4] == "symmetric"},
      .operators = arguments[5] == "contrib" ? BlockOperators::contrib : BlockOperators::standard,
      .tables = EmbeddingOptions{.least_elements = 1}};
  if (options.operators == BlockOperators::contrib) options.accuracy_level = std::stoi(arguments[6]);
  std::cout << (raise_opset(21) | quantize_weights_blockwise(targets::ort_cpu_x64, options)).run(model);
  model.save(arguments[1]);
}

void audit(std::string_view target, const std::string& path) {
  graft::Model model = graft::Model::load(path);
  graft::infer_shapes(model.graph());
  const graft::Audit found = graft::audit(model.graph(), graft::targets::named(target));
  bool refused = false;
  std::string text;
  for (const graft::OperatorOutcome& finding : found.findings) {
    const bool may_refuse =
        finding.code == "near_redundant" || finding.code == "attribute" || finding.code == "scale_rank";
    refused = refused || (may_refuse && finding.severity == graft::Severity::error);
    text += "\t" + std::string(finding.code) + ": " + to_string(finding);
  }
  std::cout << path << '\t' << (refused ? "refused" : "loads") << text << '\n';
}

/// A line for each finding: path, form, severity, code, operator.
void print_findings(std::string_view target, const std::string& path) {
  graft::Model model = graft::Model::load(path);
  graft::infer_shapes(model.graph());
  for (const graft::OperatorOutcome& finding : graft::audit(model.graph(), graft::targets::named(target)).findings)
    std::cout << path << '\t' << to_string(finding.form) << '\t' << to_string(finding.severity) << '\t' << finding.code
              << '\t' << finding.op << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 6 && arguments[0] == "quantize") {
      quantize({arguments.begin() + 1, arguments.end()});
    } else if (arguments.size() == 7 && arguments[0] == "dynamic") {
      quantize_dynamic({arguments.begin() + 1, arguments.end()});
    } else if (arguments.size() == 8 && arguments[0] == "blockwise") {
      quantize_blockwise({arguments.begin() + 1, arguments.end()});
    } else if (arguments.size() > 1 && arguments[0] == "audit") {
      for (std::size_t i = 2; i < arguments.size(); ++i) audit(arguments[1], arguments[i]);
    } else if (arguments.size() > 1 && arguments[0] == "findings") {
      for (std::size_t i = 2; i < arguments.size(); ++i) print_findings(arguments[1], arguments[i]);
    } else {
      std::cerr << "usage: graft_quantize_model quantize MODEL OUT TARGET PLACEMENT GRANULARITY | dynamic ... |\n"
                   "       blockwise ... | audit TARGET MODEL... | findings TARGET MODEL...\n";
      return 2;
    }
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
