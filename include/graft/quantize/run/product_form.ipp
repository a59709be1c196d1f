#pragma once
#include <graft/quantize/run/product_form.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string_view to_string(ProductForm form) {
  switch (form) {
    case ProductForm::in_float: break;
    case ProductForm::fixed: return "static";
    case ProductForm::dynamic: return "dynamic";
    case ProductForm::weight_only: return "weight-only";
  }
  return "float";
}

}  // namespace graft::inline v1
