// expect: a rule needs a replacement
#include <graft/rewrite.hpp>

using namespace graft;

constexpr auto x = val<"x">;

constexpr auto without_where = rule<"r">(op<"Relu">(op<"Relu">(x)));
constexpr auto with_where = rule<"r">(op<"Relu">(op<"Relu">(x)), where());
