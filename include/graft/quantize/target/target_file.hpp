#pragma once
#include <memory>
#include <string>
#include <string_view>

#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/json_limits.hpp>

namespace graft::inline v1 {

/// A target that is shipped, with a name, costs and faults of your own:
///
///     {"name": "my-machine", "base": "ort-cpu-x64", "processor": "amx",
///      "faults": [{"fault": "partial-tiles", "since": "1.23", "mended": "1.25", "processor": "amx"}],
///      "quantize": {"call": 500, "element": 0.12},
///      "block_products": {"8": {"call": 700, "element": 2, "product": 0.0086, "weight": 0.014}},
///      "kernels": [{"op": "Conv", "in_float": {"call": 4000, "element": 0.2, "product": 0.0135},
///                   "in_integers": {"call": 6000, "element": 0.2, "product": 0.0036},
///                   "few_channels": {"in_float": {...}, "in_integers": {...}}, "first_layer": {...},
///                   "guard_cost": {...}, "float_input_cost": {...}}]}
///
/// Costs are nanoseconds as in KernelCost; what is missing in one is 0. Costs, kernels, faults and a processor that are
/// missing are those of the base; so is everything else. A "comment" may stand in any object. Throws Error naming the
/// field that is missing or wrong: text that is not JSON, a base that is not shipped, a kernel that it lacks, a member
/// that does not exist, a cost that is negative or no finite float32; a text beyond the limits.
std::shared_ptr<const Target> target_from_json(std::string_view text, const JsonLimits& limits = {});

/// With all costs and faults of the target. base: a shipped target from which it differs in these only. Throws Error if
/// a kernel is not one of the base's, or a cost is not finite.
std::string to_json(const Target& target, const Target& base);

/// As target_from_json(). What a copy of the Target points to belongs to the pointer that is returned: passes copy the
/// Target that they are given, so keep the pointer as long as there are passes of it. Throws Error naming the file, and
/// the field where one is at fault.
std::shared_ptr<const Target> load_target(const std::string& path, const JsonLimits& limits = {});

/// The file appears whole or not at all. Throws Error naming it if it cannot be written, or as to_json() does.
void save_target(const Target& target, const Target& base, const std::string& path);

namespace targets {

/// The shipped target of that name, else of that file if the name ends in ".json". Throws Error as named() and
/// load_target() do.
std::shared_ptr<const Target> named_or_loaded(const std::string& name_or_file);

}  // namespace targets
}  // namespace graft::inline v1
