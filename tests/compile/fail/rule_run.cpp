// expect: a rule is not a pass: fixpoint(rule) or sweep(rule) makes one of it
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));

void run(Model& model) { relu_relu.run(model); }
