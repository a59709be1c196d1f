#pragma once
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

/// The versions of a domain's opset, both ends included.
struct Opsets {
  int since = 0;
  int until = std::numeric_limits<int>::max();
};

}  // namespace graft::inline v1

namespace graft::inline v1::standard_kernels::detail {

/// Entries by operator and opset.
template <class Entry>
class OperatorTable {
 public:
  /// op is "Conv" or "domain::Op"; throws Error for an empty name.
  void add(std::string_view op, Opsets opsets, Entry entry) {
    const OpName name = OpName::parse(op);
    if (name.op_type.empty()) graft::detail::raise(Error("a kernel needs the name of an operator"));
    entries_[key(name.domain, name.op_type)].emplace_back(opsets, std::move(entry));
  }

  /// The one added last of those that serve the opset; nullptr if there is none.
  const Entry* find(std::string_view domain, std::string_view op_type, int opset) const {
    if (entries_.empty()) return nullptr;
    const auto found = entries_.find(key(domain, op_type));
    if (found == entries_.end()) return nullptr;
    for (auto each = found->second.rbegin(); each != found->second.rend(); ++each) {
      if (each->first.since <= opset && opset <= each->first.until) return &each->second;
    }
    return nullptr;
  }

 private:
  static std::string key(std::string_view domain, std::string_view op_type) {
    std::string text(canonical_domain(domain));
    return text.append("::").append(op_type);
  }

  std::map<std::string, std::vector<std::pair<Opsets, Entry>>> entries_;
};

}  // namespace graft::inline v1::standard_kernels::detail
