#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

using namespace graft;

namespace {

constexpr auto x = val<"x">;
constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));

}  // namespace

// All that a program needs that brings its own rules.
int main() {
  Builder b(13);
  b.output(b.op("Relu", {&b.op("Relu", {&b.input("x", DType::f32, {2})})}), "y");
  Model model = b.build();
  const Report report = fixpoint(relu_relu).run(model);
  return report.changes == 1 && model.graph().nodes().size() == 1 ? 0 : 1;
}
