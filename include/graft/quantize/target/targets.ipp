#pragma once
#include <graft/quantize/target/targets.hpp>

#include <algorithm>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/rewrite/near_names.hpp>

namespace graft::inline v1 {
namespace detail {

/// The target of a release, and what its views refer to beside what the first release's refer to.
struct ReleasedTarget {
  const Target& first;
  std::string name;
  std::vector<IntegerKernel> kernels;
  std::vector<KnownFault> faults;
  Target target;

  ReleasedTarget(const Target& first_release, Release release)
      : first(first_release),
        name(std::string(first.name) + "@" + to_string(release)),
        kernels(first.kernels.begin(), first.kernels.end()),
        target(first) {
    for (const KernelChange& change : first.kernel_changes)
      if (change.since <= release) apply(change);
    for (const TargetChange& change : first.changes)
      if (change.since <= release) apply(change);
    for (const KnownFault& known : first.faults)
      if (known.since <= release && (!known.mended || release < *known.mended)) faults.push_back(known);
    target.name = name;
    target.kernels = kernels;
    target.faults = faults;
    target.release = release;
    target.kernel_changes = {};
    target.changes = {};
  }
  ReleasedTarget(const ReleasedTarget&) = delete;  // its views are of itself

 private:
  void apply(const KernelChange& change) {
    for (IntegerKernel& kernel : kernels) {
      if (kernel.op != change.op) continue;
      kernel.quirks = kernel.quirks.without(change.loses).with(change.gains);
      kernel.until = change.until.value_or(kernel.until);
      kernel.lacks = change.lacks.value_or(kernel.lacks);
    }
  }
  void apply(const TargetChange& change) {
    target.quirks = target.quirks.without(change.loses).with(change.gains);
    target.block_kernels = change.block_kernels.value_or(target.block_kernels);
    target.cache_bits = change.cache_bits.value_or(target.cache_bits);
  }
};

/// All that differ from those of the releases before them, each target's in their order.
inline const std::list<ReleasedTarget>& released_targets() {
  static const std::list<ReleasedTarget> released = [] {
    std::list<ReleasedTarget> made;
    for (const Target* const target : targets::all) {
      std::set<Release> releases;
      for (const KernelChange& change : target->kernel_changes) releases.insert(change.since);
      for (const TargetChange& change : target->changes) releases.insert(change.since);
      for (const KnownFault& known : target->faults)
        if (known.processor == Processor::any || known.processor == target->processor) {
          if (known.since > target->release) releases.insert(known.since);
          if (known.mended) releases.insert(*known.mended);
        }
      for (const Release release : releases) made.emplace_back(*target, release);
    }
    return made;
  }();
  return released;
}

}  // namespace detail

namespace targets {

GRAFT_INLINE const Target& at_release(const Target& target, Release release) {
  if (std::ranges::find(all, &target) == all.end())
    throw Error("'" + std::string(target.name) + "' is none of those that graft ships").field("target");
  if (target.release == Release()) throw Error("'" + std::string(target.name) + "' is of no release").field("target");
  if (release < target.release)
    throw Error("'" + std::string(target.name) + "' is known since release " + to_string(target.release))
        .field("release");
  const Target* found = &target;
  for (const detail::ReleasedTarget& released : detail::released_targets())
    if (&released.first == &target && released.target.release <= release) found = &released.target;
  return *found;
}

GRAFT_INLINE std::string names() {
  std::string text;
  for (const Target* const target : all) text += (text.empty() ? "" : ", ") + std::string(target->name);
  return text;
}

GRAFT_INLINE const Target& named(std::string_view name) {
  const std::size_t at = name.find('@');
  std::vector<std::string_view> known;
  for (const Target* const target : all) {
    if (target->name == name.substr(0, at))
      return at == std::string_view::npos ? *target : at_release(*target, Release::parse(name.substr(at + 1)));
    known.push_back(target->name);
  }
  const std::string meant = did_you_mean(name.substr(0, at), known);
  throw Error("there is no target '" + std::string(name) + "'; there are " + names() + meant).field("target");
}

}  // namespace targets
}  // namespace graft::inline v1
