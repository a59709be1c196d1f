// A custom rule: x * HardSigmoid(x), as exporters write it, becomes HardSwish.
#include <iostream>

#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

namespace {

using namespace graft;

// Captures are named once and shared by all rules of a file.
inline constexpr auto x = val<"x">;
inline constexpr auto alpha = attr<"alpha", float>;
inline constexpr auto beta = attr<"beta", float>;

// Matches both orders of the factors. alpha must be 1/6; an absent attribute has the default of the operator.
inline constexpr auto fuse_hard_swish = rule<"fuse-hard-swish">(
    comm<"Mul">(x, op<"HardSigmoid">(x).with(alpha == 1.f / 6, beta == 0.5f)),
    op<"HardSwish">(x));

Model example() {
  Builder b(17);
  Value& image = b.input("image", DType::f32, {1, 8, "H", "W"});
  Value& gate = b.op("HardSigmoid", {&image}, {{"alpha", 1.f / 6}});
  Value& steep = b.op("HardSigmoid", {&image}, {{"alpha", 0.5f}});
  b.output(b.op("Mul", {&gate, &image}), "swish");
  b.output(b.op("Mul", {&image, &steep}), "not_swish");
  return b.build();
}

}  // namespace

int main() {
  Model model = example();
  std::cout << to_string(model.graph());
  // Reports for every node that the rule might match why it does or does not apply.
  for (const RuleExplanation& one : explain(fuse_hard_swish, model.graph())) std::cout << "  " << one.text << "\n";
  std::cout << to_string(fixpoint(fuse_hard_swish).run(model)) << to_string(model.graph());
}
