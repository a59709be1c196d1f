#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// The extent of a symbol whose name is a formula over other symbols, as exporters write it: "past_sequence_length +
/// sequence_length", "2*batch". extent_of returns the extent of a name in the formula. Sums, products and numbers are
/// supported; nullopt for a plain name and for other formulas.
std::optional<std::int64_t> extent_of_symbol(std::string_view symbol,
                                             const std::function<std::int64_t(std::string_view name)>& extent_of);

}  // namespace graft::inline v1
