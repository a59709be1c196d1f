// expect: the replacement uses a capture that the pattern to look for does not bind
// expect: Capture<'y'>
// not: any or rest<>
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;
constexpr auto y = val<"y">;

constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(y));
