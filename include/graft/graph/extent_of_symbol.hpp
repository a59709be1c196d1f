#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace graft::inline v1 {

/// The extent that a symbol of a dim stands for where its name says how others make it up, as exporters write it:
/// "past_sequence_length + sequence_length", "2*batch". extent_of: the extent of a name in it. Sums, products and
/// numbers are understood; nothing for a plain name, and for what is neither.
std::optional<std::int64_t> extent_of_symbol(std::string_view symbol,
                                             const std::function<std::int64_t(std::string_view name)>& extent_of);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/extent_of_symbol.ipp>
#endif
