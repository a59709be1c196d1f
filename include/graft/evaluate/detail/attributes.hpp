#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// An attribute that is one of the names. Throws Error for another, and for none where there is no fallback.
inline std::string_view choice(const KernelContext& ctx, std::string_view attribute,
                               std::initializer_list<std::string_view> names,
                               std::optional<std::string_view> fallback = std::nullopt) {
  const auto value = fallback ? ctx.attr_or<std::string_view>(attribute, *fallback)
                              : ctx.attr<std::string_view>(attribute);
  if (std::find(names.begin(), names.end(), value) == names.end())
    throw failure({"unknown value ", value}).field(attribute);
  return value;
}

/// An attribute of `count` numbers, all `fallback` if it is absent or empty.
inline Ints list_attribute(const KernelContext& ctx, std::string_view attribute, std::size_t count,
                           std::int64_t fallback) {
  Ints values = ctx.optional_attr<Ints>(attribute).value_or(Ints{});
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) throw failure({"expected ", count, " numbers, not ", values}).field(attribute);
  return values;
}

}  // namespace graft::inline v1::standard_kernels::detail
