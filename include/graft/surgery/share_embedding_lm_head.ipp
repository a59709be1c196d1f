#pragma once
#include <graft/surgery/share_embedding_lm_head.hpp>

#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/surgery/detail/block_table.hpp>

namespace graft::inline v1 {

namespace detail {

/// Independent matrices differ by more than either of them; one in 2 bits and itself by less than half of it.
inline bool is_same_matrix(const BlockTable& table, const BlockTable& product) {
  if (table.bits != 8 || table.codes == product.codes || table.scales == product.scales) return false;
  const std::vector<float> a = table.values_of_rows(256), b = product.values_of_rows(256);
  double difference = 0, whole = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    whole += double{a[i]} * a[i];
  }
  return difference <= whole / 4;
}

}  // namespace detail

GRAFT_INLINE Pass share_embedding_lm_head() {
  return pass("share_embedding_lm_head", [](Graph& graph, Context& context) {
    return detail::share_tables(graph, context, detail::is_same_matrix);
  });
}

}  // namespace graft::inline v1
