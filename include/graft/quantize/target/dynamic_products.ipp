#pragma once
#include <graft/quantize/target/dynamic_products.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE DynamicProducts DynamicProducts::of(const Facts& facts) {
  const DynamicProducts* const products = facts.find<DynamicProducts>();
  return products != nullptr ? *products : DynamicProducts();
}

}  // namespace graft::inline v1
