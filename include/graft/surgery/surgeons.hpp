#pragma once
#include <span>
#include <string_view>

#include <graft/rewrite/pass.hpp>
#include <graft/surgery/surgeon.hpp>

namespace graft::inline v1 {

/// The surgeries, sorted by name.
std::span<const Surgeon> surgeons();

/// Compares names by same_plain_name(). If there is none, throws Error with similar names, or with all.
const Surgeon& surgeon_named(std::string_view name);

/// A surgery by its name: surgery("RenameInputs", {{"old_names", old}, {"new_names", fresh}}). Throws Error as
/// surgeon_named() and Surgeon::pass() do.
Pass surgery(std::string_view name, const SurgeonArguments& arguments = {});

}  // namespace graft::inline v1
