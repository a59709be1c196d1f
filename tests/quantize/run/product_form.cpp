#include <graft/quantize/run/product_form.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("forms of products have the field's names", "[quantize]") {
  CHECK(to_string(ProductForm::in_float) == "float");
  CHECK(to_string(ProductForm::fixed) == "static");
  CHECK(to_string(ProductForm::dynamic) == "dynamic");
  CHECK(to_string(ProductForm::weight_only) == "weight-only");
}
