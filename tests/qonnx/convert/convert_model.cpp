// Converts a model: MODEL RESULT STEP... Prints the format before and after each step, and why nodes stay. For the
// tests that compare a model with what becomes of it in another runtime.
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>
#include <graft/surgery.hpp>

namespace {

/// "raise_opset=13", "quant_to_qcdq", "quant_to_qcdq=narrow_types,lower_rest" ...
graft::Pass pass_of(std::string_view step) {
  using namespace graft;
  const std::size_t equals = step.find('=');
  const std::string_view name = step.substr(0, equals);
  const std::string options = equals == step.npos ? "" : "," + std::string(step.substr(equals + 1)) + ",";
  const auto has = [&](const char* option) { return options.find("," + std::string(option) + ",") != options.npos; };
  qonnx::ZeroPoints zero_points = has("any_zero_point") ? qonnx::ZeroPoints::any : qonnx::ZeroPoints::even;
  if (has("no_zero_point")) zero_points = qonnx::ZeroPoints::zero;
  const qonnx::QuantToQdqOptions to_qdq{has("narrow_types"), has("clip_constants"), has("lower_rest"), zero_points};
  if (name == "freeze_inputs") return freeze_inputs();
  if (name == "raise_opset") return raise_opset(std::atoi(options.c_str() + 1));
  if (name == "quant_to_qcdq") return qonnx::quant_to_qcdq(to_qdq);
  if (name == "quant_to_qdq") return qonnx::quant_to_qdq(to_qdq);
  if (name == "qdq_to_quant")
    return qonnx::qdq_to_quant({qonnx::ZeroPoints::any, !has("keep_clips"), has("least_bits_of_constants")});
  if (name == "extract_quant_scale_zero_point") return qonnx::extract_quant_scale_zero_point();
  throw Error("there is no such step").field(name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: graft_convert_qonnx MODEL RESULT STEP...\n";
    return 2;
  }
  try {
    graft::Model model = graft::Model::load(argv[1]);
    std::cout << graft::qonnx::format_of(model.graph()) << '\n';
    graft::Context context;
    context.refusals = true;
    for (int i = 3; i < argc; ++i) {
      std::cout << pass_of(argv[i]).run(model, context) << '\n';
      std::cout << graft::qonnx::format_of(model.graph()) << '\n';
    }
    model.save(argv[2]);
  } catch (const graft::Error& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
