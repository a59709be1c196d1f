// A custom runtime: a table of the operators that it computes in integers, without any other code. Placement, the
// fitting of scales, the commutation and the audit all read this table. <graft/quantize/kernel/target.hpp> describes
// each entry. The dtypes must include the target's activation and weight dtypes. Costs are nanoseconds on one thread.
#include <array>
#include <iostream>

#include <graft/graph/build.hpp>
#include <graft/quantize.hpp>
#include <graft/testing/lint_target.hpp>

#include "mobilenetv2.hpp"

namespace npu {
using namespace graft;

/// The runtime takes int8 only, ...
constexpr std::array weighted{KernelDTypes{DType::i8, DType::i8}};
constexpr std::array alone{KernelDTypes{DType::i8}};
/// ... computes Conv in integers 16 times as fast as in float, Add at the same speed, and pools integers directly, ...
constexpr std::array kernels{
    IntegerKernel{.op = "Conv", .dtypes = weighted, .in_float = {.product = 0.8f}, .in_integers = {.product = 0.05f}},
    IntegerKernel{.op = "Add",
                  .dtypes = alone,
                  .form = KernelForm::elementwise,
                  .operands = 2,
                  .in_float = {.element = 0.4f},
                  .in_integers = {.element = 0.4f}},
    IntegerKernel{.op = "MaxPool", .dtypes = alone, .form = KernelForm::passthrough},
};
/// ... and fuses these activations into a Conv for any scales.
constexpr std::array activations{FusedActivation{"Relu"}, FusedActivation{"Clip"}, FusedActivation{"HardSwish"}};

constexpr Target target{
    .name = "npu",
    .activation = DType::i8,
    .bias = BiasForm::float32,
    .kernels = kernels,
    .quantize = {.element = 0.3f},
    .dequantize = {.element = 0.3f},
    .activations = activations,
};

}  // namespace npu

int main() try {
  using namespace graft;
  if (const TestResult holds = lint(npu::target); !holds) throw Error(holds.message());
  Model model = MobileNetV2(96).build();
  Tensor image(DType::f32, {1, 3, 96, 96});
  for (float sign = 1; float& pixel : image.mutable_data<float>()) pixel = sign = -sign;

  (calibrate(std::vector<Feeds>{{{"image", image}}}) | inject_qdq(npu::target, Placement::min_cost) |
   quantize_weights(Granularity::per_channel, npu::target))
      .run(model);

  const Audit found = audit(model.graph(), npu::target);
  for (const char* const op : {"Conv", "Add"}) {
    const Audit of_op = found.of(op);
    std::cout << of_op.fused() << " of " << of_op.findings.size() << " " << op << " run in integers on "
              << npu::target.name << "\n";
  }
} catch (const graft::Error& error) {
  std::cerr << "custom_target: " << error.what() << "\n";
  return 1;
}
