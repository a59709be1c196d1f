#include <graft/rewrite.hpp>

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto w = cst<"w">;
inline constexpr auto zero = rule<"x-plus-0">(comm<"Add", "mine.Sum">(x, w.all_equal(0)), x);
