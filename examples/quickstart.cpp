// The main job: a float model in, an 8-bit model out with Q/DQ where the runtime fuses them.
//
//   quickstart                    a MobileNetV2 with made-up weights, calibrated on noise
//   quickstart MODEL.onnx FOLDER  your model, calibrated on a folder of images or of ONNX test data
//
// Writes quantized.onnx and says what will fuse.
#include <iostream>
#include <random>

#include <graft/quantize.hpp>
#include <graft/simplify.hpp>

#include "mobilenetv2.hpp"
#include "support/calibration_data.hpp"

Samples noise(std::size_t count, const graft::Dims& dims) {
  return {count, [dims](std::size_t i) {
            std::mt19937 random(static_cast<unsigned>(i));
            std::normal_distribution<float> normal;
            graft::Tensor image(graft::DType::f32, dims);
            for (float& pixel : image.mutable_data<float>()) pixel = normal(random);
            return graft::Feeds{{"image", image}};
          }};
}

int main(int argc, char** argv) try {
  using namespace graft;
  if (argc == 2 || argc > 3) return std::cerr << "usage: quickstart [MODEL.onnx FOLDER]\n", 2;
  Model model = argc > 2 ? Model::load(argv[1]) : MobileNetV2(96).build();
  const Samples samples = argc > 2 ? calibration_samples(argv[2], model, {}) : noise(8, {1, 3, 96, 96});
  const Target& target = targets::ort_cpu_x64;

  Pass prepare = raise_opset(13) | unique_node_names() | fold_constants() | fixpoint(bn_into_conv, add_into_conv_bias);
  Pass quantize = inject_qdq(target, Placement::fusion_aware) | quantize_weights(Granularity::per_channel, target);
  Context context;
  const Report prepared = (prepare | calibrate(samples)).run(model, context);
  const Feeds sample = (*samples.begin()).feeds;
  const Tensor expected = Evaluator(model.graph()).run(sample)[0];
  const Report quantized = quantize.run(model, context);
  const Tensor result = Evaluator(model.graph()).run(sample)[0];

  const Audit findings = audit(model.graph(), target).of("Conv");
  std::cout << to_string(prepared) << to_string(quantized) << findings.fused() << " of " << findings.findings.size()
            << " Convs will fuse on " << target.name << "\n";
  for (const Finding& finding : findings.findings)
    if (!finding.fused) std::cout << "  " << finding.node << ": " << finding.text << "; " << finding.mend << "\n";
  const auto vector = [](const Tensor& t) {
    return Eigen::Map<const Eigen::VectorXf>(t.data<float>().data(), t.size());
  };
  std::cout << "cosine between float and 8 bit: " << vector(expected).normalized().dot(vector(result).normalized())
            << "\n";
  model.save("quantized.onnx");
  std::cout << "wrote quantized.onnx\n";
} catch (const graft::Error& error) {
  std::cerr << "quickstart: " << error.what() << "\n";
  return 1;
}
