// A runtime of your own: a table of what it computes in integers, and no code elsewhere. Placement, the fitting of
// scales, the commutation and the audit all read it. <graft/quantize/target/target.hpp> says what each entry means:
// dtypes are what the kernel takes, and hold the target's activation and weight; costs are nanoseconds on one thread.
#include <array>
#include <iostream>

#include <graft/graph/build.hpp>
#include <graft/quantize.hpp>
#include <graft/testing/lint_target.hpp>

#include "mobilenetv2.hpp"

namespace npu {
using namespace graft;

/// It takes int8 alone, ...
constexpr std::array weighted{KernelDTypes{DType::i8, DType::i8}};
constexpr std::array alone{KernelDTypes{DType::i8}};
/// ... convolves 16 times as fast in integers as in float, adds at the same speed, pools on integers as they are, ...
constexpr std::array kernels{
    IntegerKernel{.op = "Conv", .dtypes = weighted, .in_float = {.product = 0.8f}, .in_integers = {.product = 0.05f}},
    IntegerKernel{.op = "Add",
                  .dtypes = alone,
                  .form = KernelForm::one_dtype,
                  .operands = 2,
                  .in_float = {.element = 0.4f},
                  .in_integers = {.element = 0.4f}},
    IntegerKernel{.op = "MaxPool", .dtypes = alone, .form = KernelForm::same_qparams},
};
/// ... and computes these behind a Conv, whatever its scales are.
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
