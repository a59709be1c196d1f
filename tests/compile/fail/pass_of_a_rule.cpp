// expect: a rule is not a pass: fixpoint(rule) or sweep(rule) makes one of it
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto idle = rule<"idle">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));

Pass p = idle;
